"""Lays the sources of the site into a folder for MkDocs: `python -m tools.book build/docs-source`."""

import argparse
from pathlib import Path

from tools.book import reference, staging


def main() -> None:
    """Write the folder that the first argument names anew."""
    parser = argparse.ArgumentParser(prog="python -m tools.book", description=__doc__)
    parser.add_argument("target", type=Path, help="a folder below build/, deleted and written anew")
    target = parser.parse_args().target
    build = staging.ROOT / "build"
    if build not in target.resolve().parents:
        parser.error(f"target: expected a folder below {build}, which is deleted first, found {target}")
    staging.stage(target)
    for path, text in reference.files().items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)


if __name__ == "__main__":
    main()
