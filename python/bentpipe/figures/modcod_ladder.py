"""The MODCODs of a DVB-S2 carrier by Es/N0 and efficiency, and where clear sky stands among them."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import colours, style
from bentpipe.model.description import Dvbs2Description, ModcodDescription
from bentpipe.model.dvbs2 import AdaptiveModulationSpec, ByClassModulationSpec, Dvbs2CapacitySpec
from bentpipe.scenario.link.description import by_number, modulation_of

HEIGHT_IN = 3.2

_RING = 11.0
_LABEL_DB, _LABEL_HEIGHT = 1.1, 0.22
"""Extent of a code rate in the figure, in dB and bit/symbol."""

_LOOKS = dict(
    zip(("QPSK", "8PSK", "16APSK", "32APSK"), zip(style.PALETTE, "os^D", strict=False), strict=True)
)


def draw_on(axis: Axes, carrier: Dvbs2CapacitySpec, described: Dvbs2Description) -> None:
    """Draw a carrier's specification (kind dvbs2); the rates on the right are those of the data fields."""
    known = described.modcods
    clear_db, megasymbols_per_s = described.clear_sky_db, carrier.symbols_per_s / 1e6
    _draw_modcods(axis, known)
    for modcod, label in _in_use(carrier, described):
        place = (modcod.threshold_db, modcod.spectral_efficiency)
        axis.plot(*place, "o", markersize=_RING, markerfacecolor="none", markeredgecolor="black", label=label)
    label = f"clear sky, {clear_db:.1f} dB"
    axis.axvline(clear_db, color="black", linewidth=1.0, linestyle=(0, (4, 2)), label=label)
    if isinstance(carrier.modulation, AdaptiveModulationSpec):
        _draw_choice(axis, carrier.modulation.margin_db, described)
    _draw_legends(axis)
    axis.set_xlim(left=min(modcod.threshold_db for modcod in known) - 1.3)
    axis.set_title(f"Forward carrier of {megasymbols_per_s:g} Msymbol/s: its MODCODs")
    axis.set_xlabel("Es/N0 at the receiver in dB")
    axis.set_ylabel("bit/symbol")
    axis.set_ylim(bottom=0.0)
    rates = axis.secondary_yaxis(
        "right",
        functions=(
            lambda e: np.asarray(e, dtype=float) * megasymbols_per_s,
            lambda r: np.asarray(r, dtype=float) / megasymbols_per_s,
        ),
    )
    rates.set_ylabel("Mbit/s")


def _draw_modcods(axis: Axes, known: Sequence[ModcodDescription]) -> None:
    for modulation, (colour, marker) in _LOOKS.items():
        members = [modcod for modcod in known if modulation_of(modcod) == modulation]
        axis.plot(
            [modcod.threshold_db for modcod in members],
            [modcod.spectral_efficiency for modcod in members],
            marker,
            color=colour,
            markersize=4.5,
            label=modulation,
        )
    _name_rates(axis, known)


def _draw_legends(axis: Axes) -> None:
    """The marks on one side of the ladder, what stands beside them on the other."""
    handles, labels = axis.get_legend_handles_labels()
    marks = axis.legend(handles[: len(_LOOKS)], labels[: len(_LOOKS)], loc="upper left", handletextpad=0.2)
    axis.add_artist(marks)
    rest = (handles[len(_LOOKS) :], labels[len(_LOOKS) :])
    axis.legend(*rest, loc="lower right", handlelength=1.4, frameon=True, framealpha=1.0, edgecolor="none")


def _name_rates(axis: Axes, known: Sequence[ModcodDescription]) -> None:
    """Write the code rates above and left of their marks, where nothing else is."""
    named: list[ModcodDescription] = []
    for modcod in known:
        if any(_is_above_left(other, modcod) for other in known) or any(
            _is_near(modcod, other) for other in named
        ):
            continue
        named.append(modcod)
        axis.annotate(
            modcod.name.partition(" ")[2], (modcod.threshold_db, modcod.spectral_efficiency), xytext=(-4, 1),
            textcoords="offset points", ha="right", fontsize=6.5, color=_LOOKS[modulation_of(modcod)][0],
        )  # fmt: skip


def _is_above_left(one: ModcodDescription, other: ModcodDescription) -> bool:
    left_db = other.threshold_db - one.threshold_db
    above = one.spectral_efficiency - other.spectral_efficiency
    return -0.1 < left_db < _LABEL_DB and 0.0 < above < _LABEL_HEIGHT


def _is_near(one: ModcodDescription, other: ModcodDescription) -> bool:
    apart_db = abs(one.threshold_db - other.threshold_db)
    return apart_db < _LABEL_DB and abs(one.spectral_efficiency - other.spectral_efficiency) < _LABEL_HEIGHT


def _draw_choice(axis: Axes, margin_db: float, described: Dvbs2Description) -> None:
    """What ACM takes at each Es/N0, as a line, and its margin."""
    known, clear_db = by_number(described), described.clear_sky_db
    ladder = [known[number] for number in described.ladder]
    reach = [modcod.threshold_db + margin_db for modcod in ladder]
    taken = [modcod.spectral_efficiency for modcod in ladder]
    steps = ([*reach, max(reach[-1], clear_db) + 1.5], [*taken, taken[-1]])
    axis.step(*steps, where="post", color=style.GREY, linewidth=1.1, zorder=1.5, label="what ACM takes")
    if margin_db:
        band = (clear_db - margin_db, clear_db)
        axis.axvspan(*band, color=colours.ORANGE, alpha=0.3, linewidth=0, label=f"margin, {margin_db:g} dB")


def _in_use(carrier: Dvbs2CapacitySpec, described: Dvbs2Description) -> list[tuple[ModcodDescription, str]]:
    """The MODCODs of the carrier in clear sky, and what they are called in the figure."""
    known = by_number(described)
    if not isinstance(carrier.modulation, ByClassModulationSpec):
        modcod = known[described.in_use[-1]]
        return [(modcod, f"{modcod.name} in use")]
    users: dict[int, list[str]] = {}
    classes = [*(each.name for each in carrier.classes), "other"]
    for number, user in zip(described.in_use, classes, strict=True):
        users.setdefault(number, []).append(user)
    return [(known[number], f"{known[number].name}: {', '.join(names)}") for number, names in users.items()]
