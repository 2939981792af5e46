"""Something that is on or off.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from enum import StrEnum


class Switch(StrEnum):
    """A setting that is in use or is not. One that a spec does not name is off."""

    OFF = "off"
    """Not in use."""
    ON = "on"
    """In use."""
