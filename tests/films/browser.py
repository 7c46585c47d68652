"""A real browser without a screen: Chromium, driven over a pipe by its own protocol (DevTools)."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Copies out of the way first: the pipes may have these very numbers.
_AS_3_AND_4 = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(text), fcntl.F_DUPFD, 10) for text in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def chromium() -> str | None:
    """Where Chromium is; None on machines without it."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    """One page at a time, asked `patience` times before it is given up.

    `troubles` are errors of the console, refused scripts and requests that leave the page.
    """

    def __init__(self, program: str, patience: int = 2400):
        self.patience = patience
        self._home = tempfile.TemporaryDirectory(prefix="film-browser-", ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # The protocol speaks through descriptors 3 and 4 of the browser.
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-dev-shm-usage", "--disable-background-networking", "--remote-debugging-pipe",
            f"--user-data-dir={self._home.name}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _AS_3_AND_4, str(to_read), str(to_write), *arguments],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number, self._session = b"", 0, None
        self.troubles: list[str] = []
        self.home = "file:"
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, path: Path, width: int = 1200, height: int = 900, scheme: str = "light") -> None:
        """Load a file in a window of some size, in light or dark, and wait until the film is there."""
        self.visit(path.absolute().as_uri(), width, height, scheme)
        self.wait("document.readyState === 'complete' && !!document.getElementById('film')?.player")

    def visit(self, address: str, width: int = 1200, height: int = 900, scheme: str = "light", home: str = "") -> None:
        """Load an address; requests to anywhere but files and `home` are troubles."""
        self.home = home or "file:"
        self.troubles.clear()
        self.resize(width, height)
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._call("Page.navigate", url=address)

    def resize(self, width: int, height: int) -> None:
        """A window of another size, that of a telephone if it is narrow."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition is true in the page."""
        for _ in range(self.patience):
            if self.run(condition):
                return
            time.sleep(0.05)
        raise TimeoutError(f"the page never came to: {condition}; {self.troubles}")

    def press(self, key: str) -> None:
        """A key, as a user presses it."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
        """The mouse pressed at one place of the window, moved, and released at another."""
        places = [(start[0] + k * (end[0] - start[0]) / steps, start[1] + k * (end[1] - start[1]) / steps)
                  for k in range(steps + 1)]  # fmt: skip
        for kind, (x, y) in [
            ("mousePressed", places[0]),
            *(("mouseMoved", at) for at in places),
            ("mouseReleased", places[-1]),
        ]:
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Within it `run` and `wait` are about the page within the page, which is one of its own."""
        outer = self._session
        targets = self._call("Target.getTargets")["targetInfos"]
        inner = next(target["targetId"] for target in targets if target["type"] == "iframe")
        self._session = self._call("Target.attachToTarget", targetId=inner, flatten=True)["sessionId"]
        try:
            yield
        finally:
            self._session = outer

    def picture(self, path: Path) -> None:
        """The whole page as PNG."""
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        os.close(self._write)
        os.close(self._read)
        self._home.cleanup()

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._read, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.troubles.append(str(params["exceptionDetails"]))
        elif (method == "Log.entryAdded" and params["entry"]["level"] == "error") or (
            method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning")
        ):
            self.troubles.append(json.dumps(params))
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(
            (self.home, "data:", "blob:")
        ):
            self.troubles.append(f"request to {params['request']['url']}")
