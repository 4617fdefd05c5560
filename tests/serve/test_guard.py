"""Who may ask."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from amun_dp.serve.guard import PAGE_POLICY, Keys
from tests.serve.page import client_of, desk_below

KEYS = Keys(4711, token="the-token", session="the-session")


@pytest.fixture
def client(tmp_path: object) -> TestClient:
    return client_of(desk_below(tmp_path), KEYS)


def entered(client: TestClient) -> TestClient:
    client.get(KEYS.address)
    return client


def test_without_token_nothing_is_answered_but_the_way_in(client: TestClient) -> None:
    for path in ("/", "/section/log", "/static/page.js", "/job/1", "/file?release=x&name=report.json", "/nowhere"):
        answer = client.get(path)
        assert answer.status_code == 403
        assert "amun-dp serve printed" in answer.text


@pytest.mark.parametrize("token", ["", "the-toke", "the-tokenn", "THE-TOKEN", "the-session", "é"])
def test_a_wrong_token_gives_no_cookie(client: TestClient, token: str) -> None:
    answer = client.get(KEYS.origin, params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_the_token_gives_a_cookie_that_scripts_and_other_sites_cannot_use(client: TestClient) -> None:
    answer = client.get(KEYS.address)
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "the-token" not in cookie
    assert client.get("/").status_code == 200


def test_the_cookie_is_for_this_page_alone_because_browsers_send_cookies_to_every_port(client: TestClient) -> None:
    answer = client.get(KEYS.address)
    assert f"path={KEYS.path}" in answer.headers["set-cookie"].lower()
    assert len(KEYS.path) > 16
    assert Keys(1).path != Keys(1).path
    assert f"url={KEYS.path}" in answer.text


def test_an_odd_cookie_of_another_program_locks_nobody_out(client: TestClient) -> None:
    value = f'prefs={{"theme":"dark"}}; {KEYS.cookie}={KEYS.session}; =; ;;'
    assert client.get("/", headers={"cookie": value}).status_code == 200
    assert client.get("/", headers={"cookie": 'prefs={"theme":"dark"}'}).status_code == 403


def test_an_answer_to_a_mistake_of_ours_carries_the_policy_too(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> str:
        raise RuntimeError("Jane Doe 4711")

    monkeypatch.setattr("amun_dp.serve.app.render_page", broken)
    answer = entered(client).get("/")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    assert "Jane" not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:4712",
        "evil.example:4711",
        "127.0.0.1.evil.example:4711",
        "[::1]:4711",
        "",
    ],
)
def test_another_host_is_refused_even_with_the_cookie(client: TestClient, host: str) -> None:
    assert entered(client).get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:4712", "https://127.0.0.1:4711"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/log"), ("PUT", "/upload"), ("POST", "/cancel"), ("GET", "/")])
def test_another_origin_is_refused_even_with_the_cookie(
    client: TestClient, origin: str, method: str, path: str
) -> None:
    assert entered(client).request(method, path, headers={"origin": origin}, json={}).status_code == 403


def test_what_changes_something_needs_an_origin(client: TestClient) -> None:
    del client.headers["origin"]
    assert entered(client).post("/log", json={}).status_code == 403


def test_a_form_of_a_page_is_taken_and_one_that_is_no_json_is_not(client: TestClient) -> None:
    entered(client)
    assert client.post("/log", json={"log": "no-such.xes"}).status_code == 422
    assert client.post("/log", content=b"log=x", headers={"content-type": "text/plain"}).status_code == 422


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_embed_what_the_page_serves(client: TestClient, site: str) -> None:
    assert entered(client).get("/section/history", headers={"sec-fetch-site": site}).status_code == 403


def test_a_link_with_the_token_opens_the_page_from_anywhere(client: TestClient) -> None:
    answer = client.get(KEYS.address, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/", "/section/log", "/static/page.css", "/nowhere", "/job/99"])
def test_every_answer_carries_the_policy(client: TestClient, path: str) -> None:
    for answer in (client.get(path), entered(client).get(path)):
        assert answer.headers["content-security-policy"] == PAGE_POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_policy_admits_nothing_from_outside_and_no_inline_script() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in PAGE_POLICY.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert set(" ".join(rules.values()).split()) == {"'self'", "'none'", "data:"}
    assert rules["script-src"] == "'self'"


def test_keys_are_long_and_never_the_same() -> None:
    one, other = Keys(1), Keys(1)
    assert len({one.token, one.session, other.token, other.session}) == 4
    assert min(len(one.token), len(one.session)) >= 40
    assert one.token not in repr(one)
