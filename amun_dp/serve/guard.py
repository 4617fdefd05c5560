"""Who may ask. Every request passes here, before anything else looks at it.

The page is for whoever started the server: a token in the address that was printed gives a cookie, and nothing is
answered without it. A web site in the same browser cannot use it: the cookie is not sent along from elsewhere
(SameSite), the Host must be this one (a name that was rebound to 127.0.0.1 is refused), and what changes something must
come from this very origin.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""For a report of a release, which anybody may have written: it can show itself and do nothing. (Its one style is
inline.)"""
SAFE_METHODS = frozenset({"GET", "HEAD"})

_ENTER = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="data:,"><title>amun-dp</title><p><a href="/">Go on</a></p></html>"""
_STAY_OUT = (
    "This page belongs to whoever started it. Use the whole address that amun-dp serve printed, with its token.\n"
)


@dataclass(frozen=True, slots=True)
class Keys:
    """What lets a browser in. ``token`` is in the address that is opened, ``session`` in the cookie that it gives."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Cookies know no ports: another server on this machine must not overwrite it."""
        return f"amun-dp-{self.port}"


class Guard:
    """ASGI middleware: refuses, or passes on and adds the headers of every answer."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no websockets here
            return
        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        keys, headers, method = self._keys, Headers(scope=scope), scope["method"]
        hosts = {f"127.0.0.1:{keys.port}": keys.origin, f"localhost:{keys.port}": f"http://localhost:{keys.port}"}
        if headers.get("host") not in hosts:
            return PlainTextResponse("This server answers to 127.0.0.1 only.\n", 421)
        origin = headers.get("origin")
        own = hosts[headers["host"]]
        if origin is not None and origin != own:
            return PlainTextResponse("That came from another web site.\n", 403)
        if method not in SAFE_METHODS and origin is None:
            return PlainTextResponse("That did not come from the page.\n", 403)
        entering = scope["path"] == "/" and method == "GET" and self._has_token(scope)
        # A link on another site may open the page by its whole address, which that site does not know.
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not entering:
            return PlainTextResponse("That came from another web site.\n", 403)
        if entering:
            answer = HTMLResponse(_ENTER)
            answer.set_cookie(keys.cookie, keys.session, httponly=True, samesite="strict", path="/")
            return answer
        if not self._has_cookie(headers):
            return PlainTextResponse(_STAY_OUT, 403)
        return None

    def _has_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return compare_digest(given.encode(), self._keys.token.encode())

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._keys.cookie)
        except CookieError:
            return False
        return found is not None and compare_digest(found.value.encode(), self._keys.session.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("content-security-policy", PAGE_POLICY)
            headers.setdefault("cache-control", "no-store")
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "no-referrer"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
        await send(message)

    return sending
