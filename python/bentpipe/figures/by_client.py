"""A metric by page and protocol: a row for each, in it one mark for each client."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.mean_mark import reach
from bentpipe.stats import Summary, factor_label

_ROW_IN = 0.23
_HEADING = 0.8
"""In rows: the room for a page's name above its own."""
_SPREAD = 0.3
_ROOM = 1.03
"""So that no mark is cut in half by the edge."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One cell: its page, its protocol, its client and its summary."""

    page: str
    protocol: str
    client: str
    summary: Summary


@style.applied()
def draw(*, name: str, title: str, axis_label: str, marks: Sequence[Mark]) -> Drawing:
    """Draw pages, their protocols and the clients of these in the order of their first mark."""
    pages: dict[str, list[str]] = {}
    for mark in marks:
        protocols = pages.setdefault(mark.page, [])
        if mark.protocol not in protocols:
            protocols.append(mark.protocol)
    clients = list(dict.fromkeys(mark.client for mark in marks))
    places, headings, ends_at = _places(pages)
    figure, (axis,) = style.canvas(panels=1, panel_height_in=0.5 + _ROW_IN * ends_at)
    for mark in marks:
        aside = ((clients.index(mark.client) + 0.5) / len(clients) - 0.5) * 2 * _SPREAD
        colour = style.look(mark.protocol).colour
        axis.errorbar(
            mark.summary.mean,
            places[mark.page, mark.protocol] + aside,
            xerr=reach(mark.summary),
            color=colour,
            marker=style.client_marker(mark.client),
            markerfacecolor="white" if clients.index(mark.client) else colour,
            markersize=4.0,
            capsize=1.6,
            elinewidth=0.8,
            linestyle="none",
        )
    for page, above in headings.items():
        style.heading(axis, above, page)
    axis.set_yticks(list(places.values()), [style.look(protocol).label for _, protocol in places])
    axis.set_ylim(ends_at, 0.0)
    axis.set_xlim(0.0, _ROOM * axis.get_xlim()[1])
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(axis_label)
    keys = [_key(client, is_first=place == 0) for place, client in enumerate(clients)]
    figure.legend(handles=keys, loc="outside upper left", ncols=len(keys), handlelength=1.0)
    return Drawing(
        name=name,
        title=title,
        caption=interval_caption([mark.summary.n for mark in marks]),
        figure=figure,
    )


def _places(
    pages: dict[str, list[str]],
) -> tuple[dict[tuple[str, str], float], dict[str, float], float]:
    """The middle of each row, the line on which each page's name stands, and the end of all."""
    places: dict[tuple[str, str], float] = {}
    headings: dict[str, float] = {}
    at = 0.0
    for page, protocols in pages.items():
        headings[page] = at + _HEADING - 0.1
        at += _HEADING
        for protocol in protocols:
            places[page, protocol] = at + 0.5
            at += 1.0
    return places, headings, at + 0.1


def _key(client: str, *, is_first: bool) -> Line2D:
    marker = style.client_marker(client)
    face = style.GREY if is_first else "white"
    label = factor_label("client", client)
    return Line2D(
        [], [], color=style.GREY, marker=marker, markerfacecolor=face, linestyle="none", label=label
    )
