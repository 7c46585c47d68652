"""The door of the lab: who may ask (this machine, this page, with the token), how much, and what the page may load."""

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from learnable.lab.limits import Limits

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TOKEN = b"x-lab-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
]


class Guard:
    """Wraps an application: refuses what does not come from the lab's own page.

    A foreign `Host` (a name that somebody points at this machine) or `Origin` (a page of somebody else) gets 403.
    Everything under /api/ needs the token of the lab, which only the address printed at its start holds.
    """

    def __init__(self, app: Any, token: str, port: int, limits: Limits):
        self.app, self.limits = app, limits
        self._token = token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(send, *refusal)
            return

        async def covered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self.app(scope, receive, covered)

    def _refusal(self, scope: Any, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        host = headers.get(b"host", b"")
        if host not in self._hosts:
            return 403, "this lab answers only to 127.0.0.1 and localhost, at its own port"
        origin = headers.get(b"origin")
        if origin is not None and origin != b"http://" + host:
            return 403, "this lab answers only to its own page"
        if scope["path"].startswith("/api/") and not hmac.compare_digest(headers.get(TOKEN, b""), self._token):
            return 401, "the token is missing or wrong; open the address that `learnable lab` printed"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.limits.body:
            return 413, f"a request has at most {self.limits.body} bytes"
        return None


async def _refuse(send: Send, code: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()),
               (b"connection", b"close"), *HEADERS]  # fmt: skip
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
