"""A script by chance completed by what the kernel answers, and the simulated endpoint judged by it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome, Verdict
from tools.random_scripts.stimuli import Line

FOLDER = Path(__file__).parents[2] / "tests" / "packetdrill"
"""Of the shell script that every script begins with."""
HEAD = "--tolerance_usecs=100000\n`./defaults.sh`\n"
"""The kernel's timers of up to two seconds are late by up to eight jiffies of 4 ms (kernel/time/timer.c), and
of up to three timeouts in a row each adds its own. The order of all that happens has no tolerance."""


class Fate(Enum):
    """What becomes of a script."""

    ALIKE = "alike"
    DIFFERENT = "different"
    UNSTABLE = "not the same on the kernel twice"
    NO_SCRIPT = "refused by the kernel"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A script with what the kernel answered, and what the simulated endpoint makes of it.

    Attributes
    ----------
    fate : Fate
    text : str
        The script, completed as far as the kernel ran it.
    verdict : Verdict
        Of the kernel where it is no test of the endpoint, else of the endpoint.
    """

    fate: Fate
    text: str
    verdict: Verdict


def judged(name: str, lines: Sequence[Line]) -> Judged:
    """Complete a script on the kernel, see that it passes there, and judge the simulated endpoint by it."""
    script = FOLDER / f"{name}.pkt"
    first = packetdrill.emulate(script, text_of(lines))
    if first.outcome is not Outcome.PASSED:
        return Judged(fate=Fate.NO_SCRIPT, text=text_of(lines), verdict=first)
    whole = completed(lines, first.unexpected)
    again = packetdrill.emulate(script, whole)
    if again.outcome is not Outcome.PASSED or again.unexpected:
        return Judged(fate=Fate.UNSTABLE, text=whole, verdict=again)
    verdict = packetdrill.simulate(script, whole)
    is_alike = verdict.outcome is Outcome.PASSED and not verdict.unexpected
    return Judged(fate=Fate.ALIKE if is_alike else Fate.DIFFERENT, text=whole, verdict=verdict)


def text_of(lines: Sequence[Line]) -> str:
    """Return a script that has these lines and no others."""
    return HEAD + "".join(f"{line.at_s:.6f} {line.text}\n" for line in lines)


def completed(lines: Sequence[Line], unexpected: Sequence[str]) -> str:
    """Return the script with what left beside, each segment behind the last line that came before it."""
    found = []
    for segment in unexpected:
        at, _, text = segment.partition(" ")
        found.append(Line(at_s=float(at), text=text))
    return text_of(sorted([*lines, *found], key=lambda line: line.at_s))
