"""The path of a link over time as files, for `export` and `links --export`."""

from pathlib import Path
from typing import TYPE_CHECKING

from bentpipe.output_folder import staged

if TYPE_CHECKING:
    from bentpipe.model.link import LinkSpec
    from bentpipe.scenario.written.location import Location

FORMATS = ("mahimahi", "schedule")


def path_files(
    link: "LinkSpec", *, seed: int, span_ns: int, kind: str, where: "Location"
) -> dict[str, bytes]:
    """Return files by their names: the path that a run with this seed has, for so long from its start.

    Raises
    ------
    InputError
        When the format cannot tell this path.
    """
    from bentpipe import _core

    try:
        return _core.write_recording(link.to_json(), seed, span_ns, kind)
    except _core.RecordingError as error:
        raise where.error(expected=error.expected, found=error.found) from None


def write_path(files: dict[str, bytes], target: Path, *, field: str) -> list[Path]:
    """Write files to a folder, or the only one to a file; return where they are.

    Parameters
    ----------
    files
        Contents by names.
    target
        The folder. Of one file alone, its name, where that is no folder yet.
    field
        By which option the user named it, for errors.

    Raises
    ------
    InputError, StorageError
        As `staged`.
    """
    if len(files) == 1 and not target.is_dir():
        [content] = files.values()
        folder, named = target.parent, {target.name: content}
    else:
        folder, named = target, files
    with staged(folder, field=field) as staging:
        for name, content in named.items():
            (staging / name).write_bytes(content)
    return [folder / name for name in named]
