"""What Alembic runs: the steps, on the connection and in the transaction that `serve/schema_upgrade.py` has opened."""

from alembic import context

from traceonce.serve.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    target_metadata=metadata,
)
context.run_migrations()
