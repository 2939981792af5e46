"""A scenario in Python: written by keywords or read from a file, changed, measured, saved as a file."""

import re
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from bentpipe.api.composed import composed
from bentpipe.api.measuring import Measuring, results_of
from bentpipe.api.settings import EngineName, ScenarioSettings
from bentpipe.errors import InputError
from bentpipe.scenario import WrittenScenario, identity, load, read_scenario
from bentpipe.scenario.written.dotted import flattened, is_at_or_below
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.toml_text import toml_text

if TYPE_CHECKING:
    from bentpipe.api.results import Results

DEFAULT_NAME = "measurement"
"""Of a scenario that gives none."""
CONSTRUCTOR, CHANGE, METHOD = "bentpipe.Scenario(...)", "Scenario.with_(...)", "Scenario.run(...)"
"""What errors name in place of a file."""


class Scenario:
    """An experiment: every combination of what varies, each repeated. It is never changed.

    Keywords are the keys of a scenario's file, those of its table [run] included, under their own names
    (docs/guide/scenarios.md). A list varies: each of its values makes cells of its own, in every combination
    with those of other keys. Tables are dictionaries, whose keys may be dotted; a dotted key alone is given
    as `**{"tcp.initial_window": [3, 10]}`. Quantities are text with their unit, or a `timedelta`; files are
    text or paths, relative ones from the working directory.

    Raises
    ------
    InputError
        For keys that there are not. Values are checked when the scenario is measured or saved.

    Examples
    --------
    >>> import bentpipe
    >>> scenario = bentpipe.Scenario(link="lan", page="single-100k", http=["h1", "h3"], repetitions=2)
    >>> print(scenario.with_(http="h2", tcp={"initial_window": [3, 10]}))
    repetitions = 2
    <BLANKLINE>
    [run]
    link = "lan"
    page = "single-100k"
    http = "h2"
    <BLANKLINE>
    [matrix]
    tcp.initial_window = [3, 10]
    <BLANKLINE>
    """

    def __init__(self, **settings: Unpack[ScenarioSettings]) -> None:
        self._written = WrittenScenario(
            table=composed({}, settings, Location(file=CONSTRUCTOR)),
            file=CONSTRUCTOR,
            folder=Path(),
            default_name=DEFAULT_NAME,
        )
        self._calls: Mapping[str, str] = dict.fromkeys(settings, CONSTRUCTOR)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Return the scenario of a TOML file; paths in it count from its folder.

        Raises
        ------
        InputError
            When it cannot be read or is no TOML.
        """
        return cls._of(read_scenario(Path(path)), {})

    @classmethod
    def _of(cls, written: WrittenScenario, calls: Mapping[str, str]) -> Self:
        scenario = cls.__new__(cls)
        scenario._written, scenario._calls = written, calls
        return scenario

    def with_(self, **changes: Unpack[ScenarioSettings]) -> Self:
        """Return the scenario with these keys in place of its own; None takes one away.

        A key replaces all that stands below it: `tcp={...}` the whole table, `**{"tcp.initial_window": 10}`
        one key of it. Relative paths count as those of the scenario do.
        """
        table = composed(self._written.table, changes, Location(file=CHANGE))
        calls = {**self._calls, **dict.fromkeys(changes, CHANGE)}
        return self._of(replace(self._written, table=table), calls)

    def run(
        self,
        *,
        quick: bool = False,
        engine: EngineName = "simulate",
        folder: str | PathLike[str] | None = None,
        jobs: int | None = None,
        cluster: str | PathLike[str] | None = None,
        resume: bool = True,
        progress: bool = True,
    ) -> "Results":
        """Measure what its folder of results does not have yet, and return all of them.

        Parameters
        ----------
        quick
            Whether the short form will do: what [quick] says, without it one repetition.
        engine
            `simulate` (virtual time, no privileges), `emulate` (the real kernel, needs root), or `auto`, what
            this machine can do.
        folder
            Where the results are kept; without it one below `results` by the content of the scenario: the
            same scenario has the same folder.
        jobs
            Runs at once; without it what this machine can take.
        cluster
            Whose workers measure, as of `--cluster`: `tcp://HOST:PORT` of a Dask scheduler, `local:N` worker
            processes here, or a TOML file of jobs. Without it threads of this process do. A script that asks
            for `local:N` does so below `if __name__ == "__main__":`, as each process reads it again.
        resume
            Whether the folder may have results already; runs that it has are not measured again.
        progress
            Whether to tell how far it is: in the cell of a notebook, else on stderr.

        Raises
        ------
        InputError
            For what cannot be used, as the command line has it: by key, with what was expected and found.
        AbilityError
            When this machine, or every worker, lacks what a run asks for.
        ClusterError
            When the cluster is out of reach, or lost.
        StorageError
            When the disk does not take a run.
        KeyboardInterrupt
            After Ctrl-C or a notebook's stop button, when the runs in flight have ended. What is done is
            kept, and the same call goes on.
        """
        from bentpipe.campaign.measure import Order
        from bentpipe.scenario.rig import Rig

        measuring = Measuring(
            call=METHOD,
            quick=quick,
            engine=engine,
            folder=folder,
            jobs=jobs,
            cluster=cluster,
            resume=resume,
            progress=progress,
        )
        try:
            return results_of(Order(scenario=self._written), measuring, Rig())
        except InputError as error:
            raise self._by_call(error) from None

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the scenario as a file for `bentpipe run`, and return its path.

        Raises
        ------
        InputError
            When the scenario cannot be used, or its paths lead to other files from the file's folder.
        StorageError
            When the disk does not take it.
        """
        from bentpipe.output_folder import staged

        path = Path(path)
        text = toml_text(self._written.table)
        try:
            own = load(replace(self._written, default_name=path.stem))
        except InputError as error:
            raise self._by_call(error) from None
        with staged(path.parent, field="path") as staging:
            (staging / path.name).write_text(text, encoding="utf-8")
            self._require_same_files(identity(own.document()), path)
        return path

    def _require_same_files(self, document: Mapping[str, object], path: Path) -> None:
        moved = replace(self._written, file=str(path), folder=path.parent, default_name=path.stem)
        try:
            found = identity(load(moved).document())
        except InputError as error:
            expected = f"paths that hold in {path.parent} too: {error.expected}"
            raise InputError(
                file=str(path), field=error.field, expected=expected, found=error.found
            ) from None
        if found != document:
            raise InputError(
                file=str(path),
                field="the whole file",
                expected=f"paths that lead to the same files from {path.parent}",
                found="others",
            )

    def __str__(self) -> str:
        """Return the scenario as a file has it."""
        return toml_text(self._written.table)

    def __repr__(self) -> str:
        settings: dict[str, object] = {}
        for key, value in self._written.table.items():
            if key in ("run", "matrix") and isinstance(value, dict):
                settings |= flattened(value)
            else:
                settings[key] = value
        return f"Scenario({', '.join(f'{key}={value!r}' for key, value in settings.items())})"

    def _by_call(self, error: InputError) -> InputError:
        """Return the error of a value under the call and the key by which it was given."""
        if error.file != self._written.file:
            return error
        key = re.sub(r"^(run|matrix(\.[0-9]+)?)\.", "", error.field)
        calls = [
            call
            for given, call in self._calls.items()
            if is_at_or_below(key, given) or is_at_or_below(given, key)
        ]
        if calls:
            return error.at(file=calls[-1], field=key)
        if error.file != CONSTRUCTOR:
            return error
        return error.at(file=error.file, field="the keywords" if key in ("run", "matrix") else key)
