"""The server of the lab: one page, its files, and what it asks for; all work is done in processes of their own."""

import asyncio
import secrets
import socket
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from json import JSONDecodeError, dumps, loads
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from learnable.lab import served
from learnable.lab.guard import Guard
from learnable.lab.limits import LIMITS, Limits, Refused
from learnable.lab.sessions import SLOTS, Run, Session, Sessions
from learnable.lab.workers import Stopped, Worker

PORT = 8740
FOR_EVER = "public, max-age=31536000, immutable"
PATIENCE = 2.0
"""Seconds that a page waits for news of a run in one request."""

EXPORTS = {
    "film": ("html", "text/html; charset=utf-8"),
    "code": ("py", "text/x-python; charset=utf-8"),
    "certificate": ("json", "application/json"),
}

Handler = Callable[[Request], Awaitable[Response]]


class Lab:
    """The application.

    Parameters
    ----------
    port : where it will listen; requests for any other host are refused.
    limits : what one page may ask of the machine.
    table : a file that every page is offered, as {"name", "path"}.
    warm : whether the library is imported at the start, and not when it is first needed.

    Attributes
    ----------
    token : what every request under /api/ must bring.
    app : the ASGI application.
    """

    def __init__(
        self, port: int = PORT, limits: Limits = LIMITS, table: dict[str, str] | None = None, warm: bool = True
    ):
        self.limits, self.table, self.port, self._warm = limits, table, port, warm
        self.token = secrets.token_urlsafe(24)
        self.sessions = Sessions(limits)
        self._common = Worker(limits)
        self._kept: dict[str, bytes] = {}
        self._lock = asyncio.Lock()
        # A thread waits for each piece of work; there is one for every place of every session: none blocks another.
        self._threads = ThreadPoolExecutor(len(SLOTS) * limits.sessions + 2, thread_name_prefix="lab")
        self._tasks: set[asyncio.Task] = set()
        routes = [
            Route("/", _page),
            Route("/files/{version}/{path:path}", _file),
            Route("/api/sessions", self._answering(self._open), methods=["POST"]),
            Route("/api/{session}/close", self._answering(self._close), methods=["POST"]),
            Route("/api/{session}/alive", self._answering(self._alive)),
            Route("/api/{session}/catalogue", self._answering(self._catalogue)),
            Route("/api/{session}/tables", self._answering(self._upload), methods=["POST"]),
            Route("/api/{session}/ask/{name}", self._answering(self._ask), methods=["POST"]),
            Route("/api/{session}/{slot}/run", self._answering(self._run), methods=["POST"]),
            Route("/api/{session}/{slot}/run", self._answering(self._news)),
            Route("/api/{session}/{slot}/cancel", self._answering(self._cancel), methods=["POST"]),
            Route("/api/{session}/{slot}/tamper", self._answering(self._tamper), methods=["POST"]),
            Route("/api/{session}/{slot}/export/{what}", self._answering(self._export)),
        ]
        inner = Starlette(routes=routes, lifespan=self._lifespan)
        self.app = Guard(inner, self.token, port, limits)

    @property
    def address(self) -> str:
        """Where to open the page; what follows the # never leaves the browser."""
        return f"http://127.0.0.1:{self.port}/#token={self.token}"

    @asynccontextmanager
    async def _lifespan(self, app: Starlette):
        # The library is imported while the user opens the page.
        if self._warm:
            self._background(self._warmed())
        yield
        for task in self._tasks:
            task.cancel()
        self.sessions.close_all()
        self._common.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _answering(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except Refused as refusal:
                return _as_json({"error": str(refusal)}, refusal.code)
            except Stopped:
                return _as_json({"error": "cancelled"}, 409)
            except ClientDisconnect:
                return Response(status_code=400)

        return answer

    async def _work(self, worker: Worker, name: str, asked: dict[str, Any], seconds: float) -> bytes:
        worker.reserve()
        return await self._performed(worker, name, asked, seconds)

    async def _performed(self, worker: Worker, name: str, asked: dict[str, Any], seconds: float) -> bytes:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, worker.perform, name, asked, seconds)

    def _background(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _body(self, request: Request) -> bytes:
        """The body, refused once it is too long or too slow."""
        content = bytearray()
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for chunk in request.stream():
                    content += chunk
                    if len(content) > self.limits.body:
                        raise Refused(f"a request has at most {self.limits.body} bytes", 413)
        except TimeoutError:
            raise Refused(f"the request did not arrive within {self.limits.body_seconds:g} seconds", 408) from None
        return bytes(content)

    async def _asked(self, request: Request) -> dict[str, Any]:
        try:
            asked = loads(await self._body(request))
        except (JSONDecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise Refused("the body must be JSON") from fault
        if not isinstance(asked, dict):
            raise Refused("the body must be a JSON object")
        return asked

    def _session(self, request: Request) -> Session:
        return self.sessions.get(request.path_params["session"])

    async def _open(self, request: Request) -> Response:
        return _as_json({"session": self.sessions.open().name, "table": self.table and self.table["name"]})

    async def _close(self, request: Request) -> Response:
        self.sessions.close(request.path_params["session"])
        return _as_json({"closed": True})

    async def _alive(self, request: Request) -> Response:
        self._session(request)
        return _as_json({"alive": True})

    async def _catalogue(self, request: Request) -> Response:
        self._session(request)
        return _sent(await self._catalogued("catalogue"))

    async def _warmed(self) -> None:
        with suppress(Refused, Stopped):  # whoever asks for it is told
            await self._catalogued("catalogue")

    async def _catalogued(self, name: str) -> bytes:
        """What is the same for every page, worked out once."""
        async with self._lock:
            if name not in self._kept:
                self._kept[name] = await self._work(self._common, name, {}, self.limits.seconds)
            return self._kept[name]

    async def _upload(self, request: Request) -> Response:
        session = self._session(request)
        if request.query_params.get("own") and self.table is not None:
            asked: dict[str, Any] = dict(self.table)
        else:
            name = request.query_params.get("name", "table.csv")[-80:]
            asked = {"name": name, "bytes": await self._body(request)}
        answer = await self._question(session, "look", asked)
        session.keep(asked["name"], asked)
        return _sent(answer)

    async def _ask(self, request: Request) -> Response:
        """A question that needs no run: to the theory, about a row, its examples, all rows."""
        session, name = self._session(request), request.path_params["name"]
        if name not in ("theory", "row", "rows", "example"):
            raise Refused(f"there is nothing called {name!r}", 404)
        asked = await self._asked(request)
        if name == "rows":
            return _sent(await self._catalogued("rows"))
        return _sent(await self._question(session, name, asked))

    async def _question(self, session: Session, name: str, asked: dict[str, Any]) -> bytes:
        async with session.asking:
            return await self._work(session.worker("theory"), name, asked, self.limits.question_seconds)

    async def _run(self, request: Request) -> Response:
        session, slot = self._session(request), request.path_params["slot"]
        asked = await self._asked(request)
        table = asked.get("table")
        if not isinstance(table, dict):
            raise Refused("a run needs a table")
        if table.get("uploaded"):
            kept = session.tables.get(str(table.get("name")))
            if kept is None:
                raise Refused(f"the table {table.get('name')!r} is not here any more; upload it again", 410)
            asked["table"] = kept | {"target": table.get("target")}
        else:
            asked["table"] = {key: table[key] for key in ("name", "points", "target") if key in table}
        run = session.begin(slot)
        self._background(self._follow(session.worker(slot), run, asked))
        return _as_json({"run": run.number})

    async def _follow(self, worker: Worker, run: Run, asked: dict[str, Any]) -> None:
        try:
            run.answer = await self._performed(worker, "run", asked, self.limits.seconds)
            run.state = "done"
        except Refused as refusal:
            run.state, run.sentence, run.code = "refused", str(refusal), refusal.code
        except Stopped:
            run.state, run.sentence = "cancelled", "cancelled"

    async def _news(self, request: Request) -> Response:
        """How a run stands: waits a while for its end, or for more steps than the page knows of."""
        session, slot = self._session(request), request.path_params["slot"]
        worker, run = session.worker(slot), session.runs.get(slot)
        if run is None:
            raise Refused("there is no run here", 404)
        known = request.query_params.get("steps", "-1")
        loop = asyncio.get_running_loop()
        ends = loop.time() + PATIENCE
        while run.state == "running" and loop.time() < ends and str(worker.steps) == known:
            await asyncio.sleep(0.03)
        if run.state == "done":
            return _sent(run.answer)
        if run.state == "running":
            seconds = time.monotonic() - run.began
            return _as_json(
                {"state": "running", "run": run.number, "steps": worker.steps, "seconds": round(seconds, 1)}
            )
        return _as_json({"state": run.state, "error": run.sentence}, 200 if run.state == "cancelled" else run.code)

    async def _cancel(self, request: Request) -> Response:
        self._session(request).worker(request.path_params["slot"]).stop()
        return _as_json({"cancelled": True})

    async def _tamper(self, request: Request) -> Response:
        session, slot = self._session(request), request.path_params["slot"]
        asked = await self._asked(request)
        return _sent(await self._work(session.worker(slot), "tamper", asked, self.limits.question_seconds))

    async def _export(self, request: Request) -> Response:
        session, slot, what = self._session(request), request.path_params["slot"], request.path_params["what"]
        if what not in EXPORTS:
            raise Refused(f"there is nothing called {what!r} to export", 404)
        suffix, kind = EXPORTS[what]
        content = await self._work(session.worker(slot), what, {}, self.limits.question_seconds)
        return _sent(content, kind, {"content-disposition": f'attachment; filename="{what}.{suffix}"'})


def _as_json(content: dict[str, Any], code: int = 200) -> Response:
    return Response(dumps(content).encode(), code, {"cache-control": "no-store"}, "application/json")


def _sent(content: bytes, kind: str = "application/json", headers: dict[str, str] | None = None) -> Response:
    """What a process made; it has compressed what is large."""
    packed = {"content-encoding": "gzip"} if content.startswith(b"\x1f\x8b") else {}
    return Response(content, 200, {"cache-control": "no-store", **packed, **(headers or {})}, kind)


async def _page(request: Request) -> Response:
    return Response(served.page(), 200, {"cache-control": "no-store"}, "text/html; charset=utf-8")


async def _file(request: Request) -> Response:
    file = served.shelf().get(request.path_params["path"])
    if file is None or request.path_params["version"] != served.version():
        return Response("there is no such file; reload the page", 404)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {"cache-control": FOR_EVER, "vary": "accept-encoding", "content-encoding": "gzip"}
        return Response(file.packed, 200, headers, file.kind)
    return Response(file.plain, 200, {"cache-control": FOR_EVER, "vary": "accept-encoding"}, file.kind)


def listening(port: int | None = None) -> socket.socket:
    """A socket on the loopback: at the port asked for, else at the usual one or the next that is free."""
    for each in [port] if port is not None else [*range(PORT, PORT + 20), 0]:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(("127.0.0.1", each))
        except OSError as fault:
            made.close()
            if port is not None:
                raise Refused(f"port {port} cannot be used: {fault.strerror}; leave out --port") from fault
            continue
        made.listen(128)
        return made
    raise Refused("no port of the loopback is free")


def serve(lab: Lab, bound: socket.socket) -> None:
    """Answer until interrupted."""
    import uvicorn

    config = uvicorn.Config(
        lab.app, log_level="error", access_log=False, server_header=False, timeout_keep_alive=30,
        limit_concurrency=400, timeout_graceful_shutdown=2, lifespan="on",
    )  # fmt: skip
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[bound])
