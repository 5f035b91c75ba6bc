"""``python -m traceonce``."""

from traceonce.commands.main import main

main()
