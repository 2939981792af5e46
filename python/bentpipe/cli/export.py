"""export: the results in other programs' formats."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bentpipe.cli.options import json_option
from bentpipe.cli.output import print_json
from bentpipe.errors import AbilityError

if TYPE_CHECKING:
    from bentpipe.ledger import Ledger

ARTIFACTS = {"pcapng": (".pcapng",), "qlog": (".qlog", ".sqlog")}
REMEDIES = {
    "pcapng": "run with --set capture.pcapng=true",
    "qlog": "run HTTP/3 or QUIC with --set capture.qlog=true",
}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format", "kind", required=True, type=click.Choice(["csv", "parquet", "har", "pcapng", "qlog"])
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

    csv and parquet are tables of all attempts, their objects, their flows and the pictures of browsers, har
    has a file for each page load, pcapng and qlog collect the captures that were made.
    """
    from bentpipe.ledger import Ledger

    target = out or folder / "export"
    with Ledger(folder) as ledger:
        target.mkdir(parents=True, exist_ok=True)
        writers: dict[str, Callable[[Ledger, Path], list[Path]]]
        writers = {"csv": _csv, "parquet": _parquet, "har": _har}
        written = writers[kind](ledger, target) if kind in writers else _artifacts(folder, target, kind)
    if as_json:
        print_json([str(path) for path in written])
    else:
        click.echo(f"{len(written)} files in {target}")


def _tables(ledger: "Ledger") -> dict[str, list[dict[str, Any]]]:
    """Return every attempt, and every object, flow and picture of every attempt, as flat rows.

    A table of pictures is there when a browser took any.
    """
    from bentpipe.stats import metrics_of

    runs, objects, flows, frames = [], [], [], []
    for entry in ledger.entries():
        who = {"run_id": entry.run_id, "attempt": entry.attempt}
        metrics = {key: value for key, value in metrics_of(entry.record).items() if key != "drops"}
        for way, causes in entry.record["metrics"].get("drops", {}).items():
            metrics |= {f"drops_{way}_{cause}": number for cause, number in causes.items()}
        reasons = "; ".join(entry.record["reasons"])
        state = {"status": entry.status, "reasons": reasons, "repetition": entry.repetition}
        runs.append({**who, **state, **entry.factors, **metrics})
        objects += [{**who, **item} for item in entry.record["objects"]]
        flows += [{**who, "flow": place, **flow} for place, flow in enumerate(entry.record.get("flows", ()))]
        taken = (entry.record.get("browser") or {}).get("frames", ())
        frames += [{**who, "frame": place, **frame} for place, frame in enumerate(taken)]
    tables = {"runs": runs, "objects": objects, "flows": flows}
    return {**tables, "frames": frames} if frames else tables


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _csv(ledger: "Ledger", target: Path) -> list[Path]:
    written = []
    for name, rows in _tables(ledger).items():
        path = target / f"{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=_columns(rows))
            writer.writeheader()
            writer.writerows(rows)
        written.append(path)
    return written


def _parquet(ledger: "Ledger", target: Path) -> list[Path]:
    import pyarrow
    import pyarrow.parquet

    written = []
    for name, rows in _tables(ledger).items():
        path = target / f"{name}.parquet"
        columns = {key: [row.get(key) for row in rows] for key in _columns(rows)}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        written.append(path)
    for source in sorted((ledger.folder / "series").glob("*/*.parquet")):
        path = target / "series" / source.parent.name / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        written.append(path)
    return written


def _har(ledger: "Ledger", target: Path) -> list[Path]:
    from bentpipe import _core

    loads = [entry for entry in ledger.entries() if entry.record["objects"]]
    if not loads:
        raise AbilityError(f"{ledger.folder} has no page loads", "HAR describes nothing else")
    written = []
    for entry in loads:
        path = target / f"{entry.run_id}-{entry.attempt}.har"
        record = json.dumps({**entry.record, "series": {}})
        path.write_text(_core.har_of(record, entry.record["provenance"]["started"]), encoding="utf-8")
        written.append(path)
    return written


def _artifacts(folder: Path, target: Path, kind: str) -> list[Path]:
    """Copy the files of one kind, named after their run and attempt."""
    sources = [
        path for path in sorted((folder / "artifacts").glob("*/**/*")) if path.suffix in ARTIFACTS[kind]
    ]
    if not sources:
        raise AbilityError(f"{folder} has no {kind} files", REMEDIES[kind])
    written = []
    for source in sources:
        run, *rest = source.relative_to(folder / "artifacts").parts
        path = target / f"{run}-{'-'.join(rest)}"
        shutil.copyfile(source, path)
        written.append(path)
    return written
