"""What somebody has chosen on the page: a link, a page, protocols and congestion controls; as a scenario too.

All of it are names of a list and numbers within bounds. None is ever the name of a file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from bentpipe.errors import InputError
from bentpipe.scenario import Scenario, defaults, resolve_document
from bentpipe.scenario.links import Link, presets
from bentpipe.scenario.load import LARGEST_SEED
from bentpipe.scenario.page.pages import PAGES
from bentpipe.scenario.written.dotted import is_at_or_below
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.toml import TomlTable
from bentpipe.scenario.written.toml_text import toml_text
from bentpipe.scenario.written.vocabulary import HTTP, OVER_TCP, CongestionControl, Http, Vocabulary

NAME = "workbench"
"""Of the scenario that a choice is."""

MOST_CELLS = 12
"""Protocols times congestion controls: what still stands side by side."""
DECIMALS = 6
"""Of a number that is not whole: a thousandth of a microsecond, a loss of one packet in a hundred million."""
_SCENARIO_KEYS = {
    "link.rtt": "rtt_ms",
    "link.forward.jitter": "rtt_ms",
    "link.return.jitter": "rtt_ms",
    "link.forward.loss": "loss_percent",
    "link.return.loss": "loss_percent",
}
"""Keys of [run] by what has been chosen that they may not fit to."""

CC = Vocabulary[CongestionControl](available=OVER_TCP)
"""What goes with every protocol: a choice is a grid, and Prague is for QUIC."""

_PAGES = Vocabulary[str](available=tuple(PAGES))
_ADDRESS = Location(file="the address")
_KEYS = ("link", "page", "http", "cc", "loss_percent", "rtt_ms", "repetitions", "seed")


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Between which a number can be chosen, both included, and with how many decimals: 0 of a whole one."""

    least: float
    most: float
    decimals: int

    @property
    def words(self) -> str:
        """What is expected."""
        reach = f"from {self.least:.16g} to {self.most:.16g}"
        if self.decimals:
            return f"a number {reach}, of {self.decimals} decimals at most"
        return f"a whole number {reach}"

    def admits(self, text: str) -> bool:
        """Whether a text is such a number as the page writes it: none of the other ways to write one."""
        whole = rf"[0-9]{{1,{len(str(int(self.most)))}}}"
        form = rf"{whole}(\.[0-9]{{1,{self.decimals}}})?" if self.decimals else whole
        return bool(re.fullmatch(form, text)) and self.least <= float(text) <= self.most


BOUNDS: Mapping[str, Bounds] = {
    "loss_percent": Bounds(least=0, most=20, decimals=DECIMALS),
    "rtt_ms": Bounds(least=1, most=2000, decimals=DECIMALS),
    "repetitions": Bounds(least=1, most=20, decimals=0),
    "seed": Bounds(least=0, most=LARGEST_SEED, decimals=0),
}
"""Of the numbers of a choice."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A comparison of page loads: every protocol with every congestion control.

    Attributes
    ----------
    link, page : str
        Names of a preset and of a built-in page.
    http, cc : tuple of str
        At least one of each.
    loss_percent : float or None
        Independent losses in each direction in place of the link's own.
    rtt_ms : float or None
        Round trip in place of the link's own; satellites that move add theirs to it.
    repetitions, seed : int
        As of a scenario.
    """

    link: str
    page: str
    http: tuple[Http, ...]
    cc: tuple[CongestionControl, ...]
    loss_percent: float | None = None
    rtt_ms: float | None = None
    repetitions: int = defaults.WORKBENCH_REPETITIONS
    seed: int = defaults.SEED

    @classmethod
    def of_query(cls, values: Mapping[str, Sequence[str]]) -> Self:
        """Return the choice of an address's query, each of whose keys may stand there several times.

        Raises
        ------
        InputError
            For keys and values that it cannot have.
        """
        for key in values:
            if key not in _KEYS:
                raise _ADDRESS.at(key).error(expected=f"one of {', '.join(_KEYS)}", found="an unknown key")
        query = _Query(values)
        http = tuple(HTTP.checked(each, _ADDRESS.at("http")) for each in query.several("http"))
        cc = tuple(CC.checked(each, _ADDRESS.at("cc")) for each in query.several("cc"))
        if len(http) * len(cc) > MOST_CELLS:
            raise _ADDRESS.at("http").error(
                expected=f"at most {MOST_CELLS} combinations with cc", found=f"{len(http) * len(cc)}"
            )
        return cls(
            link=Vocabulary(available=tuple(links())).checked(query.one("link"), _ADDRESS.at("link")),
            page=_PAGES.checked(query.one("page"), _ADDRESS.at("page")),
            http=http,
            cc=cc,
            loss_percent=query.number("loss_percent"),
            rtt_ms=query.number("rtt_ms"),
            repetitions=query.whole("repetitions", otherwise=FIRST.repetitions),
            seed=query.whole("seed", otherwise=FIRST.seed),
        )

    def scenario(self) -> Scenario:
        """Return it resolved.

        Raises
        ------
        InputError
            For what does not go together, by the key of what has been chosen.
        """
        file = f"{NAME}.toml"
        try:
            return resolve_document(self._table(), file=file, folder=Path(), default_name=NAME)
        except InputError as error:
            key = error.field.removeprefix("run.")
            chosen = next((own for below, own in _SCENARIO_KEYS.items() if is_at_or_below(key, below)), "")
            raise error.at(file=_ADDRESS.file, field=chosen or key.partition(".")[0]) from None

    def toml(self) -> str:
        """Return it as a file for `bentpipe run`."""
        return toml_text(self._table())

    def _table(self) -> TomlTable:
        changes: TomlTable = {}
        if self.rtt_ms is not None:
            changes["rtt"] = f"{_decimal(self.rtt_ms)} ms"
        if self.loss_percent is not None:
            loss = {"loss": f"{_decimal(self.loss_percent)} %"}
            changes |= {"forward": loss, "return": loss}
        return {
            "title": f"{self.page} over {self.link}",
            "repetitions": self.repetitions,
            "seed": self.seed,
            "run": {"link": {"base": self.link, **changes} if changes else self.link, "page": self.page},
            "matrix": {"http": list(self.http), "cc": list(self.cc)},
        }


FIRST = Choice(
    link=defaults.WORKBENCH_LINK,
    page=defaults.WORKBENCH_PAGE,
    http=tuple(HTTP.checked(each, _ADDRESS.at("http")) for each in defaults.WORKBENCH_HTTP),
    cc=(CC.checked(defaults.CONGESTION_CONTROL, _ADDRESS.at("cc")),),
    seed=defaults.SEED,
)
"""What is chosen at first."""


@cache
def links() -> Mapping[str, Link]:
    """Return the built-in links by their names."""
    return {link.name: link for link in presets()}


@dataclass(frozen=True)
class _Query:
    values: Mapping[str, Sequence[str]]

    def several(self, key: str) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(self.values.get(key, ())))
        if not found:
            raise _ADDRESS.at(key).error(expected="at least one", found="none")
        return found

    def one(self, key: str) -> str:
        found = self.values.get(key, ())
        if len(found) != 1:
            raise _ADDRESS.at(key).error(expected="one", found=f"{len(found) or 'none'}")
        return found[0]

    def number(self, key: str) -> float | None:
        return float(self._text(key)) if key in self.values else None

    def whole(self, key: str, *, otherwise: int) -> int:
        return int(self._text(key)) if key in self.values else otherwise

    def _text(self, key: str) -> str:
        text, bounds = self.one(key), BOUNDS[key]
        if not bounds.admits(text):
            raise _ADDRESS.at(key).error(expected=bounds.words, found=quoted(text))
        return text


def _decimal(value: float) -> str:
    """Return a number of DECIMALS decimals at most as a scenario has it."""
    return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
