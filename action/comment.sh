#!/usr/bin/env bash
# Writes REPORT as a comment on the pull request. The next run replaces it: there is one comment for each PROGRAM.
set -uo pipefail

mark="<!-- traceonce $(printf '%s' "$PROGRAM" | cksum | tr ' ' '-') -->"
body="$RUNNER_TEMP/traceonce-comment.md"
{
    echo "$mark"
    cat "$REPORT"
} > "$body"

comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
# Only a bot's: anybody may write a comment that begins like ours, and it could not be changed.
id="$(gh api --paginate "$comments" --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1)"

if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body"
else
    gh api --silent --method POST "$comments" --field "body=@$body"
fi || echo "::warning::traceonce could not comment: pull requests from forks, and jobs without pull-requests: write, may not. The report is in the summary of this job."
