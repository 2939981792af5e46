"""How the time of a return link is divided, what one burst carries, and what the terminal may have of it."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from bentpipe.figures import colours, style
from bentpipe.model.description import SlotsDescription
from bentpipe.model.rcs2 import LayoutSpec, Rcs2CapacitySpec
from bentpipe.scenario.link.mix_words import counted, mix_slots, mix_words

REQUEST, TRAFFIC, GUARD = style.PALETTE[1], style.PALETTE[0], "black"
KIND_COLOURS = {
    "CRA": colours.BLUE,
    "RBDC": colours.ORANGE,
    "VBDC": colours.GREEN,
    "AVBDC": colours.GREEN,
    "FCA": colours.SKY_BLUE,
}

_MOST_CARRIERS = 6
_MOST_SLOTS = 300
"""More of one kind side by side are drawn as one."""
_SHOWN_BURSTS = 2


def heights_in(return_link: Rcs2CapacitySpec) -> tuple[float, float, float]:
    """Heights of the three panels."""
    rows = min(_MOST_CARRIERS, return_link.layout.carriers)
    return 0.9 + 0.22 * rows, 0.95, 0.65 + 0.5 * (1 + len(return_link.classes))


def draw_layout_on(axis: Axes, layout: LayoutSpec, described: SlotsDescription) -> None:
    """Draw a superframe: a row for each carrier, its frames with request slots and traffic slots."""
    carriers, frames = layout.carriers, layout.frames
    shown = min(carriers, _MOST_CARRIERS)
    ms_per_symbol = 1e3 / layout.symbols_per_s
    superframe_ms = described.superframe_symbols * ms_per_symbol
    for frame in range(frames):
        start = frame * described.frame_symbols
        for row in range(shown):
            for spans, colour in _slots(layout, start):
                bars = [(a * ms_per_symbol, (b - a) * ms_per_symbol) for a, b in spans]
                # Snapped to pixels, narrow slots of one length would differ.
                axis.broken_barh(bars, (row - 0.36, 0.72), color=colour, linewidth=0, snap=False)
        axis.plot([start * ms_per_symbol] * 2, [-0.55, -0.4], color="black", linewidth=1.2)
    axis.set_xlim(0.0, superframe_ms)
    axis.set_ylim(shown - 0.45, -0.55)
    style.strip(axis)
    if carriers > 1:
        axis.set_yticks(range(shown), [f"{row + 1}" for row in range(shown)])
        axis.set_ylabel("carrier")
    axis.grid(visible=False)
    rest = f" ({shown} of {carriers} carriers are shown)" if shown < carriers else ""
    each = counted(layout.traffic_slots, "traffic slot")
    requests = counted(layout.request_slots, "request slot")
    axis.set_title(
        f"Return superframe of {superframe_ms:.1f} ms: {counted(frames, 'frame')}"
        f"\nof {requests} (orange) and {each} (blue)"
    )
    axis.set_xlabel(f"ms{rest}")


def draw_burst_on(axis: Axes, layout: LayoutSpec, described: SlotsDescription) -> None:
    """Draw the start of a frame, in symbols: request slot, traffic slots, guard times."""
    carried = described.burst
    guard, at = layout.guard_symbols, 0
    lengths = [(layout.request_symbols, REQUEST, "request")] * min(1, layout.request_slots)
    lengths += [(layout.burst_symbols, TRAFFIC, f"{carried.payload_bytes} B")] * min(
        _SHOWN_BURSTS, layout.traffic_slots
    )
    for symbols, colour, words in lengths:
        axis.broken_barh([(at, symbols)], (-0.36, 0.72), color=colour, linewidth=0)
        axis.broken_barh([(at + symbols, guard)], (-0.36, 0.72), color=GUARD, linewidth=0)
        axis.text(at + symbols / 2, 0, words, ha="center", va="center", color="white", fontsize=8.5)
        at += symbols + guard
    axis.set_xlim(0, at)
    axis.set_ylim(0.5, -0.5)
    style.strip(axis)
    axis.grid(visible=False)
    axis.set_title(f"A burst: {carried.name}, {carried.payload_bytes} B")
    guards = f"guard times of {guard} black" if guard else "no guard times"
    axis.set_xlabel(f"symbols since the start of a frame; {guards}")


def draw_mixes_on(axis: Axes, return_link: Rcs2CapacitySpec, described: SlotsDescription) -> None:
    """Draw what each class may have, in slots per superframe; what counts at most is pale."""
    columns = described.columns
    rows = [
        *((each.class_.name, each.mix) for each in return_link.classes),
        ("other", return_link.mix),
    ]
    for place, (name, mix) in enumerate(rows):
        left = 0.0
        for kind, slots in mix_slots(mix):
            alpha, ink = (1.0, "white") if kind == "CRA" else (0.6, "black")
            axis.barh(place, slots, left=left, height=0.4, color=KIND_COLOURS[kind], alpha=alpha, linewidth=0)
            if slots > 0.1 * columns:
                axis.text(left + slots / 2, place, kind, ha="center", va="center", fontsize=8, color=ink)
            left += slots
        prefix = f"{name}: " if len(rows) > 1 else ""
        style.heading(axis, place - 0.3, f"{prefix}{mix_words(mix)}")
    style.strip(axis)
    axis.set_ylim(len(rows) - 0.7, -0.85)
    axis.set_xlim(0, columns)
    axis.grid(visible=False, axis="y")
    axis.set_title("What the terminal may have" + (", by class" if len(rows) > 1 else ""))
    axis.set_xlabel(f"slots per superframe, of {counted(columns, 'slot')} of a carrier")


def _slots(layout: LayoutSpec, start: int) -> list[tuple[Sequence[tuple[int, int]], tuple[str, float]]]:
    """The slots of a frame by their colour: neighbours alternate, so that they can be told apart."""
    guard, at = layout.guard_symbols, start
    found: list[tuple[Sequence[tuple[int, int]], tuple[str, float]]] = []
    for count, symbols, colour in (
        (layout.request_slots, layout.request_symbols, REQUEST),
        (layout.traffic_slots, layout.burst_symbols, TRAFFIC),
    ):
        pitch = symbols + guard
        slots = [(at + n * pitch, at + n * pitch + symbols) for n in range(count)]
        at += count * pitch
        if count * layout.frames > _MOST_SLOTS:
            slots = [(slots[0][0], slots[-1][1])]
        found += [(slots[0::2], (colour, 1.0)), (slots[1::2], (colour, 0.7))]
    return found
