"""Something that is on or off.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Switch: TypeAlias = Literal["off", "on"]
"""A setting that is in use or is not. One that a spec does not name is off."""
