"""How the claims of all studies stand, for docs/studies/README.md."""

from collections.abc import Iterator, Sequence

from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing
from tools.block import row
from tools.study_pages.kept import KeptStudy

PAGE = "README"
MARK = "scores"


def lines(studies: Sequence[KeptStudy]) -> Iterator[str]:
    """Yield the lines between the marks: a row for each study, and one for all."""
    yield row("Study", "Claims", "Agree", "Decided", "Open", "Agree with present software")
    yield row("---", "---:", "---:", "---:", "---:", "---:")
    rows = [_numbers(study) for study in studies]
    for study, numbers in zip(studies, rows, strict=True):
        yield row(f"[{study.name}]({study.name}.md)", *map(str, numbers))
    yield row("all", *(str(sum(column)) for column in zip(*rows, strict=True)))


def _numbers(study: KeptStudy) -> tuple[int, int, int, int, int]:
    score = study.score
    today = sum(
        claim.standing == Standing.CLAIM.value and claim.today == Agreement.AGREES.value
        for claim in study.claims
    )
    return score.possible, score.agree, score.decided, score.open, today
