"""explain: from a failed or slow run to its capture and a short diagnosis."""

from collections.abc import Collection, Iterator
from dataclasses import asdict
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bentpipe.amounts import rate, seconds, size
from bentpipe.cli.options import example, json_option
from bentpipe.cli.output import echo, echo_text, print_columns, print_json

if TYPE_CHECKING:
    from bentpipe.diagnosis import Captures, Choice, Diagnosis
    from bentpipe.diagnosis.losses import Losses
    from bentpipe.diagnosis.waits import LongestObject

FOLDER = "explain"
"""Of the captures that are made here, in the folder of results."""

_CAUSES = {
    "queue": "the queue was full",
    "channel": "the channel lost them",
    "oversize": "larger than the link's MTU",
}


@click.command(epilog=example("bentpipe explain results/first-page-simulate --out slow-run"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("run_id", metavar="[RUN_ID]", required=False)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=f"Where the captures of a run go that is simulated again [default: DIR/{FOLDER}/RUN_ID].",
)
@json_option
def explain(folder: Path, run_id: str | None, out: Path | None, as_json: bool) -> None:
    """Say why a run failed or was slow, and get its capture.

    RUN_ID is the start of a run's id; without one it is the first of the failed or invalid runs, by their
    most frequent reason, else the slowest run against the median of its cell. A simulated run is repeated
    with its seed, captured, and checked to be the same; of an emulated one the captures are those that it
    has.
    """
    from bentpipe.diagnosis import captures, choose, diagnose
    from bentpipe.ledger import Ledger
    from bentpipe.ledger.folder import SCENARIO
    from bentpipe.model.scenario import ScenarioDocument

    with Ledger(folder) as ledger:
        constants = ScenarioDocument.read(ledger.scenario(), file=str(folder / SCENARIO)).constants
        choice = choose(ledger.best(), run_id, folder=folder)
        entry = choice.entry
        diagnosis = diagnose(entry, partial(ledger.series, entry.run_id))
        found = captures(
            entry,
            made=ledger.artifacts(entry.run_id, entry.attempt),
            out=out or folder / FOLDER / entry.run_id,
        )
    if as_json:
        print_json(_document(choice, diagnosis, found))
        return
    _print(choice, diagnosis, constants=constants)
    _print_captures(found, diagnosis)


def _document(choice: "Choice", diagnosis: "Diagnosis", found: "Captures") -> dict[str, Any]:
    entry = choice.entry
    return {
        "run_id": entry.run_id,
        "attempt": entry.attempt,
        "factors": dict(entry.factors),
        "why": choice.why,
        "against_median": choice.against_median,
        "cell_runs": choice.cell_runs,
        **_plain(asdict(diagnosis)),
        "captures": {**_plain(asdict(found)), "folder": None if found.folder is None else str(found.folder)},
    }


def _plain(value: Any) -> Any:
    """Return a value with enumerations by their values, as JSON has them."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _print(choice: "Choice", diagnosis: "Diagnosis", *, constants: Collection[str]) -> None:
    from bentpipe.diagnosis.time_spent import MEANINGS
    from bentpipe.stats.grouping import cell_label

    why = f" ({choice.why})" if choice.why else ""
    echo(f"run {choice.entry.run_id}: {diagnosis.status}{why}")
    factors = choice.entry.factors
    if telling := {name: value for name, value in factors.items() if name not in constants}:
        echo_text(f"  {cell_label(telling, order=list(factors))}")
    for reason in diagnosis.reasons:
        echo_text(f"  {reason}")
    if diagnosis.time_s is not None:
        echo(f"  {_time(choice, diagnosis, diagnosis.time_s)}")
    if diagnosis.shares:
        total_s = sum(share.time_s for share in diagnosis.shares)
        print_columns(
            [
                (
                    f"{share.time_s:.2f} s",
                    f"{100 * share.time_s / total_s:.0f} %",
                    share.spent.value,
                    MEANINGS[share.spent],
                )
                for share in diagnosis.shares
            ],
            indent=4,
        )
    for line in (*_losses(diagnosis.losses), *_longest(diagnosis.longest), *diagnosis.facts):
        echo_text(f"  {line}")


def _time(choice: "Choice", diagnosis: "Diagnosis", time_s: float) -> str:
    words = [f"given up after {time_s:.0f} s" if diagnosis.status == "failed" else f"took {seconds(time_s)}"]
    if choice.against_median is not None and choice.cell_runs > 1:
        words.append(f"{choice.against_median:.2f} times the median of {choice.cell_runs} runs of its cell")
    if diagnosis.ideal_s is not None:
        mean_bps = diagnosis.mean_rate_bps
        at = "the link's rate" if mean_bps is None else f"the mean of its path's rate, {rate(mean_bps)}"
        words.append(f"its payload alone takes {seconds(diagnosis.ideal_s)} at {at}")
    return "; ".join(words)


def _losses(found: "Losses") -> Iterator[str]:
    for loss in found.lost:
        yield f"{loss.packets} packets lost {loss.direction}: {_CAUSES[loss.cause]}"
    if not found.lost:
        yield "no packet was lost on the link"
    if found.retransmitted_packets:
        vain = f", at least {found.in_vain} of them in vain" if found.in_vain else ""
        yield f"{found.retransmitted_packets} packets retransmitted{vain}"
    if found.timeouts:
        yield f"{found.timeouts} retransmission timeouts or more: a window fell to one segment"


def _longest(found: "LongestObject | None") -> Iterator[str]:
    if found is None:
        return
    took_s = found.complete_s - found.known_s
    named = f", when {found.named_by} had come" if found.named_by else ""
    yield (
        f"longest object: {found.path} ({size(found.bytes)}), {seconds(took_s)}: "
        f"known at {found.known_s:.2f} s{named}, complete at {found.complete_s:.2f} s"
    )
    for delay in found.delays:
        yield f"  {seconds(delay.time_s)}: {delay.wait.value}"


def _print_captures(found: "Captures", diagnosis: "Diagnosis") -> None:
    if found.folder is None:
        echo("no captures; this measures it again with some:" if found.remedy else "no captures")
        if found.remedy:
            echo_text(f"  {found.remedy}")
        return
    if found.is_repeated:
        same = f"its record differs in {', '.join(found.differing)}: did another version measure it?"
        echo(f"simulated again: {same if found.differing else 'the same record, byte by byte'}")
    echo_text(f"captures in {found.folder}: {', '.join(found.files)}")
    capture = next((name for name in found.files if name.endswith(".pcapng")), None)
    if capture is not None:
        for one in diagnosis.filters:
            echo_text(f"  tshark -r {found.folder / capture} -Y '{one}'")
