"""The settings of a question that can be: none that the scenario refuses, and none twice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bentpipe.advise.factors import Setting
from bentpipe.advise.question import Question, key_of
from bentpipe.errors import InputError
from bentpipe.scenario import Cell, canonical_json


@dataclass(frozen=True, kw_only=True, eq=False)
class Contender:
    """A setting with its cell over each link."""

    setting: Setting
    cells: Mapping[str, Cell]

    def changes(self, present: "Contender") -> int:
        """Return how many keys differ from the present setting's."""
        ours, theirs = dict(key_of(self.setting)), dict(key_of(present.setting))
        return sum(ours.get(key) != theirs.get(key) for key in ours.keys() | theirs.keys())


class Contenders:
    """All that have been named so far; the present setting is the first.

    Settings whose runs would be equal are one, under the name that came first: a key that has no effect
    beside the others is not in a specification.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._by_specs: dict[tuple[str, ...], Contender] = {}
        present = self.named(question.present)
        assert present is not None, "checked before"
        self.present = present

    def __iter__(self) -> Iterator[Contender]:
        return iter(self._by_specs.values())

    def __len__(self) -> int:
        return len(self._by_specs)

    def named(self, setting: Setting) -> Contender | None:
        """Return the contender of a setting; None where the scenario refuses it over one of the links."""
        try:
            cells = {link: self._question.cell(link, setting) for link in self._question.links}
        except InputError:
            return None
        specs = tuple(canonical_json(cell.spec) for cell in cells.values())
        return self._by_specs.setdefault(specs, Contender(setting=setting, cells=cells))

    def all(self) -> tuple[Contender, ...]:
        """Return those of the whole space, and the present one."""
        for setting in self._question.space.settings():
            self.named(setting)
        return tuple(self)
