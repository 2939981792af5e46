"""Keep what a study's ablations found, and write the table of its page.

Arguments are folders of results that `bentpipe reproduce NAME --ablations` made beside the base's
(results/NAME-simulate-ablations), or names of studies whose kept results are written into their pages again.
"""

import argparse
from pathlib import Path

from tools.study_pages import kept, page


def main() -> None:
    """Keep each folder's claims, or read those that are kept, and fill in the pages."""
    parser = argparse.ArgumentParser(prog="python -m tools.study_pages", description=__doc__)
    parser.add_argument("results", nargs="+", metavar="FOLDER|NAME")
    for name in parser.parse_args().results:
        report = Path(name) / "report.json"
        study = kept.keep(report) if report.is_file() else kept.read(name)
        print(page.fill(study))


if __name__ == "__main__":
    main()
