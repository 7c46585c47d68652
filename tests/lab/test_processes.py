"""Work in processes of its own: it can be cancelled, has its time, ends with the lab, and none blocks another."""

import gzip
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.lab.client import Client, lab

from learnable.lab.limits import LIMITS, Refused
from learnable.lab.workers import Stopped, Worker

LONG = {"algorithm": "QLearning", "parameters": {"n_steps": "100000000"}, "table": {"name": "grid world"}}
SHORT = {"algorithm": "LinearRegression", "parameters": {}, "table": {"name": "line with noise"}}


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Iterator[Client]:
    file = tmp_path_factory.mktemp("lab") / "own.csv"
    file.write_text("size,price\n" + "\n".join(f"{k},{2 * k + k % 3}" for k in range(30)))
    with lab(LIMITS, table={"name": "own.csv", "path": str(file)}) as opened:
        yield opened


def test_a_long_fit_is_cancelled_at_once_and_blocks_neither_its_own_session_nor_others(client):
    one, other = client.session(), client.session()
    assert client.ask("POST", f"/api/{one}/first/run", LONG).code == 200
    assert client.ask("POST", f"/api/{one}/first/run", SHORT).code == 409, "one run at a time in one place"
    for session, slot in ((one, "second"), (other, "first")):
        assert client.run(session, slot, **SHORT)["verdict"] == "proved"
    asked = {"question": "growth", "d": 3, "m": 10}
    assert client.ask("POST", f"/api/{one}/ask/theory", asked).json()["exact"][-1] == "176"
    assert client.ask("GET", f"/api/{one}/first/run").json()["state"] == "running"
    assert client.ask("POST", f"/api/{one}/first/cancel").json() == {"cancelled": True}
    assert client.ended(one) == {"state": "cancelled", "error": "cancelled"}
    assert client.ask("POST", f"/api/{one}/first/tamper", {"moves": []}).code == 409, "there is no answer any more"
    assert client.run(one, **SHORT)["verdict"] == "proved", "the place is free again"
    assert client.ask("POST", f"/api/{one}/first/run", LONG).code == 200
    worker = client.lab.sessions.get(one).workers["first"]
    client.ask("POST", f"/api/{one}/close")
    while worker.busy:
        time.sleep(0.01)
    assert worker._process is None, "a closed page leaves no process behind"


def test_accepted_work_that_is_stopped_before_it_begins_never_begins():
    worker = Worker(LIMITS)
    worker.reserve()
    with pytest.raises(Refused, match="still going on"):
        worker.reserve()
    worker.stop()
    with pytest.raises(Stopped):
        worker.perform("run", LONG, 60.0)
    assert worker._process is None
    assert not worker.busy


def test_what_takes_too_long_is_stopped_with_the_limit_in_words(client):
    session = client.session()
    client.lab.limits = LIMITS._replace(seconds=0.5)
    try:
        ended = client.run(session, **LONG)
    finally:
        client.lab.limits = LIMITS
    assert "0.5 seconds" in ended["error"]
    assert client.run(session, **SHORT)["verdict"] == "proved"


def test_twenty_sessions_run_at_once_each_with_its_own_points_and_answer(client):
    client.lab.sessions.close_all()
    sessions = [client.session() for _ in range(20)]

    def slope(place: int) -> float:
        points = [[k / 4, (place + 1) * k / 4, 0] for k in range(12)]
        ran = client.run(sessions[place], algorithm="LinearRegression", table={"points": points})
        assert ran.get("verdict") == "proved", ran
        return ran["numbers"][0]["values"][0]

    with ThreadPoolExecutor(20) as pool:
        slopes = list(pool.map(slope, range(20)))
    assert slopes == pytest.approx([place + 1 for place in range(20)], rel=1e-9)
    client.lab.sessions.close_all()


def test_the_table_of_the_command_line_is_offered_and_exports_are_what_they_say(client):
    session = client.session()
    table = client.ask("POST", f"/api/{session}/tables?own=1").json()
    assert [column["name"] for column in table["columns"]] == ["size", "price"]
    asked = {"algorithm": "Ridge", "parameters": {"alpha": "0.1"}, "table": {"name": "own.csv", "uploaded": True}}
    assert client.run(session, **asked)["verdict"] == "proved"
    exports = {
        what: client.ask("GET", f"/api/{session}/first/export/{what}") for what in ("film", "code", "certificate")
    }
    for what, sent in exports.items():
        assert f'filename="{what}.' in sent.headers["content-disposition"]
    text = {
        what: gzip.decompress(sent.body) if sent.body[:2] == b"\x1f\x8b" else sent.body
        for what, sent in exports.items()
    }
    assert text["film"].startswith(b"<!doctype html>")
    assert b"Ridge(alpha=0.1" in text["code"]
    assert json.loads(text["certificate"])["verdict"] == "proved"
    assert client.ask("GET", f"/api/{session}/first/export/model").code == 404
    sent = client.ask("POST", f"/api/{session}/tables?name=b.csv", b"size,kind\n" + b"1.5,a\n2.5,b\n" * 9).json()
    assert (sent["rows"], sent["columns"][1]) == (18, {"name": "kind", "kind": "category"})
    for name, content in (("a.csv", b"\x00\x01"), ("a.csv", b""), ("a.csv", b"x,x\n1,2\n")):
        refused = client.ask("POST", f"/api/{session}/tables?name={name}", content)
        assert (refused.code, bool(refused.json()["error"])) == (400, True), content
