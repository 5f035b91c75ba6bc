"""The command line: one file per subcommand. This room composes the others, and nobody imports it."""
