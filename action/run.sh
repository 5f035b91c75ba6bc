#!/usr/bin/env bash
# Runs PROGRAM under traceonce, and makes the reports that the later steps need. Its own status is 0 where there is a
# recording: the step "Pass or fail" ends with that of `traceonce run`, when everything has been reported.
set -uo pipefail
: "${PROGRAM:?what follows traceonce run}"

recording="$RUNNER_TEMP/traceonce.jsonl"
report="$RUNNER_TEMP/traceonce.md"
sarif="$RUNNER_TEMP/traceonce.sarif"
rm -f "$recording" "$report" "$sarif"

# Words as a shell reads them, but nothing in them is expanded or executed.
mapfile -d '' -t program < <(
    python -c 'import shlex, sys; sys.stdout.write("".join(word + "\0" for word in shlex.split(sys.argv[1])))' "$PROGRAM"
)

options=(--recording "$recording" --format github)
[ -n "${BASELINE:-}" ] && options+=(--baseline "$BASELINE")
read -ra verdicts <<< "${FAIL_ON:-}"
for verdict in "${verdicts[@]}"; do
    options+=(--fail-on "$verdict")
done

traceonce run "${options[@]}" "${program[@]}"
status=$?
[ -e "$recording" ] || exit "$status"

traceonce report "$recording" --format markdown -o "$report" && cat "$report" >> "$GITHUB_STEP_SUMMARY"
traceonce report "$recording" --format sarif -o "$sarif"

{
    echo "status=$status"
    echo "recording=$recording"
    echo "report=$report"
    if [ -e "$sarif" ]; then echo "sarif=$sarif"; fi
} >> "$GITHUB_OUTPUT"
