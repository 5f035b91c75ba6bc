"""What was found in recordings, so that each is read once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "digests",
        sa.Column("recording", sa.String(32), sa.ForeignKey("recordings.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("form", sa.String(64), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("causes", sa.LargeBinary, nullable=False),
    )
