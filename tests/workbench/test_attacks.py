"""What pages of others, and whoever else can reach the port, get from the server: nothing."""

import pytest

from tests.workbench.served import served

DATA = ("/offer", "/scenario.toml", "/comparison", "/campaign", "/metrics")
"""Everything that is not a file of the page."""


@pytest.mark.parametrize("target", DATA)
@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:1", "http://localhost", "null"])
def test_a_request_from_a_page_of_another_origin_is_refused(server, target, origin):
    answer = server.get(target, Origin=origin)
    assert answer.status == 403
    assert answer.json()["words"] == "the request comes from another page"
    # Without leave the other page may not read it (Fetch, section 3.3).
    assert "access-control-allow-origin" not in answer.headers


def test_a_request_that_the_browser_says_is_from_another_site_is_refused_without_an_origin_too(server):
    assert server.get("/offer", Sec_Fetch_Site="cross-site").status == 403
    # Another port of this machine is the same site (RFC 6265bis, section 5.2).
    assert server.get("/offer", Sec_Fetch_Site="same-site").status == 403
    assert server.get("/offer", Sec_Fetch_Site="same-origin").status == 200


def test_the_page_itself_is_answered(server):
    assert server.get("/offer", Origin=f"http://{server.host}").status == 200
    assert server.get("/offer", Host=f"localhost:{server.port}").status == 200


@pytest.mark.parametrize("target", ["/", "/main.js", *DATA])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.2:{port}",
        "localhost.:{port}",
        "",
    ],
)
def test_a_name_that_leads_here_is_refused_whatever_it_asks_for(server, target, host):
    # DNS rebinding: the browser takes the server for evil.example, and the page for its own.
    answer = server.get(target, Host=host.format(port=server.port))
    assert answer.status == 421
    assert b"token" not in answer.body


@pytest.mark.parametrize("target", DATA)
@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic {token}",
        "{token}",
        "Bearer {token}x",
        "Bearer {start}",
    ],
)
def test_who_does_not_know_the_token_gets_no_data(server, target, given):
    header = given and given.format(token=server.token, start=server.token[:-1])
    assert server.get(target, Authorization=header).status == 401


def test_a_token_in_the_address_is_none(server):
    # It would be in logs and histories.
    assert server.get(f"/offer?token={server.token}", Authorization=None).status == 401


def test_a_token_in_a_cookie_is_none(server):
    # Browsers send cookies to every port of a host (RFC 6265, section 8.5).
    assert server.get("/offer", Authorization=None, Cookie=f"token={server.token}").status == 401


def test_every_server_has_a_token_of_its_own(server):
    with served() as other:
        assert other.token != server.token
        assert len(server.token) == 43, "32 bytes in base64url without padding (RFC 4648, section 5)"
        assert other.get("/offer", Authorization=f"Bearer {server.token}").status == 401


@pytest.mark.parametrize(
    "target",
    [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/app.py",
        "/vendor/../../app.py",
        "/vendor/%2e%2e/%2e%2e/app.py",
        "/..\\..\\app.py",
        "//etc/passwd",
        "/etc/passwd",
        "/vendor",
        "/vendor/",
        "/vendor/LICENSE",
        "/index.html/../../app.py",
        "/main.js%00.html",
        "/static/main.js",
        "file:///etc/passwd",
    ],
)
def test_a_path_leads_to_no_file_but_those_of_the_page(server, target):
    answer = server.get(target)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body and b"import" not in answer.body


@pytest.mark.parametrize("link", ["../../links/mine.toml", "/etc/passwd", "dir:/etc", "trace:/etc/passwd"])
def test_a_link_is_none_but_a_name_of_the_list(server, link):
    # `bentpipe page --link` opens files that are named so.
    answer = server.comparison(link=link)
    assert answer.status == 400
    assert answer.json()["key"] == "link"


@pytest.mark.parametrize("page", ["dir:/etc", "har:/etc/passwd", "../uniform-100k"])
def test_a_page_is_none_but_a_name_of_the_list(server, page):
    answer = server.comparison(page=page)
    assert answer.status == 400
    assert answer.json()["key"] == "page"


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server):
    # Only the head is sent: an answer comes without the gigabyte that it announces.
    answer = server.get("/offer", method="POST", Content_Length=str(10**9))
    assert answer.status in (400, 413)


def test_a_body_in_chunks_is_refused_when_it_is_too_large(server):
    # Twice the bound, without a last chunk: an answer comes before the body has ended.
    chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    answer = server.get("/offer", method="POST", Transfer_Encoding="chunked", body=chunk)
    assert answer.status in (400, 413)


def test_a_head_that_is_too_large_is_refused(server):
    # Tornado closes without an answer.
    assert server.get(f"/comparison?link={'x' * 100_000}").status == 0


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("target", ["/", "/comparison", "/nothing"])
def test_nothing_can_be_sent(server, method, target):
    assert server.get(target, method=method, Content_Length="0").status == 405


@pytest.mark.parametrize("target", ["/", "/main.js", "/offer", "/nothing", "/comparison?link=x", "/campaign"])
def test_every_answer_has_the_policy_that_lets_nothing_of_others_run(server, target):
    headers = server.get(target).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[each] for each in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_server_still_answers_after_all_of_it(server):
    assert server.get("/offer").status == 200
