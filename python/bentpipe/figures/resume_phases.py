"""The phases of Careful Resume (RFC 9959) behind a window over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

SHADES: Mapping[str, str] = {
    "reconnaissance": "#E3E6EA",
    "unvalidated": "#FBE3B0",
    "validating": "#CFE8D5",
    "safe_retreat": "#F5CFC4",
}
"""What a phase is filled with; where the congestion control is alone nothing is."""

_BEHIND = 0.4


@dataclass(frozen=True, kw_only=True)
class PhaseSpan:
    """A phase of a connection, in s from the start of the run."""

    phase: str
    from_s: float
    to_s: float


def spans(starts: Sequence[tuple[float, str]], *, end_s: float) -> list[PhaseSpan]:
    """Return the phases to draw, each from its start to that of the next one or to the end of the run."""
    if not starts:
        return []
    ends_s = [at_s for at_s, _ in starts[1:]] + [end_s]
    return [
        PhaseSpan(phase=phase, from_s=at_s, to_s=to_s)
        for (at_s, phase), to_s in zip(starts, ends_s, strict=True)
        if phase in SHADES and to_s > at_s
    ]


def draw_on(axis: Axes, found: Sequence[PhaseSpan]) -> None:
    """Draw a band for each phase behind everything."""
    for span in found:
        # The line around a band keeps a short one visible.
        shade = SHADES[span.phase]
        axis.axvspan(span.from_s, span.to_s, facecolor=shade, edgecolor=shade, linewidth=0.4, zorder=_BEHIND)


def keys(found: Sequence[PhaseSpan]) -> list[Artist]:
    """Return what a legend says of the phases that there are."""
    there = {span.phase for span in found}
    return [
        Patch(facecolor=shade, label=phase.replace("_", " "))
        for phase, shade in SHADES.items()
        if phase in there
    ]
