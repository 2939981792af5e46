"""Keep what a study was measured to be, and write the tables of its page.

Arguments are folders of results or names of studies. Of a folder that `bentpipe reproduce NAME --ablations`
made beside the base's (results/NAME-simulate-ablations) the claims are kept; of one by `bentpipe reproduce
NAME --quick` in real time, how it compares with virtual time, which is measured then. Of a name, what is kept
is written into the page again.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from tools import block
from tools.study_pages import emulation, emulation_page, kept, page, scores

ABLATIONS = "-ablations"
"""How the folder of a study's ablations ends."""


def main() -> None:
    """Keep each folder, or read what is kept, and fill in the pages."""
    parser = argparse.ArgumentParser(prog="python -m tools.study_pages", description=__doc__)
    parser.add_argument("results", nargs="+", metavar="FOLDER|NAME")
    for name in parser.parse_args().results:
        for filled in _fill(name):
            print(filled)


def _fill(name: str) -> Iterator[Path]:
    folder = Path(name)
    if folder.is_dir() and not name.rstrip("/").endswith(ABLATIONS):
        yield _fill_emulated(emulation.keep(folder))
        return
    study = kept.keep(folder) if folder.is_dir() else kept.read(name)
    yield block.fill(kept.page_of(study.name), page.MARK, list(page.lines(study)))
    yield block.fill(kept.page_of(scores.PAGE), scores.MARK, list(scores.lines(kept.every())))
    if not folder.is_dir() and (emulation.FOLDER / f"{name}.json").is_file():
        yield _fill_emulated(emulation.load(name))


def _fill_emulated(found: emulation.Emulation) -> Path:
    return block.fill(kept.page_of(found.name), emulation_page.MARK, list(emulation_page.lines(found)))


if __name__ == "__main__":
    main()
