"""The table of a study's short matrix on both engines, for its page."""

from collections.abc import Iterator

from tools.block import row
from tools.study_pages.emulation import ComparedCell, Emulation, Mean

MARK = "emulated"


def lines(found: Emulation) -> Iterator[str]:
    """Yield the lines between the marks."""
    same = sum(each.emulated_agreement == each.simulated_agreement for each in found.findings)
    yield (
        f"`bentpipe reproduce {found.name} --quick` ({', '.join(found.measured_with)}): {found.succeeded} of "
        f"{found.planned} runs valid. Of the {len(found.findings)} comparisons that so few cells can test, "
        f"{same} come to the same verdict on the real kernel and in virtual time with the same settings. "
        "Intervals are 95 %."
    )
    if found.left_out:
        names = ", ".join(f"`{name}`" for name in found.left_out)
        yield f"The kernel has not got these facts of the rig, which neither side has here: {names}."
    yield ""
    yield row("Cell", "Quantity", "Real kernel", "Virtual time", "Difference")
    yield row("---", "---", "---", "---", "---")
    for cell in found.cells:
        yield row(
            cell.cell,
            cell.heading,
            _mean(cell.emulated, cell.decimals),
            _mean(cell.simulated, cell.decimals),
            _difference(cell),
        )
    apart = [each for each in found.findings if each.emulated_agreement != each.simulated_agreement]
    if apart:
        yield ""
        yield row("Other verdict", "Comparison", "Published", "Real kernel", "Virtual time")
        yield row("---", "---", "---", "---", "---")
        for each in apart:
            yield row(
                each.claim_id,
                each.label,
                each.published,
                f"{each.emulated}: {each.emulated_agreement}",
                f"{each.simulated}: {each.simulated_agreement}",
            )


def _mean(found: Mean, decimals: int) -> str:
    reach = "" if found.low is None else f" ({found.low:.{decimals}f} to {found.high:.{decimals}f})"
    return f"{found.mean:.{decimals}f}{reach}"


def _difference(cell: ComparedCell) -> str:
    if not cell.emulated.mean:
        return "-"
    return f"{100 * (cell.simulated.mean / cell.emulated.mean - 1):+.1f} %"
