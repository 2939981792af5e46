"""Cells that another version emulated, anew: what is kept of a cell stays until all its runs are there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bentpipe
from bentpipe.campaign.engine import Engine
from tools.agreement_random import measuring
from tools.agreement_random.store import Measured, Store


def renew(store: Store, names: Sequence[str], *, engine: Engine, results: Path) -> None:
    """Emulate those of the cells anew whose values are another version's, each as often as it was.

    Parameters
    ----------
    store : Store
        Takes a cell when all its runs have ended, also where the others are interrupted.
    names : sequence of str
        The cells.
    engine : Engine
        The emulator.
    results : Path
        A folder for what has been measured by then, of this version alone.

    Raises
    ------
    KeyboardInterrupt
        When it was interrupted; the next call goes on.
    """
    folder = results / f"renewed-{bentpipe.__version__}"
    folder.mkdir(parents=True, exist_ok=True)
    beside = Store(folder / "cells.csv")
    others = [store[name] for name in names if _is_of_another_version(store[name])]
    beside.put(*(replace(each, emulated={}, facts={}) for each in others if each.cell.name not in beside))
    wanted = [each.cell.name for each in others]
    try:
        measuring.emulate_missing(beside, wanted, engine=engine, results=folder)
    finally:
        store.put(*(beside[name] for name in wanted if not beside[name].missing))


def _is_of_another_version(measured: Measured) -> bool:
    """Whether a cell was emulated, and not by this version of Bentpipe."""
    return measured.facts.get("bentpipe", bentpipe.__version__) != bentpipe.__version__
