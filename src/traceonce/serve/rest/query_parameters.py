"""What several routes are asked with."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Query

from traceonce.words.translated import Language

API = "/api/v1"

Limit: TypeAlias = Annotated[int, Query(ge=1, le=200, description="Maximum number.")]
Offset: TypeAlias = Annotated[int, Query(ge=0, le=1_000_000_000, description="How many to skip.")]
Search: TypeAlias = Annotated[str, Query(max_length=200, description="Words that must all occur.")]
Lang: TypeAlias = Annotated[Language, Query(description="The language of the answer.")]
