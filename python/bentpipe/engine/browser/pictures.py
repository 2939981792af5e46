"""Pictures of a page as it appeared, and how complete each was.

By colour histograms, as Speed Index does (WebPagetest): what is in its place does not matter, only that it is
there.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bentpipe.engine.browser.sighting import FrameSighting

_LEVELS = 256
_CHANNELS = 3
_WHITE = _LEVELS - 1

Histogram = NDArray[np.float64]
"""Of the three colours, one after another: the share of the pixels at each level."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture of the window (JPEG or PNG), and when it was shown by CLOCK_MONOTONIC."""

    at_ns: int
    image: bytes


def kept(pictures: Sequence[Picture], folder: Path, *, kind: str = "jpg") -> list[FrameSighting]:
    """Write pictures into a folder, of equal ones in a row the first, and say how complete each is.

    Before the first there was an empty window.
    """
    different = [
        picture
        for number, picture in enumerate(pictures)
        if number == 0 or picture.image != pictures[number - 1].image
    ]
    complete = completeness([histogram(picture.image) for picture in different])
    frames = []
    for number, (picture, share) in enumerate(zip(different, complete, strict=True)):
        name = f"frame-{number:03}.{kind}"
        (folder / name).write_bytes(picture.image)
        frames.append(FrameSighting(at_ns=picture.at_ns, file=name, completeness=share))
    return frames


def completeness(histograms: Sequence[Histogram]) -> list[float]:
    """Return how much of the way from an empty window to the last picture each has gone.

    `1 - |last - one| / |last - empty|` with sums of absolute differences of levels, not below 0. A window
    that stays empty is complete.
    """
    if not histograms:
        return []
    last = histograms[-1]
    way = _distance(last, _empty())
    if way == 0:
        return [1.0] * len(histograms)
    return [max(0.0, 1.0 - _distance(last, one) / way) for one in histograms]


def histogram(image: bytes) -> Histogram:
    """Return the histogram of a picture."""
    with Image.open(io.BytesIO(image)) as picture:
        counts = np.array(picture.convert("RGB").histogram(), dtype=np.float64)
    shares: Histogram = counts * _CHANNELS / counts.sum()
    return shares


def _empty() -> Histogram:
    shares = np.zeros((_CHANNELS, _LEVELS))
    shares[:, _WHITE] = 1.0
    return shares.ravel()


def _distance(one: Histogram, other: Histogram) -> float:
    return float(np.abs(one - other).sum())
