"""The history of the database's form. Alembic runs it; `serve/preparing.py` starts Alembic."""
