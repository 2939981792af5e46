"""What a search found in sentences: what is best, by how much, and how sure that is."""

from collections.abc import Iterator, Mapping

from bentpipe.advise.answer import Advice, LinkAdvice, Row, Whole
from bentpipe.advise.question import key_of
from bentpipe.advise.race import LOOKS, MARGIN, Standing, Verdict
from bentpipe.advise.words import listed, spoken
from bentpipe.stats import Difference

MARGIN_WORDS = f"{100 * MARGIN:g} %"


def of_link(found: LinkAdvice, advice: Advice) -> tuple[str, ...]:
    """Return what is best over a link."""
    page, link = advice.question.page, found.link
    if found.best is None:
        has_failures = Standing.FAILED in found.counts
        none = f"no setting loaded {page} in every run" if has_failures else "no setting has enough runs"
        return (f"Over {link}, {none}.", *_ending(found.counts, found.verdict))
    return (
        _headline(page, link, found.best, found.present),
        *_certainty(found.counts, found.verdict),
        *_ending(found.counts, found.verdict),
    )


def of_whole(whole: Whole, advice: Advice) -> tuple[str, ...]:
    """Return what is best over all links together."""
    if key_of(whole.setting) == key_of(advice.question.present):
        return (f"Over all {len(whole.links)} links together nothing beats the present setting.",)
    costs = [
        f"{_percent(each.against_best)} on {each.link}"
        for each in whole.links
        if each.against_best is not None
    ]
    price = (
        f" From the load time of each link's own best it differs by {listed(costs)}."
        if costs
        else " It is the best on each of them."
    )
    return (
        f"Over all {len(whole.links)} links together {spoken(whole.setting)} is best: on average "
        f"{_share(whole.gain)} sooner than at present.{price}",
        *_certainty(whole.counts, whole.verdict),
    )


def of_space(advice: Advice) -> str:
    """Return how many settings were tried."""
    if advice.is_all and advice.tried == advice.named:
        return f"All {advice.tried} settings were compared."
    if advice.is_all:
        return f"{advice.tried} of {advice.named} settings were tried."
    return (
        f"{advice.tried} settings were tried, chosen by an optimiser: others may be faster. "
        "More of them are tried with a larger --budget, all of them where --over names fewer."
    )


def _headline(page: str, link: str, best: Row, present: Row | None) -> str:
    if present is None:
        return (
            f"Over {link}, {page} loads fastest by {spoken(best.setting)}: {best.mean_s:.2f} s. "
            "At present it does not load."
        )
    if best.against_present is None:
        return (
            f"Over {link}, {page} loads as fast at present as by any other setting: {best.mean_s:.2f} s "
            f"by {spoken(best.setting)}."
        )
    return (
        f"Over {link}, {page} loads fastest by {spoken(best.setting)}: {best.mean_s:.2f} s, "
        f"{present.mean_s - best.mean_s:.2f} s ({_share(best.against_present)}) sooner than at present by "
        f"{spoken(present.setting)}."
    )


def _certainty(counts: Mapping[Standing, int], verdict: Verdict) -> Iterator[str]:
    slower, equal = counts.get(Standing.SLOWER, 0), _equal(counts)
    undecided = counts.get(Standing.OPEN, 0)
    if verdict is Verdict.FASTEST:
        yield f"That is sure: all {_settings(slower)} are significantly slower."
        return
    parts = []
    if equal:
        are = "is" if equal == 1 else "are"
        less = "changes no less" if equal == 1 else "none of them changes less"
        parts.append(f"{_settings(equal)} {are} equal to it within {MARGIN_WORDS}, and {less}")
    if undecided:
        parts.append(f"{_settings(undecided)} may be faster or slower")
    if slower:
        parts.append(f"{slower} are significantly slower")
    if parts:
        yield f"{'; '.join(parts)}."


def _ending(counts: Mapping[Standing, int], verdict: Verdict) -> Iterator[str]:
    untried, failed = counts.get(Standing.UNTRIED, 0), counts.get(Standing.FAILED, 0)
    match verdict:
        case Verdict.BUDGET:
            yield "The budget is spent: the same command goes on from here."
        case Verdict.INTERRUPTED:
            yield "Interrupted: the same command goes on from here."
        case Verdict.RUNS:
            yield f"{LOOKS[-1]} runs of each, the most, did not tell more."
    if untried:
        yield f"{_settings(untried)} {'was' if untried == 1 else 'were'} not tried."
    if failed:
        out = "is out" if failed == 1 else "are out"
        yield f"{_settings(failed)} {out}, having failed to load the page in some run."


def _equal(counts: Mapping[Standing, int]) -> int:
    # The leader itself, where another one that is equal to it changes less.
    return counts.get(Standing.EQUAL, 0) + counts.get(Standing.LEADS, 0)


def _settings(count: int) -> str:
    return f"{count} other setting" if count == 1 else f"{count} other settings"


def _share(difference: Difference) -> str:
    """Write how much sooner with its interval: "31 %, 95 % interval 29 to 33 %"."""
    ci = difference.ci
    if ci is None:
        return f"{-100 * difference.value:.0f} %"
    low, high = -100 * ci.high, -100 * ci.low
    decimals = 0 if high - low > 2 else 1
    return (
        f"{-100 * difference.value:.{decimals}f} %, 95 % interval {low:.{decimals}f} to {high:.{decimals}f} %"
    )


def _percent(difference: Difference) -> str:
    return f"{100 * difference.value:+.1f} %"
