"""A report to be published: without what tells whose machine and folders it comes from.

Everything is replaced before anything is drawn or written, equal by equal: two folders stay two.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bentpipe.ledger import Entry, judged
from bentpipe.ledger.entry import Contents
from bentpipe.model.reason import Reason
from bentpipe.model.record import RunRecord
from bentpipe.model.scenario import ScenarioDocument
from bentpipe.report.source import Source

if TYPE_CHECKING:
    import polars

LEFT_OUT = ("host", "command", "user")
"""Facts of a record's provenance that have one of these in their name."""

_TOLD_BY_THE_PAGE = ("url", "path")
"""Keys of what is on the page's hosts: no folders of a machine."""
_WORDS = ("title", "description", "name")
"""Keys of a scenario whose values its author chose freely."""
_FROM_FILES = re.compile(r"(?:dir:|har:)?((?:~[\w.-]*|\.\.)?/.+)", re.DOTALL)
"""A page or a link by its file's path, which may have blanks in it."""
_HOLD_FILES = ("factors", "constants", "name", "folder")
"""Keys of pages, links and folders."""
_TABLES_OF_FACTORS = ("factors", "constants")
_HOME = re.compile(r"/(?:home|Users)/([^/\s'\"]+)")
_PATH = re.compile(
    r"""(?<![a-z0-9+.-]) [0-9+.-]*+ (?!file:) [a-z][a-z0-9+.-]*+ ://[^\s'"]*  # an address on the web stays
    | (?<![\w./]) (?:file://)? (?:~[\w.-]*|\.\.)? (?P<path>/[^\s'"<>|;,()]+)""",
    re.VERBOSE,
)
_SHORTEST_NAME = 3
"""Of a user or host, in letters: what is shorter tells nothing."""


def anonymous(source: Source) -> Source:
    """Return the source without hosts, command lines, names of users and absolute paths."""
    veil = _Veil(source)
    scenario = veil.over(source.scenario.model_dump(mode="json"))
    words = {key: veil.text(scenario[key]) for key in _WORDS}
    entries = [veil.over_entry(entry) for entry in source.entries]
    return replace(
        source,
        scenario=ScenarioDocument.model_validate({**scenario, **words}),
        entries=entries,
        best=judged(entries),
        runs=veil.over_runs(source.runs),
        provenances=[veil.over_provenance(facts) for facts in source.provenances],
    )


class _Veil:
    """Gives each path, host and user a name without meaning."""

    def __init__(self, source: Source) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._factors: dict[int, Mapping[str, str]] = {}
        texts = set(_all_texts(source))
        hosts = {facts["host"] for facts in source.provenances if facts.get("host")}
        homes = [(key, name) for key, text in texts for name in _HOME.findall(text)]
        users = {name for _, name in homes} - {name for key, name in homes if key in _TOLD_BY_THE_PAGE}
        hosts |= {host.partition(".")[0] for host in hosts}
        words = [("HOST", name) for name in hosts] + [("USER", name) for name in users]
        files = {
            match[1] for key, text in texts if key in _HOLD_FILES and (match := _FROM_FILES.fullmatch(text))
        }
        # The longest first: a folder before the one that it is in.
        self._words = sorted((word for word in words if len(word[1]) >= _SHORTEST_NAME), key=_longest_first)
        self._files = sorted(files, key=lambda path: _longest_first(("PATH", path)))

    def over_entry(self, entry: Entry) -> Entry:
        """Return the attempt without them; its record is changed when it is asked for."""
        # Attempts of a cell have its factors in common, and shall have them afterwards.
        key = id(entry.factors)
        if key not in self._factors:
            self._factors[key] = self.over(entry.factors)
        contents = _Veiled(veil=self, contents=entry.contents)
        return replace(entry, factors=self._factors[key], contents=contents)

    def over_runs(self, runs: "polars.DataFrame") -> "polars.DataFrame":
        """Return the table of attempts without them; of its texts the factors alone name any."""
        changed = []
        for column in runs.get_columns():
            name = column.name.removeprefix("factor_")
            if name != column.name:
                texts = column.unique().drop_nulls()
                changed.append(column.replace(texts, [self.over(text, name) for text in texts.to_list()]))
        return runs.with_columns(changed)

    def over_provenance(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return a provenance without them."""
        return {name: self.text(value) for name, value in facts.items() if not _is_left_out(name)}

    def over_record(self, record: RunRecord) -> RunRecord:
        """Return the record without them."""
        places = frozenset(
            text for key, text in _texts(record.model_dump(mode="json")) if key in _TOLD_BY_THE_PAGE
        )
        places |= {re.sub(r"^[a-z]+://[^/]*", "", text) for text in places}
        told = {
            "reasons": [self._reason(reason, kept=places) for reason in record.reasons],
            "provenance": self.over_provenance(record.provenance),
        }
        rest = record.model_dump(mode="json", exclude_unset=True, exclude=told.keys() | {"series"})
        return RunRecord.model_validate({**self.over(rest), **told})

    def over(self, value: Any, key: str = "") -> Any:
        """Return data with every text in it changed that names a path."""
        if isinstance(value, Mapping):
            return {name: self.over(below, name) for name, below in value.items()}
        if isinstance(value, list | tuple):
            return [self.over(below, key) for below in value]
        # A word alone is a name of ours, such as a protocol's, whatever hosts are called.
        if isinstance(value, str) and key not in _TOLD_BY_THE_PAGE and re.search(r"[\s/.:]", value):
            return self.text(value)
        return value

    def text(self, text: str, kept: frozenset[str] = frozenset()) -> str:
        """Return a text without paths, hosts and users; `kept` are paths on the page's hosts."""
        for path in self._files:
            if path in text:
                text = re.sub(
                    rf"{re.escape(path)}(?![\w.-])", lambda match: self._name("PATH", match[0]), text
                )
        if "/" in text:
            text = _PATH.sub(lambda match: self._without_path(match, kept), text)
        for kind, name in self._words:
            if name.lower() in text.lower():
                word = rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"
                text = re.sub(word, self._name(kind, name.partition(".")[0]), text, flags=re.IGNORECASE)
        return text

    def _reason(self, reason: Reason, *, kept: frozenset[str]) -> Mapping[str, Any]:
        """Change what others said; the rest of its fields is ours or the page's."""
        fields = reason.model_dump(mode="json")
        return {**fields, "error": self.text(fields["error"], kept)} if "error" in fields else fields

    def _without_path(self, match: re.Match[str], kept: frozenset[str]) -> str:
        found = match[0]
        path = found.rstrip(".:")
        if match["path"] is None or path in kept:
            return found
        return self._name("PATH", path) + found[len(path) :]

    def _name(self, kind: str, value: str) -> str:
        """Number the values of a kind as they come."""
        number = sum(known == kind for known, _ in self._names) + 1
        return self._names.setdefault((kind, value), f"{kind}-{number}")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Veiled:
    """The contents of an attempt without what its record tells of a machine."""

    veil: _Veil
    contents: Contents

    @property
    def workload(self) -> str:
        return self.contents.workload

    @property
    def metrics(self) -> Mapping[str, float | None]:
        return self.contents.metrics

    @property
    def record(self) -> RunRecord:
        return self.veil.over_record(self.contents.record)


def _all_texts(source: Source) -> Iterator[tuple[str, str]]:
    """Every text of a campaign with its key; of pings that succeeded the scenario has them all."""
    yield from _texts(source.scenario.model_dump(mode="json"))
    for facts in source.provenances:
        yield from _texts(facts)
    for factors in {id(entry.factors): entry.factors for entry in source.entries}.values():
        yield from _texts(factors, "factors")
    for entry in source.entries:
        if entry.workload != "ping" or entry.status != "succeeded":
            yield from _texts(entry.record.model_dump(mode="json"))


def _is_left_out(fact: str) -> bool:
    return any(word in fact for word in LEFT_OUT)


def _longest_first(word: tuple[str, str]) -> tuple[int, tuple[str, str]]:
    return -len(word[1]), word


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in data with the key that it is under; of factors that is the key of their table."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, below in value.items():
            yield from _texts(below, key if key in _TABLES_OF_FACTORS else name)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from _texts(below, key)
