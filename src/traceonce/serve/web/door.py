"""Signing in with the server's token, where it has one, and out again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from traceonce.serve.auth import COOKIE, Gate
from traceonce.serve.web.form_input import form_of
from traceonce.serve.web.renderer import render
from traceonce.serve.web.speech import Speech
from traceonce.serve.web.visitor import Visitor

START = "/recordings"


def make_door(gate: Gate) -> APIRouter:
    """The way in and out."""
    router = APIRouter(include_in_schema=False)

    @router.get("/login")
    def ask(request: Request, next: Annotated[str, Query(max_length=2000)] = START) -> Response:
        if gate.knows(request.cookies):
            return RedirectResponse(inside(next), 303)
        return _page(request, inside(next))

    @router.post("/login")
    async def enter(request: Request) -> Response:
        fields = await form_of(request)
        target = inside(fields.get("next", START))
        if not gate.accepts(fields.get("token", "").strip(), request):
            problem = Speech(Visitor.of(request).language).say("wrong_token")
            return _page(request, target, problem, 401)
        response = RedirectResponse(target, 303)
        gate.let_in(response, secure=request.scope["scheme"] == "https")
        return response

    @router.post("/logout")
    def leave() -> Response:
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
        return response

    return router


def inside(target: str) -> str:
    """Where to go after signing in: a page of this server, never one of another (`//host`, `/\\host`)."""
    is_ours = target.startswith("/") and target[1:2] not in ("/", "\\") and target.isprintable()
    return target if is_ours else START


def _page(request: Request, target: str, problem: str | None = None, status: int = 200) -> Response:
    return render(request, "login", {"next": target, "problem": problem}, status, signed_out=True)
