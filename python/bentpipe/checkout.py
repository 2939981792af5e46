"""Whether this package stands in a checkout of the project, or was installed from a wheel."""

from pathlib import Path

_FOLDER = Path(__file__).parents[2]

CHECKOUT = _FOLDER if (_FOLDER / "crates/py/Cargo.toml").is_file() else None
"""The project's folder, where `make` is; None when a wheel brought the package."""
