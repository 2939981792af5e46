"""What a check is, and what comes out of one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known"
    """It differs, and is known to: the note says why that stays."""
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One thing that was compared.

    Attributes
    ----------
    group : str
        The part of the check that it belongs to: a recommendation, a program, a chapter.
    name : str
        What tells it from the others of its group.
    outcome : Outcome
    note : str
        What was found in place of what was expected, why it differs, or why it was skipped; empty where it
        passed.
    """

    group: str
    name: str
    outcome: Outcome
    note: str = ""

    @classmethod
    def judged(cls, group: str, name: str, fault: str | None) -> "Case":
        """Return a case that failed by `fault`, or passed where there is none."""
        if fault is None:
            return cls(group=group, name=name, outcome=Outcome.PASSED)
        return cls(group=group, name=name, outcome=Outcome.FAILED, note=fault)

    @classmethod
    def known(cls, group: str, name: str, reason: str) -> "Case":
        """Return a case that differs for a reason that is known and stays."""
        return cls(group=group, name=name, outcome=Outcome.KNOWN, note=reason)

    @classmethod
    def skipped(cls, group: str, name: str, reason: str) -> "Case":
        """Return a case that says nothing, and why."""
        return cls(group=group, name=name, outcome=Outcome.SKIPPED, note=reason)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a check came to.

    Attributes
    ----------
    versions : mapping of str to str
        The program, package or document of others by name, with its version.
    cases : sequence of Case
    """

    versions: Mapping[str, str]
    cases: Sequence[Case]

    @property
    def holds(self) -> bool:
        """Whether something passed and nothing failed."""
        outcomes = self.counts()
        return outcomes[Outcome.PASSED] > 0 and outcomes[Outcome.FAILED] == 0

    def counts(self, group: str | None = None) -> Counter[Outcome]:
        """Return how many cases ended how, of one group or of all."""
        return Counter(case.outcome for case in self.cases if group in (None, case.group))

    def groups(self) -> list[str]:
        """Return the groups in their order."""
        return list(dict.fromkeys(case.group for case in self.cases))


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check that can be run at any time.

    Attributes
    ----------
    name : str
        As `python -m tools.third_party NAME` has it; its results are data/third-party/NAME.csv.
    title : str
        Of its chapter on the page.
    about : str
        What is compared with what and which difference fails, as paragraphs of Markdown.
    run : callable
        Installs what it needs in build/third-party and compares. Raises AbilityError where the machine lacks
        something that only its owner can install.
    """

    name: str
    title: str
    about: str
    run: Callable[[], Result]
