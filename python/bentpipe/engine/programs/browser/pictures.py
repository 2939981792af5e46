"""Pictures of a page as it appeared, and how complete each was.

By colour histograms, as Speed Index has it (WebPagetest's visualmetrics): what is in its place does not
matter, only that it is there.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

from bentpipe.engine.process.part import PartError
from bentpipe.engine.programs.browser.sighting import FrameSighting

FORMATS = ("JPEG", "PNG")
"""Of pictures, by Pillow's names."""

_LEVELS = 256
_WHITE = 250
"""A pixel is white when it has this level or a higher one of every colour."""
_SLOP = 5
"""Compression moves levels: those from so many below a level to one fewer above it stand for it."""

Histogram = tuple[list[int], ...]
"""For each of the three colours how many pixels have which level; white ones are left out."""


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
    """Return how much of what the last picture shows each shows, from 0 to 1.

    `sum min(|h - h_first|, |h_last - h_first|) / sum |h_last - h_first|` over colours and levels, where
    levels within `_SLOP` are one. The first picture is the window when the load starts: white, and white is
    not in a histogram. What remains is the share of the last histogram that this one has; colours that the
    last picture does not show count for nothing. A window that stays empty is complete.
    """
    if not histograms:
        return []
    last = histograms[-1]
    wanted = sum(map(sum, last))
    if wanted == 0:
        return [1.0] * len(histograms)
    return [sum(map(_matched, one, last)) / wanted for one in histograms]


def histogram(image: bytes) -> Histogram:
    """Return the histogram of a picture.

    Raises
    ------
    PartError
        When it is none.
    """
    try:
        # No other: some formats are programs, which another program would carry out.
        with Image.open(io.BytesIO(image), formats=FORMATS) as picture:
            pixels = picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise PartError(f"the browser's picture of the page cannot be read: {error}") from None
    red, green, blue = pixels.split()
    darkest = ImageChops.darker(ImageChops.darker(red, green), blue)
    counts = pixels.histogram(darkest.point([level < _WHITE for level in range(_LEVELS)]))
    return tuple(counts[start : start + _LEVELS] for start in range(0, len(counts), _LEVELS))


def _matched(shown: Sequence[int], wanted: Sequence[int]) -> int:
    """Count the pixels of one colour that stand for wanted ones: each for one, from the darkest on."""
    left = list(shown)
    matched = level = 0
    for place, missing in enumerate(wanted):
        level = max(level, place - _SLOP)
        while missing and level < min(place + _SLOP, _LEVELS):
            taken = min(missing, left[level])
            left[level] -= taken
            missing -= taken
            matched += taken
            if not left[level]:
                level += 1
    return matched
