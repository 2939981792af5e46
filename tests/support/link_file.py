"""A link as its author writes it, in a file."""

from pathlib import Path

from bentpipe.model.draft.link import LinkSpec
from bentpipe.scenario.links import link

NAME = "mine.toml"

CCM = """
rtt = "500 ms"
[return]
rate = "1 Mbit/s"
[forward.dvbs2]
symbol_rate = "4 Msym/s"
modcod = "8PSK 3/4"
"""
"""A DVB-S2 carrier with one MODCOD."""


def resolved(folder: Path, text: str) -> LinkSpec:
    """Return what the link comes to that is written into this folder."""
    (folder / NAME).write_text(text)
    return link(NAME, folder=folder)
