"""The command line: one file per subcommand, and `main.py`, which knows them. Nobody imports this room."""
