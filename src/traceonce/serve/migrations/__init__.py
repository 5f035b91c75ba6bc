"""The history of the database's form. Alembic runs it; `serve/schema_upgrade.py` starts Alembic."""
