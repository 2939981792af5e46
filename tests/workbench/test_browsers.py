"""The page as people use it, in Chromium and in Firefox."""

import json
from functools import cache

import pytest

from tests.support.synthetic import failed, page_load, write_folder
from tests.tidy.project import ROOT
from tests.workbench.browser import PHONE, WIDE, opened
from tests.workbench.served import served

AXE = ROOT / "build/axe/package/axe.min.js"
FIRST_RESULT_MS, SLIDER_MS = 2000, 1000
"""What the page promises on a machine of its own."""
BUSY = 5
"""Other tests run beside."""

COMPLETE = """document.getElementById("results")?.getAttribute("aria-busy") === "false"
  && document.querySelectorAll("#falls li").length > 0"""

HAS_CHANGED = """(async (change, isThere) => {
  const before = document.getElementById("falls").firstChild;
  const began = performance.now();
  change();
  while (!(document.getElementById("falls").firstChild !== before && isThere())) {
    if (performance.now() - began > 60000) throw new Error(document.getElementById("status").textContent);
    await new Promise((go) => setTimeout(go, 5));
  }
  return performance.now() - began;
})"""
"""The time in ms from a change until a figure of its first run stands in the page."""


@cache
def axe():
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make setup-browsers")
    return AXE.read_text()


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A server that watches a campaign with runs that have no number."""
    entries = [page_load(http=http, repetition=place) for place in range(3) for http in ("h1", "h3")]
    entries[1] = failed(entries[1])
    folder = write_folder(tmp_path_factory.mktemp("watched") / "results", entries, repetitions=5)
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request):
    with opened(request.param) as page:
        yield page


@pytest.fixture
def page(browser, campaign):
    """The page with the results of its first choice, in a wide window."""
    browser.resize(WIDE)
    browser.go(campaign.url)
    browser.wait(COMPLETE)
    return browser


def test_it_shows_results_without_being_asked(page):
    schemes = '[...document.querySelectorAll("#table tbody th")].map((each) => each.textContent)'
    assert page.evaluate(schemes) == ["HTTP/1.1", "HTTP/2", "HTTP/3"]
    assert page.evaluate('document.querySelectorAll("#boxes canvas").length') == 3
    assert page.evaluate('document.querySelectorAll("#falls svg:not(.mark)").length') == 3
    assert page.evaluate('document.querySelectorAll("#charts canvas").length') == 4
    assert "Fastest: " in page.evaluate('document.getElementById("status").textContent')


def test_nothing_of_it_breaks_its_policy_or_fails(page):
    page.evaluate('document.getElementById("play").click()')
    page.evaluate('document.getElementById("save").click()')
    page.wait('document.getElementById("copied").textContent.startsWith("Saved")')
    page.evaluate('document.getElementById("play").click()')
    assert page.evaluate("window.noted") == []


def test_the_token_leaves_the_address_and_the_choice_stays_in_it(page, campaign):
    address = page.evaluate("location.href")
    assert campaign.token not in address and "link=geo-alshagri" in address


def test_a_shared_address_shows_the_same_choice(page, campaign):
    choice = (
        "link=leo-oneweb&page=uniform-100k&http=h3&cc=bbr&loss_percent=0.3&rtt_ms=75&repetitions=2&seed=9"
    )
    page.go(f"http://{campaign.host}/#token={campaign.token}&{choice}")
    page.wait(COMPLETE)
    assert page.evaluate("location.hash") == f"#{choice}"
    # 0.3 % is between two stops of the slider.
    assert page.evaluate('document.getElementById("loss-told").textContent') == "0.3 %"
    assert page.evaluate('document.getElementById("status").textContent').startswith("2 runs over")


@pytest.mark.parametrize(
    ("written", "field", "words"),
    [
        ("rtt_ms=abc", "rtt", 'expected a number from 1 to 2000, of 6 decimals at most, found "abc"'),
        ("rtt_ms=", "rtt", 'found ""'),
        ("loss_percent=NaN", "loss", 'expected a number from 0 to 20, of 6 decimals at most, found "NaN"'),
        ("repetitions=21", "repetitions", "expected a whole number from 1 to 20"),
        ("seed=-1", "seed", "expected a whole number from 0 to 9007199254740991"),
        ("link=nowhere", "link", 'found "nowhere"'),
        ("http=h9", "http", 'found "h9"'),
    ],
)
def test_what_an_address_says_that_cannot_be_chosen_is_told_at_its_field(
    page, campaign, written, field, words
):
    page.go(f"{campaign.url}&page=uniform-100k&cc=cubic&{written}")
    page.wait(f'document.getElementById("{field}-fault")?.textContent.includes({json.dumps(words)})')
    assert "stands at its field" in page.evaluate('document.getElementById("problem").textContent')
    assert page.evaluate('document.querySelectorAll("#falls li").length') == 0, "nothing is measured"
    assert page.evaluate("window.noted") == []


def test_measure_takes_the_form_as_it_stands_whatever_the_address_has_said(page, campaign):
    page.go(f"{campaign.url}&page=uniform-100k&http=h2&cc=cubic&rtt_ms=abc")
    page.wait('document.getElementById("rtt-fault")?.textContent.includes("found")')
    page.evaluate('document.querySelector("button.main").click()')
    page.wait(COMPLETE)
    assert page.evaluate('document.getElementById("rtt-fault").textContent') == ""
    assert page.evaluate('document.getElementById("problem").hidden') is True


def test_a_server_that_ends_in_the_middle_is_told(browser):
    many = "&page=objects-2500k-5k&http=h1&http=h2&http=h3&cc=cubic&cc=bbr&cc=reno&cc=hybla&repetitions=20"
    with served() as server:
        browser.go(server.url + many)
        browser.wait('/^[0-9]+ of 240 runs/.test(document.getElementById("status")?.textContent)')
        server.process.kill()
        browser.wait(
            'document.getElementById("problem").textContent.includes("connection to the server is lost")'
        )
        assert browser.evaluate('document.getElementById("results").getAttribute("aria-busy")') == "false"


def test_without_a_token_it_says_what_to_do(page, campaign):
    page.evaluate("sessionStorage.clear()")
    page.go(f"http://{campaign.host}/")
    page.wait('document.getElementById("problem")?.hidden === false')
    assert "open the address that" in page.evaluate('document.getElementById("problem").textContent')


def test_a_click_and_a_slider_have_their_result_soon(page):
    clicked = """() => document.querySelector("button.main").click()"""
    moved = """() => {
      const slider = document.getElementById("loss");
      slider.value = 8;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }"""
    # Of 15 runs: three protocols, five times a page of 100 objects.
    assert page.evaluate('document.getElementById("page").value') == "objects-500k-5k"
    assert page.evaluate(f"{HAS_CHANGED}({clicked}, () => true)") < BUSY * FIRST_RESULT_MS
    told = '() => location.hash.includes("loss_percent=1&")'
    assert page.evaluate(f"{HAS_CHANGED}({moved}, {told})") < BUSY * SLIDER_MS


def test_a_choice_of_nothing_is_told_and_not_measured(page):
    page.evaluate('document.querySelector("#cc input:checked").click()')
    page.wait('document.getElementById("problem")?.hidden === false')
    assert page.evaluate('document.getElementById("problem").textContent') == "Choose a congestion control."


def test_the_instant_moves_what_has_come_of_the_page(page):
    def complete_at(thousandths):
        page.evaluate(
            f"""(() => {{
              const slider = document.getElementById("instant");
              slider.value = {thousandths};
              slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
            }})()"""
        )
        return page.evaluate('document.querySelector("#boxes canvas").getAttribute("aria-label")')

    assert ": 0 of 101 objects" in complete_at(0)
    assert ": 101 of 101 objects, 100 % of the bytes" in complete_at(1000)


def test_a_campaign_is_shown_with_what_has_no_number(page):
    page.wait('document.querySelectorAll("#campaign-cells tbody tr").length === 2')
    counts = page.evaluate('document.getElementById("campaign-counts").textContent')
    assert counts.startswith("6 of 10 runs: 5 succeeded, 1 failed, 0 invalid.")
    assert "60 s" in page.evaluate('document.getElementById("campaign-rejected").textContent'), (
        "why it has failed"
    )


def test_all_of_it_is_reached_by_the_keyboard(page):
    page.evaluate("document.body.focus() ?? document.activeElement.blur()")
    reached, unseen = set(), set()
    for _ in range(40):
        page.press("Tab")
        name, is_seen = page.evaluate(
            """(() => {
              const { id, name, value, tagName, className } = document.activeElement;
              const { outlineStyle } = getComputedStyle(document.activeElement);
              // In a window that is not looked at, as Firefox's without a screen, no focus is shown.
              const isSeen = outlineStyle !== "none" || !document.hasFocus();
              return [id || (name && `${name}=${value}`) || className || tagName, isSeen];
            })()"""
        )
        reached.add(name)
        unseen |= set() if is_seen else {name}
    boxes = {"http=h2", "cc=bbr"}
    fields = {"link", "page", "loss", "rtt", "repetitions", "seed", "instant"}
    assert {"skip", "main", "save", "copy", "play", "wide", *boxes, *fields} <= reached
    assert unseen <= {"BODY"}, "what has the focus is to be seen"


def test_a_slider_moves_by_the_keyboard(page):
    page.evaluate('document.getElementById("rtt").focus()')
    page.press("ArrowRight")
    page.wait('document.getElementById("rtt-told").textContent === "1 ms"')
    page.wait('location.hash.includes("rtt_ms=1&")')
    assert page.evaluate('document.getElementById("rtt").getAttribute("aria-valuetext")') == "1 ms"


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_core_finds_nothing_serious(page, size):
    page.resize(size)
    page.evaluate(f"(() => {{ {axe()} }})()")
    found = page.evaluate(
        """axe.run().then(({ violations, passes }) => [
          violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html.slice(0, 120)]), passes.length,
        ])"""
    )
    violations, passes = found
    assert [each for each in violations if each[1] in ("serious", "critical")] == []
    assert passes > 20, "axe-core has looked at the page"


def test_on_a_phone_nothing_is_wider_than_the_window(page, campaign):
    page.resize(PHONE)
    # Long names side by side: HTTP/1.1 over TLS · PCC Vivace.
    page.go(f"{campaign.url}&page=news-front&http=h1s&http=h2c&cc=vivace&cc=bbr&repetitions=1")
    page.wait(COMPLETE)
    page.wait(f"innerWidth === {PHONE[0]}")
    page.wait(f"document.documentElement.scrollWidth <= {PHONE[0]}")
    wide = f"""[...document.querySelectorAll("main *")].filter(
      (each) => !each.closest(".wide") && each.getBoundingClientRect().right > {PHONE[0]} + 1,
    ).map((each) => each.outerHTML.slice(0, 80))"""
    page.wait(f"({wide}).length === 0")


def test_names_of_protocols_stay_whole_on_a_phone(page):
    page.resize(PHONE)
    page.wait(f"innerWidth === {PHONE[0]}")
    broken = """[...document.querySelectorAll(".boxes .word")]
      .filter((each) => each.getClientRects().length !== 1).map((each) => each.textContent)"""
    assert page.evaluate('document.querySelectorAll(".boxes .word").length') > 10
    assert page.evaluate(broken) == []


def test_nothing_moves_by_itself_for_who_wants_that(page):
    rules = page.evaluate(
        """[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
          .flatMap((rule) => [rule, ...(rule.cssRules ?? [])])
          .filter(({ style }) => style?.transitionProperty || style?.animationName)
          .map(({ parentRule }) => parentRule?.conditionText ?? "always")"""
    )
    assert set(rules) == {"(prefers-reduced-motion: no-preference)"}
    assert page.evaluate('document.getElementById("play").textContent') == "Play", "until it is pressed"
