"""What makes figures of a page interactive: their data, BokehJS, and a few lines that put both together."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from bentpipe.figures.drawing import Drawing
from bentpipe.ledger import Entry
from bentpipe.report.cells import CellResult

MOST_FALLS = 24
"""Cells whose median run has an interactive waterfall: each takes as much as ten that are drawn."""


@dataclass(frozen=True, kw_only=True)
class Live:
    """The interactive figures of a page: JSON by name, and the scripts that they need, none without figures.

    Nothing is loaded from anywhere, and no other script runs: the page's policy has the digest of each.
    """

    data: Mapping[str, str]
    scripts: tuple[str, ...]

    @property
    def policy(self) -> str:
        """The page's content security policy."""
        digests = [b64encode(sha256(script.encode()).digest()).decode() for script in self.scripts]
        allowed = "".join(f" 'sha256-{digest}'" for digest in digests)
        scripts = f"; script-src{allowed}" if allowed else ""
        return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'{scripts}"


def gather(drawings: Sequence[Drawing], cells: Sequence[CellResult] = ()) -> Live:
    """Return the interactive figures among the drawings, and waterfalls of the cells' median runs."""
    from bentpipe.figures.live import waterfall
    from bentpipe.figures.live.document import document_json

    data = {
        each.name: document_json(each.live(), name=each.name) for each in drawings if each.live is not None
    }
    fallen = [run for cell in cells if (run := cell.median_run) is not None and run.record.objects]
    for run in fallen[:MOST_FALLS]:
        name = fall_name(run)
        data[name] = document_json(waterfall.draw(run.record), name=name)
    return Live(data=data, scripts=_scripts() if data else ())


def fall_name(run: Entry) -> str:
    """The name of a run's waterfall."""
    return f"fall-{run.run_id}"


def _scripts() -> tuple[str, str]:
    bokeh = files("bokeh").joinpath("server/static/js/bokeh.min.js").read_text(encoding="utf-8")
    ours = files("bentpipe.report").joinpath("templates/live.js").read_text(encoding="utf-8")
    assert "</script" not in bokeh.lower()
    return bokeh, ours
