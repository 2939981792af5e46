"""What is asked: a page over some links, the present setting, and what may be chosen in its place."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bentpipe.advise.factors import CC, HTTP, Setting, Value
from bentpipe.advise.space import Space
from bentpipe.campaign.plan import PlannedRun, planned_run
from bentpipe.errors import InputError
from bentpipe.scenario import Cell, Override, canonical_json, defaults, resolve_document
from bentpipe.scenario.load import SCENARIO_KEYS
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import quoted

Key = tuple[tuple[str, str], ...]
"""A setting as what may be a key."""

MOST_LOOKED_AT = 20_000
"""Settings of a space that are gone through for one that has a value."""


def key_of(setting: Setting) -> Key:
    """Return a setting as what may be a key; the order of its own keys does not count."""
    return tuple(sorted((key, canonical_json(value)) for key, value in setting.items()))


@dataclass(frozen=True, kw_only=True)
class Question:
    """A page over some links, and settings to compare.

    Attributes
    ----------
    page : str
        As `--page` has it.
    links : tuple of str
        As `--link` has each.
    present : Setting
        What is in use today.
    space : Space
        What may take its place.
    """

    page: str
    links: tuple[str, ...]
    present: Setting
    space: Space

    def cell(self, link: str, setting: Setting) -> Cell:
        """Return the resolved cell of a setting over a link.

        Raises
        ------
        InputError
            Under the option that it came by, where it cannot be.
        """
        try:
            scenario = resolve_document(
                {"run": {"link": link, "page": self.page}},
                file=COMMAND_LINE,
                folder=Path(),
                default_name="advise",
                overrides=self.space.fixed,
                varied={key: [value] for key, value in setting.items()},
            )
        except InputError as error:
            raise self._by_option(error, setting) from None
        return scenario.cells[0]

    def run(self, cell: Cell, repetition: int) -> PlannedRun:
        """Return one run of a cell: the one that a scenario of this seed has, which its record then serves.

        Each setting has random numbers of its own. Common ones would save runs if they had settings scatter
        alike, and hardly do, for other packets meet other losses and slots: over 24 settings of `news-front`
        the correlation was 0.0 on `geo-alshagri` and 0.2 on `geo-viasat2` (median of pairs, 12 seeds). Over a
        link with epochs settings scatter alike, and share them (`campaign/plan.py`).
        """
        return planned_run(cell, seed=self.seed, repetition=repetition)

    @property
    def seed(self) -> int:
        """Return the start of all random streams."""
        given = [override.value for override in self.space.fixed if override.key == "seed"]
        return given[-1] if given and isinstance(given[-1], int) else defaults.SEED

    def _by_option(self, error: InputError, setting: Setting) -> InputError:
        """Return the error of a value under the option by which it came."""
        if error.file != COMMAND_LINE or error.field.startswith("--set"):
            return error
        key = error.field.removeprefix("run.").removeprefix("--")
        if key.partition(".")[0] in ("link", "page") and key not in setting:
            return error.at(file=COMMAND_LINE, field=f"--{key.partition('.')[0]}")
        option = "--present" if setting is self.present else f"--over {key}"
        return error.at(file=COMMAND_LINE, field=option)


def check(question: Question) -> None:
    """Raise an InputError for a question that cannot be put: an unknown page or link, nothing to choose."""
    for override in question.space.fixed:
        _check_fixed(override)
    for link in question.links:
        question.cell(link, question.present)
    others = itertools.islice(question.space.settings(), 2)
    if all(key_of(other) == key_of(question.present) for other in others):
        raise InputError(
            file=COMMAND_LINE,
            field="--over",
            expected="something to choose beside the present setting",
            found="the present setting alone",
        )
    for factor in question.space.factors:
        for choice in factor.choices:
            _check_value(question, factor.key, choice.value)


def _check_fixed(override: Override) -> None:
    if override.key in SCENARIO_KEYS and override.key != "seed":
        raise InputError(
            file=COMMAND_LINE,
            field=f"--set {override.key}",
            expected="a key of [run], or seed",
            found=quoted(override.value),
        )


def _check_value(question: Question, key: str, value: Value) -> None:
    """Raise the InputError of a value that no setting can have over all links; some may refuse it."""
    refused: InputError | None = None
    for setting in _having(question.space, key, value):
        try:
            for link in question.links:
                question.cell(link, setting)
        except InputError as error:
            refused = error
        else:
            return
    if refused is not None:
        raise refused


def _having(space: Space, key: str, value: Value) -> Iterator[Setting]:
    """Yield settings in which a value is written, one for each HTTP version and congestion control."""
    seen = set()
    for setting in itertools.islice(space.settings(), MOST_LOOKED_AT):
        kind = (setting.get(HTTP), setting.get(CC))
        if key in setting and setting[key] == value and kind not in seen:
            seen.add(kind)
            yield setting
