"""The section on random cells put into docs/agreement.md, and its figure beside it."""

from pathlib import Path

from bentpipe.figures.drawing import svg_text
from tools.agreement_random import drawing, page
from tools.agreement_random.comparing import compared
from tools.agreement_random.mechanisms import mechanisms
from tools.agreement_random.sampling import sampled
from tools.agreement_random.store import Store


def report(store: Store, file: Path) -> bool | None:
    """Write the section into a page; tell whether the bars are met, or None where nothing is measured yet."""
    cells = store.all()
    measured = [each for each in cells if each.is_measured]
    found = sampled([each for cell in measured for each in compared(cell)])
    shown = page.distributions(found)
    if not shown:
        return None
    figure = drawing.draw(shown)
    file.with_name(f"{figure.name}.svg").write_text(svg_text(figure), encoding="utf-8")
    section = page.section(cells, found, mechanisms(), figure=f"{figure.name}.svg")
    file.write_text(page.in_page(file.read_text(encoding="utf-8"), section), encoding="utf-8")
    return page.holds(found)
