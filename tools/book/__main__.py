"""Lays the sources of the site into a folder for MkDocs: `python -m tools.book build/docs-source`."""

import sys
from pathlib import Path

from tools.book import reference, staging


def main() -> None:
    """Write the folder that the first argument names anew."""
    target = Path(sys.argv[1])
    staging.stage(target)
    for path, text in reference.files().items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)


if __name__ == "__main__":
    main()
