"""Scripts of packetdrill, judged on either engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bentpipe import _core
from bentpipe.engine.host.rt_priority import Rank, first
from bentpipe.engine.packetdrill.assertions import Assertions
from bentpipe.engine.testbed import script_host
from bentpipe.errors import InputError

_LEAST = "0 close(3) = 0"
"""A script of one event."""
ATTEMPTS = 3
"""In real time: a machine may lose its cores for a while, which makes a segment late and nothing else."""


class Outcome(StrEnum):
    """How a script ends."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a script says of an endpoint.

    Attributes
    ----------
    outcome : Outcome
        Whether all happened as it is written; `SKIPPED` where it asks for what the engine does not have.
    line : int or None
        Of the first difference, or of what is not supported.
    expected, found : str or None
        What is written there, or what is not supported, and what was there.
    unexpected : tuple of str
        Where it passed: segments that had left by its end and that no line expects, as lines of a script.
    """

    outcome: Outcome
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    unexpected: tuple[str, ...] = ()

    def words(self, name: str) -> str:
        """Say it in one line of a script of that name."""
        match self.outcome:
            case Outcome.PASSED:
                return f"{name}: passed"
            case Outcome.SKIPPED:
                return f"{name}:{self.line}: skipped, not supported: {self.expected}"
            case Outcome.FAILED:
                return f"{name}:{self.line}: expected {self.expected}, found {self.found}"


Options = Sequence[tuple[str, str]]
"""Names and values such as `("ip_version", "ipv6")`, which count before those at a script's head."""


def simulate(script: Path, text: str, options: Options = ()) -> Verdict:
    """Run a script against the simulated endpoint in virtual time.

    Parameters
    ----------
    script
        Where it stands: shell scripts beside it are read, and none is run.
    text
        The script.
    options
        Beside those at its head.

    Raises
    ------
    InputError
        When it cannot be read.
    """

    def read_file(name: str) -> str | None:
        try:
            return (script.parent / name).read_text(errors="replace")
        except OSError:
            return None

    try:
        verdict = _core.simulate_script(
            text, options=list(options), read_file=read_file, file_bytes=_file_bytes, evaluate=Assertions()
        )
    except _core.ScriptError as error:
        raise unreadable(script, error) from None
    return _verdict(verdict)


def understood(options: Options) -> bool:
    """Return whether there are options of these names which take these values together."""
    return _core.script_addresses(_LEAST, options=list(options)) is not None


def emulate(script: Path, text: str, options: Options = ()) -> Verdict:
    """Run a script against this machine's kernel, in a network namespace of its own.

    One that missed by time alone is run again, at most `ATTEMPTS` times in all. Parameters and errors as
    `simulate`, and AbilityError when the process may not make namespaces.
    """
    try:
        addresses = _core.script_addresses(text, options=list(options))
        for _ in range(ATTEMPTS):
            with script_host.opened(addresses) as device, first(Rank.LINK):
                verdict = _core.emulate_script(
                    text,
                    options=list(options),
                    device=device,
                    folder=str(script.parent.absolute()),
                    evaluate=Assertions(),
                )
            if not verdict.is_timing:
                break
    except _core.ScriptError as error:
        raise unreadable(script, error) from None
    return _verdict(verdict)


def unreadable(script: Path, error: _core.ScriptError) -> InputError:
    """Return the error of a script that cannot be read."""
    return InputError(
        file=str(script), field=f"line {error.line}", expected=error.expected, found=error.found
    )


def _file_bytes(path: str) -> int | None:
    try:
        return Path(path).stat().st_size if Path(path).is_file() else None
    except (OSError, ValueError):
        return None


def _verdict(verdict: _core.ScriptVerdict) -> Verdict:
    return Verdict(
        outcome=Outcome(verdict.outcome),
        line=verdict.line,
        expected=verdict.expected,
        found=verdict.found,
        unexpected=tuple(verdict.unexpected),
    )
