"""The settings of a link in rows, for the terminal and for the page."""

from bentpipe.advise.answer import LinkAdvice, OnALink, Row, Whole
from bentpipe.advise.race import Standing
from bentpipe.advise.sentences import MARGIN_WORDS
from bentpipe.advise.words import short
from bentpipe.stats import Difference

HEADING = ("", "SETTING", "n", "MEAN", "95 % INTERVAL", "AGAINST BEST", "AGAINST PRESENT", "")
WHOLE_HEADING = ("LINK", "MEAN", "AGAINST PRESENT", "AGAINST ITS BEST")

_STANDINGS = {
    Standing.LEADS: f"equal within {MARGIN_WORDS}",
    Standing.EQUAL: f"equal within {MARGIN_WORDS}",
    Standing.SLOWER: "slower",
    Standing.OPEN: "not told apart",
    Standing.FAILED: "some runs failed",
    Standing.UNTRIED: "too few runs",
}


def rows_of_link(found: LinkAdvice) -> list[tuple[str, ...]]:
    """Return the rows of a link's table below its heading."""
    return [_row(place, row, found) for place, row in enumerate(found.rows, start=1)]


def rows_of_whole(whole: Whole) -> list[tuple[str, ...]]:
    """Return what the setting that is best on the whole does on each link."""
    return [_on_a_link(each) for each in whole.links]


def _row(place: int, row: Row, found: LinkAdvice) -> tuple[str, ...]:
    is_best, is_present = row.setting == _setting(found.best), row.setting == _setting(found.present)
    standing = "best" if is_best else _STANDINGS[row.standing]
    return (
        str(place),
        short(row.setting),
        str(row.runs),
        f"{row.mean_s:.2f} s",
        "-" if row.ci_s is None else f"{row.ci_s.low:.2f} to {row.ci_s.high:.2f} s",
        _percent(row.against_best),
        _percent(row.against_present),
        f"{standing}, present" if is_present else standing,
    )


def _setting(row: Row | None) -> object:
    return None if row is None else row.setting


def _on_a_link(each: OnALink) -> tuple[str, ...]:
    its_best = "is its best" if each.against_best is None else _percent(each.against_best)
    return (each.link, f"{each.mean_s:.2f} s", _percent(each.against_present), its_best)


def _percent(difference: Difference | None) -> str:
    # The zero takes the sign from what is rounded to nothing.
    return "-" if difference is None else f"{round(100 * difference.value, 1) + 0.0:+.1f} %"
