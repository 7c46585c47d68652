"""The door of the lab: who is let in, how much may be asked, what the page may load. No process is begun here."""

from collections.abc import Iterator

import pytest
from tests.lab.client import Client, lab

from learnable.lab import served
from learnable.lab.limits import LIMITS


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with lab(LIMITS._replace(body=5000, sessions=3)) as opened:
        yield opened


def test_only_this_machine_this_page_and_this_token_are_answered(client):
    port = client.lab.port
    session = client.session()
    paths = ["/", f"/files/{served.version()}/lab/lab.js", f"/api/{session}/alive"]
    foreign = ["evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", "localhost", "[::1]"]
    for path in paths:
        for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
            assert client.ask("GET", path, Host=host).code == 200, (path, host)
            assert client.ask("GET", path, Host=host, Origin=f"http://{host}").code == 200
        for host in foreign:
            assert client.ask("GET", path, Host=host).code == 403, (path, host)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://localhost:{port}"):
            assert client.ask("GET", path, Origin=origin).code == 403, (path, origin)
    writes = ["/api/sessions", f"/api/{session}/close", f"/api/{session}/tables", f"/api/{session}/ask/theory",
              f"/api/{session}/first/run", f"/api/{session}/first/cancel", f"/api/{session}/first/tamper"]  # fmt: skip
    for path in writes:
        for token in ("", "wrong", client.lab.token[:-1], client.lab.token + "x"):
            assert client.ask("POST", path, {}, X_Lab_Token=token).code == 401, (path, token)
        assert client.ask("POST", path, {}, Origin="http://evil.example").code == 403, path
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        assert client.ask(method, f"/api/{session}/close").code == 405, method
    assert client.ask("GET", f"/api/{session}/alive").code == 200, "no refused write has closed the session"
    client.lab.sessions.close_all()


def test_limits_of_bodies_and_sessions_name_themselves(client):
    session = client.session()
    path = f"/api/{session}/first/run"
    large = client.ask("POST", path, b"x" * 5001)
    assert (large.code, "5000 bytes" in large.json()["error"]) == (413, True)
    for length in ("-1", "many"):
        assert client.ask("POST", path, b"{}", Content_Length=length).code in (400, 413), length
    for body in (b"", b"[]", b"{", b"\xff", b'{"table": 3}', b"[" * 4000):
        refused = client.ask("POST", path, body)
        assert (refused.code, bool(refused.json()["error"])) == (400, True), body[:10]
    assert client.ask("POST", f"/api/{session}/third/run", {"table": {}}).code == 404
    assert client.ask("POST", f"/api/{session}/ask/run", {}).code == 404
    more = [client.session() for _ in range(2)]
    full = client.ask("POST", "/api/sessions")
    assert (full.code, "3 pages" in full.json()["error"]) == (429, True)
    client.ask("POST", f"/api/{more[0]}/close")
    assert client.ask("GET", f"/api/{more[0]}/alive").code == 410
    client.session()
    client.lab.sessions.close_all()


def test_the_page_may_load_nothing_from_elsewhere_and_its_files_are_compressed_and_kept(client):
    page = client.ask("GET", "/")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert page.headers["cache-control"] == "no-store"
    text = page.body.decode()
    assert "{version}" not in text
    assert "://" not in text, "the page names nothing from elsewhere"
    for name, file in served.shelf().items():
        sent = client.ask("GET", f"/files/{served.version()}/{name}")
        assert sent.headers["content-encoding"] == "gzip"
        assert "immutable" in sent.headers["cache-control"]
        assert "content-security-policy" in sent.headers
        assert len(file.packed) < len(file.plain)
        if name.endswith(".js"):
            places = file.plain.decode().replace("http://www.w3.org/2000/svg", "")
            assert "://" not in places, f"{name} names something from elsewhere"
    plain = client.ask("GET", f"/files/{served.version()}/lab/lab.js", Accept_Encoding="identity")
    assert plain.body == served.shelf()["lab/lab.js"].plain
    for path in ("../server.py", "lab/../../server.py", "lab/index.html", "%2e%2e/server.py"):
        assert client.ask("GET", f"/files/{served.version()}/{path}").code == 404, path
    assert client.ask("GET", "/files/old/lab/lab.js").code == 404
