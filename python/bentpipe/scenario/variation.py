"""Settings that replace a scenario's in some of its cells: a fact of a rig, an ablation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bentpipe.scenario.written.location import Location


@dataclass(frozen=True, kw_only=True)
class Variation:
    """Settings of [run] that hold, over [run] and over the matrix, in the cells that `where` names.

    A cell keeps its factors whatever a variation changes, so that cells with and without it can be compared.

    Attributes
    ----------
    name : str
        Its name, for people and for files.
    settings : mapping
        Dotted keys of [run] and their values, as a scenario would have them.
    where : mapping of str to values
        Factors of cells, each with the values for which it holds; without any it holds in all.
    place : Location
        Where the settings are written, for errors.
    """

    name: str
    settings: Mapping[str, object]
    place: Location
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_about(self, factors: Mapping[str, str]) -> bool:
        """Whether it holds in the cell of these factors."""
        return all(factors.get(name) in values for name, values in self.where.items())
