"""A recording, understood once: its diagnoses, with fixes and records, and what it is held to.

This room puts `diagnosis`, `fix`, `limits`, `knowledge` and `report` together, so that everything above it (the
commands, the server, the prover, the integrations, the API) says the same of the same recording.
"""
