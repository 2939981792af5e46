"""Where the bytes of page loads went, by layer, over several runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bentpipe.model.record import BytesByLayer
from bentpipe.stats.grouping import Measured, succeeded

LAYERS = ("ip", "transport", "tls", "framing", "header", "body")
"""From the wire inwards; the names in a record end in `_bytes` (crates/run/src/layers.rs)."""
WAYS = ("down", "up")


@dataclass(frozen=True, kw_only=True)
class Layers:
    """Mean bytes of both directions by layer over `n` runs.

    `header_ratio` is what header fields took on the wire over what they are as text: of HPACK, QPACK and zlib
    the compression, of HTTP/1 a little above one, for requests and responses have a first line besides.
    """

    n: int
    mean_bytes: Mapping[str, float]
    header_ratio: float | None

    @property
    def total_bytes(self) -> float:
        """All layers together: what was on the wire."""
        return sum(self.mean_bytes.values())


def mean_layers(runs: Iterable[Measured]) -> Layers | None:
    """The layers of the succeeded runs that were counted; None without one."""
    found = [layers for run in runs if succeeded(run) and (layers := run.record.bytes_by_layer)]
    if not found:
        return None
    means = {layer: sum(_both(layers, layer) for layers in found) / len(found) for layer in LAYERS}
    text = sum(_both(layers, "uncompressed_header") for layers in found)
    sent = means["header"] * len(found)
    return Layers(n=len(found), mean_bytes=means, header_ratio=sent / text if text else None)


def _both(layers: BytesByLayer, layer: str) -> float:
    return float(sum(getattr(direction, f"{layer}_bytes") for direction in (layers.down, layers.up)))
