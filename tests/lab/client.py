"""A lab in a thread of the tests, and a client that can say anything to it."""

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from learnable.lab.limits import LIMITS, Limits
from learnable.lab.server import Lab, listening


class Answer:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse):
        self.code, self.headers, self.body = response.status, response.headers, response.read()

    def json(self) -> Any:
        return json.loads(gzip.decompress(self.body) if self.headers["content-encoding"] == "gzip" else self.body)


class Client:
    """Requests to a lab, with its token unless told otherwise."""

    def __init__(self, lab: Lab):
        self.lab = lab

    def ask(self, method: str, path: str, body: Any = None, **headers: str | None) -> Answer:
        sent = {"X-Lab-Token": self.lab.token, "Accept-Encoding": "gzip"} | {
            name.replace("_", "-"): value for name, value in headers.items() if value is not None
        }
        sent = {name: value for name, value in sent.items() if value != ""}
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        line = http.client.HTTPConnection("127.0.0.1", self.lab.port)
        try:
            line.request(method, path, content, sent)
            return Answer(line.getresponse())
        finally:
            line.close()

    def session(self) -> str:
        return self.ask("POST", "/api/sessions").json()["session"]

    def run(self, session: str, slot: str = "first", **asked: Any) -> Any:
        """A run to its end."""
        begun = self.ask("POST", f"/api/{session}/{slot}/run", {"table": {"name": "example"}, **asked})
        assert begun.code == 200, begun.json()
        return self.ended(session, slot)

    def ended(self, session: str, slot: str = "first") -> Any:
        steps = -1
        while True:
            news = self.ask("GET", f"/api/{session}/{slot}/run?steps={steps}").json()
            if news.get("state") != "running":
                return news
            steps = news["steps"]


@contextmanager
def lab(limits: Limits = LIMITS, **options: Any) -> Iterator[Client]:
    """An open lab."""
    bound = listening(0)
    made = Lab(bound.getsockname()[1], limits, warm=False, **options)
    server = uvicorn.Server(uvicorn.Config(made.app, log_level="error", access_log=False, lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield Client(made)
    finally:
        server.should_exit = True
        thread.join(30)
        bound.close()
