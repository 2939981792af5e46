"""An advice as JSON: `advice.json`, and what `--json` prints."""

from bentpipe.advise.answer import Advice, LinkAdvice, Row, Whole
from bentpipe.advise.race import ALPHA, MARGIN
from bentpipe.advise.sentences import of_link, of_space, of_whole
from bentpipe.stats import Difference, Interval


def document(advice: Advice) -> dict[str, object]:
    """Return an advice as JSON; times in seconds, differences as ratios less one."""
    question, whole = advice.question, advice.whole
    return {
        "page": question.page,
        "present": dict(question.present),
        "fixed": {override.key: str(override.value) for override in question.space.fixed},
        "tried": advice.tried,
        "is_all": advice.is_all,
        "error_rate": ALPHA,
        "margin": MARGIN,
        "links": [_link(each, advice) for each in advice.links],
        "together": None if whole is None else _whole(whole, advice),
        "space": of_space(advice),
    }


def _link(found: LinkAdvice, advice: Advice) -> dict[str, object]:
    return {
        "link": found.link,
        "sentences": list(of_link(found, advice)),
        "verdict": found.verdict.value,
        "best": None if found.best is None else _row(found.best),
        "present": None if found.present is None else _row(found.present),
        "settings": [_row(row) for row in found.rows],
        "counts": {standing.value: count for standing, count in found.counts.items()},
    }


def _whole(whole: Whole, advice: Advice) -> dict[str, object]:
    return {
        "sentences": list(of_whole(whole, advice)),
        "verdict": whole.verdict.value,
        "setting": dict(whole.setting),
        "against_present": _difference(whole.gain),
        "links": [
            {
                "link": each.link,
                "mean_s": each.mean_s,
                "against_present": _difference(each.against_present),
                "against_best": _difference(each.against_best),
            }
            for each in whole.links
        ],
    }


def _row(row: Row) -> dict[str, object]:
    return {
        "setting": dict(row.setting),
        "runs": row.runs,
        "mean_s": row.mean_s,
        "ci_s": _interval(row.ci_s),
        "against_best": _difference(row.against_best),
        "against_present": _difference(row.against_present),
        "standing": row.standing.value,
    }


def _difference(difference: Difference | None) -> dict[str, object] | None:
    return None if difference is None else {"value": difference.value, "ci": _interval(difference.ci)}


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
