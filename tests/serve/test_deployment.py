"""The container of the server: the command and the health check of its files, against a real server."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.serve.test_serve_command import TOKEN, running, surroundings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yml").read_text(encoding="utf-8"))


def words_of(instruction: str) -> list[str]:
    """The words of the last CMD, or of the HEALTHCHECK."""
    found: list[str] = json.loads(re.findall(rf"^{instruction}.*?(\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    return found


def check_health(home: Path, port: int, token: str) -> int:
    program, *arguments = words_of("HEALTHCHECK .* CMD")
    assert program == "python"
    words = [word.replace(":8765/", f":{port}/") for word in arguments]
    done = subprocess.run(
        [sys.executable, *words], env=surroundings(home, TRACEONCE_TOKEN=token), capture_output=True, timeout=60
    )
    return done.returncode


def test_the_health_check_tells_a_server_that_answers_from_one_that_does_not(tmp_path: Path) -> None:
    program, subcommand, *options = words_of("CMD")
    assert (program, subcommand) == ("traceonce", "serve")
    with running(tmp_path, *options, TRACEONCE_TOKEN=TOKEN) as (process, host, port):
        assert host == "0.0.0.0"
        assert check_health(tmp_path, port, TOKEN) == 0
        assert check_health(tmp_path, port, "another-token-altogether") == 1
        process.kill()
        process.wait()
        assert check_health(tmp_path, port, TOKEN) == 1


def test_compose_gives_the_server_what_it_reads() -> None:
    """Both secrets are required, the port is for this machine alone, and the database is the one beside it."""
    server, postgres = COMPOSE["services"]["server"], COMPOSE["services"]["postgres"]
    assert set(server["environment"]) == {"TRACEONCE_TOKEN", "TRACEONCE_DATABASE"}
    assert all(":?" in value for value in server["environment"].values())
    assert server["ports"] == ["127.0.0.1:8765:8765"]
    assert "@postgres/traceonce" in server["environment"]["TRACEONCE_DATABASE"]
    assert postgres["environment"]["POSTGRES_DB"] == postgres["environment"]["POSTGRES_USER"] == "traceonce"
    assert server["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert "HEALTHCHECK" in DOCKERFILE
    assert "healthcheck" in postgres


def test_the_image_has_all_that_the_build_reads() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    project = (ROOT / "pyproject.toml").read_text()
    assert {"src", "pyproject.toml", "README.md", "LICENSE", "traceonce.pth"} <= sent
    for name in (*re.findall(r'readme = "(.*?)"', project), *re.findall(r'^"(.*?\.pth)" =', project, re.MULTILINE)):
        assert name in sent
