"""Screenshots made small enough to stand inside a page."""

import io
import os
import stat
from base64 import b64encode
from pathlib import Path
from typing import BinaryIO

from PIL import Image

from bentpipe.figures.filmstrip import Picture

WIDTH_PX = 240
"""Twice the width of a cell in a strip of ten, for screens of high density."""
MOST_HEIGHT_PX = 360
"""What is taller was taken of more than a window; its upper part is kept."""
QUALITY = 55
"""Letters of a heading can be told, those of a text cannot, at about 5 kB a picture."""


def small(folder: Path, file: str) -> Picture | None:
    """The picture of that name in a run's folder, as a JPEG of `WIDTH_PX`; None where none can be read."""
    try:
        path = (folder / file).resolve()
        # Names come from a record: one that leads elsewhere is not a picture of this run.
        if not path.is_relative_to(folder.resolve()):
            return None
        with _opened(path) as content, Image.open(content, formats=("JPEG", "PNG")) as image:
            size = (WIDTH_PX, max(round(image.height * WIDTH_PX / image.width), 1))
            thumbnail = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    # What Pillow raises for a file that is no picture, beside its own: what it comes upon in it.
    except (OSError, ValueError, RuntimeError, SyntaxError, EOFError, Image.DecompressionBombError):
        return None
    if thumbnail.height > MOST_HEIGHT_PX:
        thumbnail = thumbnail.crop((0, 0, WIDTH_PX, MOST_HEIGHT_PX))
    written = io.BytesIO()
    thumbnail.save(written, format="JPEG", quality=QUALITY, optimize=True)
    text = b64encode(written.getvalue()).decode("ascii")
    return Picture(uri=f"data:image/jpeg;base64,{text}", width=thumbnail.width, height=thumbnail.height)


def _opened(path: Path) -> BinaryIO:
    """Open a file, and nothing that would have to be waited for or leads elsewhere."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError
    return file
