"""The published studies that Bentpipe repeats: scenario, published numbers, claims, figures."""

from bentpipe.studies import alshagri2023, caviglione2014, claypool2020, secchi2018
from bentpipe.studies.rules import Agreement
from bentpipe.studies.study import Column, Study, StudyTable, Timeline
from bentpipe.studies.verdict import Finding, Verdict

__all__ = ["Agreement", "Column", "Finding", "Study", "StudyTable", "Timeline", "Verdict", "get", "names"]

_STUDIES = {
    study.name: study
    for study in (alshagri2023.STUDY, claypool2020.STUDY, secchi2018.STUDY, caviglione2014.STUDY)
}


def names() -> tuple[str, ...]:
    """The studies by name."""
    return tuple(_STUDIES)


def get(name: str) -> Study:
    """The study of that name.

    Raises
    ------
    KeyError
        When there is none; `names` lists those that there are.
    """
    return _STUDIES[name]
