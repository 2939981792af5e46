"""What the folder of a check has beside its runs: the verdicts in all forms, and waterfalls of changes."""

import json
import re
from pathlib import Path

from bentpipe.addresses import path_of
from bentpipe.check import junit
from bentpipe.check.document import document
from bentpipe.check.load import LoadedObject
from bentpipe.check.markdown import markdown
from bentpipe.check.order import Changed, Checked
from bentpipe.check.words import name_of
from bentpipe.figures import waterfall_difference
from bentpipe.figures.drawing import Drawing, save
from bentpipe.figures.waterfall_difference import Instants, Row
from bentpipe.output_folder import Superseded, staged

JSON, MARKDOWN, JUNIT = "check.json", "check.md", "junit.xml"
FIGURES, WATERFALL = "figures", "waterfall-"
_WATERFALLS = Superseded(folder=FIGURES, names=re.compile(rf"{WATERFALL}[0-9]+\.(svg|pdf)"))
"""As they are written here: other names are the user's own."""


def write(checked: Checked, folder: Path) -> None:
    """Write all forms of a check, and the waterfalls of loads that changed, into the folder of its runs.

    Waterfalls of an earlier check that are none of this one's are removed.

    Raises
    ------
    StorageError
        When the disk does not take it.
    """
    with staged(folder, superseded=_WATERFALLS) as staging:
        (staging / JSON).write_text(json_text(checked), encoding="utf-8")
        (staging / MARKDOWN).write_text(markdown(checked), encoding="utf-8")
        (staging / JUNIT).write_bytes(junit.document(checked))
        for number, changed in enumerate(checked.changes, start=1):
            save(_drawing(changed, name=f"{WATERFALL}{number}"), staging / FIGURES)


def json_text(checked: Checked) -> str:
    """Return a check as the text of a JSON document."""
    return json.dumps(document(checked), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _drawing(changed: Changed, *, name: str) -> Drawing:
    change = changed.change
    rows = [
        Row(name=path_of(pair.now.url), before=_instants(pair.before), now=_instants(pair.now))
        for pair in change.pairs
    ]
    rows += [Row(name=path_of(each.url), before=None, now=_instants(each)) for each in change.added]
    rows += [Row(name=path_of(each.url), before=_instants(each), now=None) for each in change.removed]
    return waterfall_difference.draw(name=name, title=f"What changed: {name_of(changed.cell)}", rows=rows)


def _instants(item: LoadedObject) -> Instants:
    return Instants(
        discovered_s=item.discovered_s,
        request_s=item.request_s,
        first_byte_s=item.first_byte_s,
        last_byte_s=item.last_byte_s,
    )
