"""The section on random cells put into docs/agreement.md, and its figure beside it."""

from pathlib import Path

from bentpipe.figures.drawing import svg_text
from tools.agreement_random import drawing, page
from tools.agreement_random.cells import MOST_REPETITIONS
from tools.agreement_random.comparing import compared
from tools.agreement_random.measuring import samples, tested, with_host_jitter, with_other_seeds
from tools.agreement_random.mechanisms import mechanisms
from tools.agreement_random.needed import reached
from tools.agreement_random.store import Store

RUNS = (MOST_REPETITIONS, 25, 75, 150, 300)
"""Of which the page says what they reach."""


def report(store: Store, file: Path) -> bool | None:
    """Write the section into a page; tell whether the bars are met, or None where nothing is measured yet."""
    cells = store.all()
    complete = [each for each in cells if not each.missing]
    found = tested([each for measured in complete for each in compared(measured)])
    shown = page.distributions(found)
    if not shown:
        return None
    figure = drawing.draw(shown)
    file.with_name(f"{figure.name}.svg").write_text(svg_text(figure), encoding="utf-8")
    sampled = samples(complete)
    section = page.section(
        cells,
        found,
        mechanisms(),
        with_other_seeds=with_other_seeds(complete),
        with_jitter=with_host_jitter(complete),
        needed=[reached(sampled, runs) for runs in RUNS],
        figure=f"{figure.name}.svg",
    )
    file.write_text(page.in_page(file.read_text(encoding="utf-8"), section), encoding="utf-8")
    return page.holds(found)
