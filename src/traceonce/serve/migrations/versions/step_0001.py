"""Recordings and outcomes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "recordings",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("uploaded", sa.String(32), nullable=False, index=True),
        sa.Column("searched", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "outcomes",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("record", sa.String(200), nullable=False, index=True),
        sa.Column("workaround", sa.Integer, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("worked", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("date", sa.String(10), nullable=False),
    )
