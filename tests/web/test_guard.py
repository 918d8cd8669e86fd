"""The guard: who may ask, by which name, from which page; and what every answer carries."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from crowdseq.errors import SettingsError
from crowdseq.web.access import Access
from crowdseq.web.app import create_app
from crowdseq.web.guard import HEADERS
from crowdseq.web.settings import WebSettings
from crowdseq.web.texts import HERE
from web.clients import Client

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
JSON = {"content-type": "application/json"}
OURS = {"host": HOST, "origin": ORIGIN, "sec-fetch-site": "same-origin"}


async def _echo(request: Request) -> Response:
    return JSONResponse({"size": len(await request.body())})


async def _fails(_: Request) -> Response:
    raise RuntimeError("a secret text of the corpus")


def app_with(settings: WebSettings | None = None) -> Starlette:
    """The real guard before two routes of the test, which ask nothing of a run."""
    made = create_app("nowhere", settings or WebSettings())
    made.router.routes[:0] = [
        Route("/api/echo", _echo, methods=["GET", "POST"]),
        Route("/api/fails", _fails, methods=["GET", "POST"]),
    ]
    return made


def entered(app: Starlette, base: str = ORIGIN) -> Client:
    """A browser with a session."""
    client = Client(app, base=base)
    token = app.state.access.invite("ada")
    answer = client.post(
        "/enter", json={"token": token}, headers={"origin": base, "sec-fetch-site": "same-origin"}
    )
    assert answer.status_code == 200, answer.text
    return client


@pytest.fixture(scope="module")
def inside() -> Client:
    return entered(app_with())


# host, expected: whatever the page, nothing under a name that is not ours is heard.
HOSTS = [
    (HOST, 200),
    ("localhost:8765", 200),
    ("LOCALHOST:8765", 200),
    ("[::1]:8765", 200),
    ("127.0.0.1", 421),
    ("127.0.0.1:80", 421),
    ("127.0.0.1:87650", 421),
    ("localhost", 421),
    ("localhost.:8765", 421),
    ("evil.example:8765", 421),
    ("127.0.0.1.evil.example:8765", 421),
    ("evil.example#127.0.0.1:8765", 421),
    ("127.0.0.1:8765.evil.example", 421),
    ("user@127.0.0.1:8765", 421),
    ("127.0.0.2:8765", 421),
    ("0.0.0.0:8765", 421),
    ("192.168.0.7:8765", 421),
    ("2130706433:8765", 421),
    ("::1:8765", 421),
    ("[::1]", 421),
    ("[::ffff:127.0.0.1]:8765", 421),
    ("127.0.0.1:8765, evil.example", 421),
    ("127.0.0.1:", 421),
    ("", 421),
]


@pytest.mark.parametrize(("host", "expected"), HOSTS)
def test_only_our_own_names_are_heard(inside: Client, host: str, expected: int) -> None:
    assert inside.get("/api/echo", headers={"host": host}).status_code == expected


# Sec-Fetch-Site, Origin, Content-Type of a change, and the answer.
CHANGES = [
    ("same-origin", ORIGIN, "application/json", 200),
    ("same-origin", None, "application/json", 200),
    (None, ORIGIN, "application/json", 200),
    (None, ORIGIN, "application/json; charset=utf-8", 200),
    (None, None, "application/json", 403),
    ("none", None, "application/json", 403),
    ("none", ORIGIN, "application/json", 403),
    ("same-site", ORIGIN, "application/json", 403),
    ("cross-site", ORIGIN, "application/json", 403),
    ("cross-site", "http://evil.example", "application/json", 403),
    ("same-origin", "http://evil.example", "application/json", 403),
    ("same-origin", "null", "application/json", 403),
    (None, "null", "application/json", 403),
    (None, "http://evil.example", "application/json", 403),
    (None, "http://127.0.0.1", "application/json", 403),
    (None, "http://127.0.0.1:8766", "application/json", 403),
    (None, "https://127.0.0.1:8765", "application/json", 403),
    (None, "http://localhost:8765", "application/json", 403),
    (None, f"{ORIGIN}.evil.example", "application/json", 403),
    (None, f"{ORIGIN}/", "application/json", 403),
    (None, "", "application/json", 403),
    ("Same-Origin", ORIGIN, "application/json", 403),
    ("", ORIGIN, "application/json", 403),
    ("same-origin", ORIGIN, "text/plain", 403),
    ("same-origin", ORIGIN, "application/x-www-form-urlencoded", 403),
    ("same-origin", ORIGIN, "multipart/form-data; boundary=x", 403),
    ("same-origin", ORIGIN, "", 403),
]


@pytest.mark.parametrize(("site", "origin", "kind", "expected"), CHANGES)
def test_changes_come_from_our_own_pages_only(
    inside: Client, site: str | None, origin: str | None, kind: str, expected: int
) -> None:
    given = {"host": HOST, "sec-fetch-site": site, "origin": origin, "content-type": kind}
    headers = {name: value for name, value in given.items() if value is not None}
    assert inside.post("/api/echo", content=b"{}", headers=headers).status_code == expected


# Sec-Fetch-Site, -Mode and -Dest of a question, and the answer.
READS = [
    (None, None, None, 200),
    ("same-origin", "cors", "empty", 200),
    ("none", "navigate", "document", 200),
    ("cross-site", "navigate", "document", 200),
    ("cross-site", "navigate", "iframe", 403),
    ("cross-site", "no-cors", "script", 403),
    ("cross-site", "no-cors", "image", 403),
    ("cross-site", "cors", "empty", 403),
    ("same-site", "cors", "empty", 403),
    ("same-site", "no-cors", "script", 403),
    ("cross-site", None, None, 403),
]


@pytest.mark.parametrize(("site", "mode", "dest", "expected"), READS)
def test_pages_of_others_read_nothing(
    inside: Client, site: str | None, mode: str | None, dest: str | None, expected: int
) -> None:
    given = {"host": HOST, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    headers = {name: value for name, value in given.items() if value is not None}
    assert inside.get("/api/echo", headers=headers).status_code == expected


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_other_methods_are_not_heard(inside: Client, method: str) -> None:
    assert inside.request(method, "/api/echo", headers=OURS | JSON).status_code == 405


def test_the_matrix_has_at_least_forty_cases() -> None:
    assert len(HOSTS) + len(CHANGES) + len(READS) >= 40


def test_a_header_that_decides_is_given_once(inside: Client) -> None:
    pairs = [("host", HOST), ("origin", ORIGIN), ("origin", ORIGIN), ("content-type", "application/json")]
    assert inside.post("/api/echo", content=b"{}", headers=pairs).status_code == 400


ANSWERS = [
    ("GET", "/start", {}, 200),
    ("GET", "/static/look.css", {}, 200),
    ("GET", "/static/asking.js", {}, 200),
    ("GET", "/static/icon.svg", {}, 200),
    ("HEAD", "/start", {}, 200),
    ("GET", "/static/missing.js", {}, 404),
    ("GET", "/static/../app.py", {}, 404),
    ("GET", "/static/%2e%2e/app.py", {}, 404),
    ("GET", "/static/..%2fapp.py", {}, 404),
    ("GET", "/static/%00", {}, 404),
    ("GET", "/nowhere", {"accept": "text/html"}, 404),
    ("GET", "/nowhere", {}, 404),
    ("GET", "/api/fails", {}, 500),
    ("POST", "/api/fails", OURS | JSON, 500),
    ("POST", "/start", OURS | JSON, 405),
    ("GET", "/enter", {}, 405),
    ("DELETE", "/start", {}, 405),
    ("GET", "/start", {"host": "evil.example"}, 421),
    ("POST", "/enter", {"host": HOST}, 403),
    ("POST", "/enter", OURS | JSON, 403),
    ("POST", "/api/echo", OURS | JSON | {"content-length": "99999999"}, 413),
    ("POST", "/api/echo", OURS | JSON | {"content-length": "-1"}, 400),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), ANSWERS)
def test_every_answer_carries_the_headers(
    method: str, path: str, headers: dict[str, str], status: int
) -> None:
    got = entered(app_with()).request(method, path, headers={"host": HOST} | headers)
    assert got.status_code == status
    for name, value in HEADERS.items():
        assert got.headers.get_list(name) == [value], name
    assert "secret text" not in got.text


def test_the_policy_allows_no_code_in_a_page() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "data:" not in policy


def test_a_link_opens_the_app_once() -> None:
    app = app_with()
    client = Client(app, base=ORIGIN)
    token = app.state.access.invite("ada")
    first = client.post("/enter", json={"token": token}, headers=OURS)
    assert first.status_code == 200
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("crowdseq-8765=")
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert token not in cookie
    again = Client(app, base=ORIGIN).post("/enter", json={"token": token}, headers=OURS)
    assert again.status_code == 403
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("cookie", ["", "x", "crowdseq-8765", "../../etc", "\\", "a" * 4000])
def test_without_a_session_nothing_of_the_run_is_told(cookie: str) -> None:
    client = Client(app_with(), base=ORIGIN)
    headers = {"cookie": f"crowdseq-8765={cookie}"}
    assert client.get("/api/echo", headers=headers).status_code == 401
    page = client.get("/", headers=headers | {"accept": "text/html"})
    assert (page.status_code, page.headers["location"]) == (303, "/start")


def test_whoever_is_inside_can_let_others_in() -> None:
    app = app_with()
    link = entered(app).post("/api/invite", json={"name": " Bob \n"}, headers=OURS).json()
    assert link["name"] == "Bob"
    token = link["link"].partition("#")[2]
    other = Client(app, base=ORIGIN)
    assert other.post("/enter", json={"token": token}, headers=OURS).status_code == 200
    assert other.get("/api/echo").status_code == 200


def test_a_large_body_is_cut_off_even_without_a_length() -> None:
    client = entered(app_with(WebSettings(body_limit=1000)))

    def parts() -> Iterator[bytes]:
        yield from [b"x" * 400] * 3

    assert client.post("/api/echo", content=parts(), headers=OURS | JSON).status_code == 413
    assert client.post("/api/echo", content=b"x" * 1000, headers=OURS | JSON).status_code == 200


PASSWORD = "correct horse battery"
OPEN = WebSettings(host="0.0.0.0", password=PASSWORD, names=("review.house",))


def test_beyond_this_machine_a_password_is_needed() -> None:
    with pytest.raises(SettingsError, match="a password is needed"):
        WebSettings(host="0.0.0.0")
    with pytest.raises(SettingsError, match="shorter than 8"):
        WebSettings(host="0.0.0.0", password="short")
    WebSettings(host="::1")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("192.168.0.7:8765", 200),
        ("[fe80::1]:8765", 200),
        ("review.house:8765", 200),
        ("REVIEW.house:8765", 200),
        ("evil.example:8765", 421),
        ("192.168.0.7:80", 421),
    ],
)
def test_at_every_address_names_must_be_told(host: str, expected: int) -> None:
    client = Client(app_with(OPEN), base="http://192.168.0.7:8765")
    assert client.get("/start", headers={"host": host}).status_code == expected


def test_the_password_opens_and_guessing_is_slowed_down() -> None:
    client = Client(app_with(OPEN), base=ORIGIN)
    right = {"name": "Ada", "password": PASSWORD}
    assert client.post("/enter", json=right, headers=OURS).status_code == 200
    for _ in range(5):
        wrong = client.post("/enter", json=right | {"password": "guess"}, headers=OURS)
        assert wrong.status_code == 403
    slowed = client.post("/enter", json=right, headers=OURS)
    assert slowed.status_code == 429
    assert slowed.headers["retry-after"] == "60"


def test_a_name_is_needed_and_control_characters_do_not_get_into_it() -> None:
    client = Client(app_with(OPEN), base=ORIGIN)
    assert (
        client.post("/enter", json={"name": " \x00", "password": PASSWORD}, headers=OURS).status_code == 403
    )
    access = Access()
    secret = access.enter_by_link(access.invite("a"))
    assert secret is not None
    access.change(secret, reviewer="b")
    session = access.session(secret)
    assert session is not None
    assert session.reviewer == "b"


def test_an_encrypted_line_has_a_cookie_of_its_own() -> None:
    app = app_with(WebSettings(host="0.0.0.0", password=PASSWORD, certificate=True))
    base = "https://10.0.0.1:8765"
    client = Client(app, base=base)
    headers = {"origin": base, "sec-fetch-site": "same-origin"}
    got = client.post("/enter", json={"name": "Ada", "password": PASSWORD}, headers=headers)
    assert got.headers["set-cookie"].startswith("__Host-crowdseq-8765=")
    assert "Secure" in got.headers["set-cookie"]


def test_templates_have_no_code_and_quote_every_attribute() -> None:
    """A value in an attribute without quotes could add attributes, and a handler could run it."""
    for path in Path(HERE / "templates").glob("*.html"):
        text = path.read_text("utf-8")
        assert not re.search(r"<\w[^>]*\son\w+\s*=", text), path.name
        assert not re.search(r"<[^>]*\s[\w-]+=\{\{", text), path.name
        assert not re.search(r"\|\s*safe|style\s*=|<style", text), path.name
        assert all("src=" in one for one in re.findall(r"<script[^>]*>", text)), path.name


def test_scripts_never_make_markup_out_of_text() -> None:
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.style\b|srcdoc"
    for path in Path(HERE / "static").glob("*.js"):
        assert not re.search(banned, path.read_text("utf-8")), path.name
