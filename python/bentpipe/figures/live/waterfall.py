"""The waterfall of one page load: what each object waited for, told by the pointer."""

from typing import TYPE_CHECKING, Any

from bentpipe.figures import load_phases, waterfall
from bentpipe.figures.live import plot as plots
from bentpipe.model.record import RunRecord

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

_MOST_LABELLED = 40
_THICK = 0.66
_MS = 3
"""Decimals of seconds that are kept."""


def draw(record: RunRecord) -> "LayoutDOM":
    """Draw one run's objects and connections as `load_phases` has them."""
    from bokeh.models import FixedTicker, Range1d

    connections = record.client_connections
    objects = load_phases.in_order(record.objects)
    count = len(connections) + len(objects)
    end_s = load_phases.end_s(record)
    plot = plots.empty(
        x_label="Time in s",
        x_range=Range1d(start=0.0, end=end_s, bounds=(0.0, end_s)),
        y_range=Range1d(start=count - 0.5, end=-0.5, bounds=(-0.5, count - 0.5)),
    )
    names = [waterfall.connection_name(each, len(connections)) for each in connections]
    names += [waterfall.short_path(each.url) for each in objects]
    _draw_connections(plot, record, names)
    _draw_objects(plot, record, first=len(connections))
    plot.ygrid.grid_line_color = None
    if count <= _MOST_LABELLED:
        plot.yaxis.ticker = FixedTicker(ticks=list(range(count)))
        plot.yaxis.major_label_overrides = dict(enumerate(names))
        plot.yaxis.major_label_text_font_size = "10px"
    else:
        plot.yaxis.visible = False
    return plot


def _draw_connections(plot: "figure", record: RunRecord, names: list[str]) -> None:
    from bokeh.models import ColumnDataSource

    glyphs = []
    for phase in load_phases.phases(record)[:3]:
        if phase.spans:
            source = ColumnDataSource(
                {
                    "y": [span.row for span in phase.spans],
                    "name": [names[span.row] for span in phase.spans],
                    "from": _rounded(span.start_s for span in phase.spans),
                    "to": _rounded(span.end_s for span in phase.spans),
                }
            )
            glyphs.append(
                plot.hbar(
                    y="y", left="from", right="to", height=_THICK, color=phase.colour, line_color=None,
                    source=source, name=phase.name,
                )
            )  # fmt: skip
    plots.add_hover(plot, glyphs, [("", "@name: $name"), ("from", "@from s"), ("to", "@to s")])


def _draw_objects(plot: "figure", record: RunRecord, *, first: int) -> None:
    from bokeh.models import ColumnDataSource

    objects = load_phases.in_order(record.objects)
    source = ColumnDataSource(
        {
            "y": list(range(first, first + len(objects))),
            "url": [each.url for each in objects],
            "bytes": [each.bytes for each in objects],
            "known": _rounded(each.discovered_s for each in objects),
            "asked": _rounded(each.request_s for each in objects),
            "begun": _rounded(each.first_byte_s for each in objects),
            "done": _rounded(each.last_byte_s for each in objects),
        }
    )
    colour = load_phases.load_colour(record)
    shared: dict[str, Any] = {"y": "y", "source": source, "line_color": None}
    glyphs = [
        plot.hbar(left="known", right="asked", height=_THICK / 4, color=load_phases.QUEUED, **shared),
        plot.hbar(left="asked", right="begun", height=_THICK, color=colour,
                  fill_alpha=load_phases.WAIT_OPACITY, **shared),
        plot.hbar(left="begun", right="done", height=_THICK, color=colour, **shared),
    ]  # fmt: skip
    plots.add_hover(
        plot,
        glyphs,
        [
            ("", "@url"),
            ("bytes", "@bytes"),
            ("known", "@known s"),
            ("requested", "@asked s"),
            ("first byte", "@begun s"),
            ("complete", "@done s"),
        ],
    )


def _rounded(seconds: Any) -> list[float]:
    return [round(float(each), _MS) for each in seconds]
