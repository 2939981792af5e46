"""export: the results in other programs' formats.

A folder of results may be somebody else's: links in it are not followed, neither to read nor to write.
"""

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from bentpipe.cli.link_path import FORMATS as PATH_FORMATS
from bentpipe.cli.link_path import path_files
from bentpipe.cli.options import example, json_option
from bentpipe.cli.output import echo, print_json
from bentpipe.errors import AbilityError, InputError
from bentpipe.output_folder import staged

if TYPE_CHECKING:
    import polars

    from bentpipe.ledger import Ledger
    from bentpipe.report.tables import Row

TABLES = ("csv", "parquet", "arrow")
OTHERS = ("har", "flent", "openmetrics", "crux")
ARTIFACTS = {"pcapng": (".pcapng",), "qlog": (".qlog", ".sqlog")}
REMEDIES = {
    "pcapng": "run with --set capture.pcapng=true",
    "qlog": "run HTTP/3 or QUIC with --set capture.qlog=true",
}


@click.command(epilog=example("bentpipe export results/first-page-simulate --format parquet --out tables"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "kind",
    required=True,
    type=click.Choice([*TABLES, *OTHERS, "pcapng", "qlog", *PATH_FORMATS]),
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where the files go [default: DIR/export].",
)
@json_option
def export(folder: Path, kind: str, out: Path | None, as_json: bool) -> None:
    """Write results for other programs.

    csv, parquet and arrow are tables of all attempts, their objects, their flows and the pictures of
    browsers, the latter two with units and all series. har has a file for each page load, flent one for each
    run of flows or pings, openmetrics is one text of all runs, and crux what browsers painted, by the names
    of Chrome's UX Report. pcapng and qlog collect the captures that were made. mahimahi and schedule are the
    paths of links that change over time, as each attempt had it.
    """
    from bentpipe.ledger import Ledger
    from bentpipe.ledger.folder import INDEX

    target = out or folder / "export"
    if os.path.lexists(target / INDEX):
        # Tables of others would stand beside those of its attempts, and in their place.
        expected = "a folder that has no results"
        raise InputError(file="command line", field="--out", expected=expected, found=str(target))
    writers: dict[str, Callable[[Ledger, Path], list[Path]]]
    writers = {"csv": _csv, "har": _har, "flent": _flent, "openmetrics": _openmetrics, "crux": _crux}
    with Ledger(folder) as ledger, staged(target) as staging:
        if kind in writers:
            written = writers[kind](ledger, staging)
        elif kind in TABLES:
            written = _arrow(ledger, staging, kind)
        elif kind in PATH_FORMATS:
            written = _paths(ledger, staging, kind)
        else:
            written = _artifacts(ledger, staging, kind)
        names = sorted(path.relative_to(staging) for path in written)
    if as_json:
        print_json([str(target / name) for name in names])
    else:
        echo(f"{len(names)} files in {target}")


def _tables(ledger: "Ledger") -> dict[str, list["Row"]]:
    """Return every object, flow and picture of every attempt as flat rows.

    A table of pictures is there when a browser took any.
    """
    from bentpipe.report.flow_rows import flow_row

    objects: list[Row] = []
    flows: list[Row] = []
    frames: list[Row] = []
    for entry in ledger.entries():
        if entry.workload == "ping":
            continue
        who, record = {"run_id": entry.run_id, "attempt": entry.attempt}, entry.record
        objects += [{**who, **dict(item)} for item in record.objects]
        flows += [{**who, "flow": place, **flow_row(flow)} for place, flow in enumerate(record.flows)]
        taken = () if record.browser is None else record.browser.frames
        frames += [{**who, "frame": place, **dict(frame)} for place, frame in enumerate(taken)]
    tables = {"objects": objects, "flows": flows}
    return {**tables, "frames": frames} if frames else tables


def _runs(ledger: "Ledger") -> "polars.DataFrame":
    """Return every attempt as a table; factors have their names alone."""
    from bentpipe.report.tables import for_people

    attempts = ledger.all_attempts()
    rejected = (entry for entry in attempts.entries() if entry.status != "succeeded")
    runs = for_people(attempts.runs(), rejected)
    first = ("run_id", "attempt", "status", "reasons", "repetition")
    rest = [name for name in runs.columns if name not in (*first, "engine")]
    return runs.select(*first, *rest).rename(lambda name: name.removeprefix("factor_"))


def _csv(ledger: "Ledger", target: Path) -> list[Path]:
    from bentpipe.report.tables import write_csv, write_frame

    written = [target / "runs.csv"]
    write_frame(written[0], _runs(ledger))
    for name, rows in _tables(ledger).items():
        path = target / f"{name}.csv"
        write_csv(path, rows)
        written.append(path)
    return written


def _arrow(ledger: "Ledger", target: Path, kind: str) -> list[Path]:
    """Write all tables and series as Parquet or Arrow files, which say the units of their columns."""
    import pyarrow

    from bentpipe.export.tables import read_table, write_table

    written = [target / f"runs.{kind}"]
    write_table(written[0], _runs(ledger).to_arrow(), "runs")
    for name, rows in _tables(ledger).items():
        path = target / f"{name}.{kind}"
        names = dict.fromkeys(key for row in rows for key in row)
        columns = {key: [row.get(key) for row in rows] for key in names}
        write_table(path, pyarrow.table(columns), name)
        written.append(path)
    series = ledger.folder / "series"
    for place, source in _files(series, (".parquet",), shown=series):
        path = (target / "series" / place).with_suffix(f".{kind}")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, read_table(source.read(), shown=series / place), place.parts[0])
        written.append(path)
    return written


def _openmetrics(ledger: "Ledger", target: Path) -> list[Path]:
    from bentpipe.export.openmetrics import FILE, openmetrics

    path = target / FILE
    path.write_text(openmetrics(ledger.best()), encoding="utf-8")
    return [path]


def _flent(ledger: "Ledger", target: Path) -> list[Path]:
    """Write a file for each run of flows or pings that succeeded."""
    from bentpipe.export.flent import SUFFIX, flent_file

    written = []
    for entry in ledger.best():
        if entry.status != "succeeded":
            continue
        series = {name: ledger.series(entry.run_id, name) for name in ("progress", "sender", "ping")}
        content = flent_file(entry, series)
        if content is not None:
            path = target / f"{entry.run_id}-{entry.attempt}{SUFFIX}"
            path.write_bytes(content)
            written.append(path)
    if not written:
        raise AbilityError(f"{ledger.folder} has no flows or pings", "flent's files describe nothing else")
    return written


def _crux(ledger: "Ledger", target: Path) -> list[Path]:
    from bentpipe.export.crux import crux_record
    from bentpipe.stats.grouping import ByCell

    cells = ByCell(ledger.best()).succeeded_by_cell
    records = [record for factors, runs in cells if (record := crux_record(factors, runs)) is not None]
    if not records:
        missing = f"{ledger.folder} has no page loads of browsers"
        raise AbilityError(missing, "CrUX is about what is painted: run with --set client=chromium")
    path = target / "crux.json"
    document = {"records": [record.document() for record in records]}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return [path]


def _har(ledger: "Ledger", target: Path) -> list[Path]:
    from bentpipe import _core

    written = []
    for entry in ledger.entries():
        if entry.workload != "page-load" or not (record := entry.record).objects:
            continue
        path = target / f"{entry.run_id}-{entry.attempt}.har"
        path.write_text(_core.har_of(record.to_json(), record.provenance["started"]), encoding="utf-8")
        written.append(path)
    if not written:
        raise AbilityError(f"{ledger.folder} has no page loads", "HAR describes nothing else")
    return written


def _paths(ledger: "Ledger", target: Path, kind: str) -> list[Path]:
    """Write the path of each attempt from the start of its workload to where its series end."""
    from bentpipe.scenario.written.location import Location

    ends_s = {
        (run_id, attempt): float(series["time_s"][-1])
        for run_id, attempt, series in ledger.every_series("link")
        if len(series["time_s"])
    }
    written = []
    for entry in ledger.entries():
        end_s = ends_s.get((entry.run_id, entry.attempt))
        spec = entry.record.spec
        if end_s is None or (spec.link.forward.schedule is None and spec.link.return_.schedule is None):
            continue
        where = Location(file=str(ledger.folder), field=f"{entry.run_id}-{entry.attempt}")
        span_ns = max(1, round(end_s * 1e9))
        files = path_files(spec.link, seed=spec.seed, span_ns=span_ns, kind=kind, where=where)
        for name, content in files.items():
            path = target / f"{where.field}-{name}"
            path.write_bytes(content)
            written.append(path)
    if not written:
        missing = f"{ledger.folder} has no attempt over a link that changes over time"
        raise AbilityError(missing, "links NAME --export writes the path of any link")
    return written


def _artifacts(ledger: "Ledger", target: Path, kind: str) -> list[Path]:
    """Copy the files of one kind, named after their run and attempt."""
    written = []
    for entry in ledger.entries():
        attempt = f"{entry.run_id}-{entry.attempt}"
        shown = ledger.folder / "artifacts" / attempt
        artifacts = ledger.artifacts(entry.run_id, entry.attempt)
        for place, source in _files(artifacts, ARTIFACTS[kind], shown=shown):
            path = target / "-".join([attempt, *place.parts])
            _copy(source, path)
            written.append(path)
    if not written:
        raise AbilityError(f"{ledger.folder} has no {kind} files", REMEDIES[kind])
    return written


def _copy(source: BinaryIO, path: Path) -> None:
    with path.open("wb") as file:
        shutil.copyfileobj(source, file)


def _files(folder: Path, suffixes: tuple[str, ...], *, shown: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Yield files below a folder, each with its path from there, and open.

    Links are left out, with a word on stderr that calls the folder `shown`.
    """
    if folder.is_symlink():
        _tell_of_link(shown)
    if not folder.is_dir():
        return
    # By descriptors: nobody who may rename what is on the way can lead elsewhere.
    for place, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        here = Path(place).relative_to(folder)
        for name in folders:
            if stat.S_ISLNK(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                _tell_of_link(shown / here / name)
        for name in files:
            if not name.endswith(suffixes):
                continue
            try:
                file = _opened(name, descriptor)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                _tell_of_link(shown / here / name)
                continue
            with file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    yield here / name, file


def _opened(name: str, descriptor: int) -> BinaryIO:
    """Open a file of the folder that a descriptor is of; a pipe does not wait for who writes to it."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.fdopen(os.open(name, flags, dir_fd=descriptor), "rb")


def _tell_of_link(path: Path) -> None:
    echo(f"{path}: left out, as it is a symbolic link", err=True)
