"""The results of a folder: frames, figures and the report, read when they are first asked for."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bentpipe import studies
from bentpipe.api import frames, overview
from bentpipe.errors import AbilityError, InputError
from bentpipe.ledger import Ledger
from bentpipe.ledger.folder import SCENARIO
from bentpipe.report import best, clients
from bentpipe.report import cells as report_cells
from bentpipe.report.quantities import Quantity
from bentpipe.report.source import Source, read
from bentpipe.scenario.factors import label
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.stats import cell_key, metric_values

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from bentpipe.api.plot import Plot
    from bentpipe.ledger import Entry
    from bentpipe.model.record import RunRecord
    from bentpipe.report.cells import CellResult

Cell = Mapping[str, object]
"""Factors with their values, as many as tell a cell from the others."""


class Results:
    """What a folder of results held when it was first looked at; `bentpipe.open(folder)` looks again.

    Of each run one attempt is judged, the first that succeeded, else the last; only succeeded ones are
    averaged.

    Attributes
    ----------
    folder : Path
        Where they are kept.

    Raises
    ------
    InputError
        When the folder holds no results of Bentpipe.
    StorageError
        When it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with Ledger(folder) as ledger:
            if "cells" not in ledger.scenario():
                expected = "the results of one scenario"
                raise self._error(
                    SCENARIO, expected=expected, found="those of its ablations, which have a report"
                )

    @property
    def title(self) -> str:
        """The scenario's title, or else its name."""
        return self._source.scenario.title

    @property
    def varied(self) -> tuple[str, ...]:
        """The factors that tell cells apart."""
        return self._source.varied

    @property
    def constants(self) -> Mapping[str, str]:
        """The factors that all cells share, with their values."""
        return dict(self._source.scenario.constants)

    @cached_property
    def runs(self) -> "pl.DataFrame":
        """A row an attempt: `run_id`, `attempt`, `repetition`, `status`, `reasons`, factors, metrics."""
        return frames.runs(self._attempts)

    @cached_property
    def cells(self) -> "pl.DataFrame":
        """A row for each cell with its headline: `metric`, `n`, `mean`, `ci_low`, `ci_high`, `median`, `sd`.

        The interval is that of the mean, with 95 %; values have the unit of the metric's name.
        """
        return frames.headlines(self._cells, self.varied)

    @cached_property
    def summaries(self) -> "pl.DataFrame":
        """The same of every metric that a report shows: one row for each cell and metric."""
        return frames.summaries(self._cells, self.varied)

    @property
    def best(self) -> "pl.DataFrame":
        """The rows of `ranking` that may be the best: one under each condition where it is clear."""
        ranking = self.ranking()
        return ranking.filter(ranking["is_among_best"])

    def ranking(self, metric: str | None = None) -> "pl.DataFrame":
        """Return how far each cell stands behind the best, by default in its headline.

        Cells are compared that differ in what a user chooses, such as `http`, `cc` or a setting of TCP; a
        link or a page is a condition, and each has its best.

        Returns
        -------
        polars.DataFrame
            Under each condition the best first: factors, `metric`, `n`, `mean`, `behind_percent` with its
            interval `ci_low_percent` to `ci_high_percent`, all of which hold jointly with 95 %, and
            `is_among_best`: it is the best or cannot be told from it.

        Raises
        ------
        InputError
            For a metric that there is not.
        """
        from bentpipe.api.plots import headed_by

        if metric is None:
            return frames.ranking(best.gather(self._cells), self.varied)
        quantity = self._quantity(metric)
        return frames.ranking(best.gather([headed_by(cell, quantity) for cell in self._cells]), self.varied)

    @cached_property
    def objects(self) -> "pl.DataFrame":
        """One row for each object of every attempt: instants in seconds, sizes in bytes."""
        return frames.objects(self._attempts)

    @cached_property
    def flows(self) -> "pl.DataFrame":
        """One row for each bulk flow of every attempt."""
        return frames.flows(self._attempts)

    @cached_property
    def claims(self) -> "pl.DataFrame":
        """One row for each finding of a study's claims, with what is published, ours, and whether they agree.

        None of a scenario that repeats no study.
        """
        name = self._source.scenario.name
        if name not in studies.names():
            return frames.claims(())
        return frames.claims(studies.get(name).claims(clients.judged(self._source, self._cells).runs))

    def to_pandas(self) -> "pd.DataFrame":
        """Return `runs` as a frame of pandas.

        Raises
        ------
        AbilityError
            When pandas is not installed.
        """
        try:
            return self.runs.to_pandas()
        except ModuleNotFoundError as error:
            raise AbilityError(f"there is no {error.name}", f"pip install {error.name}") from None

    def differences(self, reference: Cell, *, metric: str | None = None) -> "pl.DataFrame":
        """Return how much the mean of each cell lies above that of its reference, in percent, with intervals.

        Parameters
        ----------
        reference
            Factors with the values that the reference has, such as `{"http": "h2"}`. Each other cell is
            compared with the one that has these and is like it in all else.
        metric
            By default the headline of each cell.

        Returns
        -------
        polars.DataFrame
            A row for each comparison: factors, `metric`, `n`, `n_reference`, `mean`, `mean_reference`,
            `difference_percent` with its interval `ci_low_percent` to `ci_high_percent`, all of which hold
            jointly with 95 %, and `is_significant`: the interval does not hold zero. Below two runs each
            there is no interval, and nothing is significant. Over a path that is drawn, such as LEO, runs of
            one repetition share it and are compared in pairs (`is_paired`).

        Raises
        ------
        InputError
            For a factor, a value or a metric that there is not.
        """
        wanted = self._checked(reference, "reference")
        by_factors = {frozenset(cell.factors.items()): cell for cell in self._cells}
        pairs = [
            (cell, other)
            for cell in self._cells
            if (other := by_factors.get(frozenset({**cell.factors, **wanted}.items()))) is not None
            and other is not cell
        ]
        quantity = self._quantity(metric)
        return frames.differences(pairs, self.varied, quantity.metric)

    def compare(self, other: "Results", *, metric: str | None = None) -> "pl.DataFrame":
        """Return how much the mean of each cell of others lies above that of the same cell of these.

        As `bentpipe compare` does it: cells are the same when they agree in the factors that vary within
        either. What does not vary, such as a setting that all others have, is what is compared.

        Returns
        -------
        polars.DataFrame
            As of `differences`; `mean` is the others', `mean_reference` that of these.

        Raises
        ------
        InputError
            For a metric that there is not, and when no cell is the same.
        """
        names = [
            name
            for name in dict.fromkeys((*self.varied, *other.varied))
            if name not in self.constants or name not in other.constants
        ]
        own = {_values(cell, names): cell for cell in self._cells}
        pairs = [(cell, own[_values(cell, names)]) for cell in other._cells if _values(cell, names) in own]
        if not pairs:
            raise self._error("other", expected="results of the same cells", found=str(other.folder))
        return frames.differences(pairs, names, self._quantity(metric).metric)

    def series(self, run: str | Cell, name: str) -> "pl.DataFrame":
        """Return a time series of a run: `link`, `sender`, `progress`, `ping`, `path`, `acm`, ...

        Parameters
        ----------
        run
            A run's id, or the factors of a cell, of which the median run is taken.
        name
            The series.

        Raises
        ------
        InputError
            When there is no such run or series.
        """
        entry = self._entry(run, "run")
        columns = self._source.series(entry.run_id, name)
        if not columns:
            raise self._error("name", expected="a series that the run has", found=quoted(name))
        return frames.series(columns)

    def record(self, run: str | Cell) -> "RunRecord":
        """Return the complete record of a run, given as in `series`, without its series."""
        return self._entry(run, "run").record

    def plot_cells(self, metric: str | None = None) -> "Plot":
        """Draw a metric of each cell with its interval; by default the headline. Raises InputError."""
        from bentpipe.api import plots

        return plots.by_cell(self._cells, self._quantity(metric))

    def plot_boxes(self, metric: str | None = None) -> "Plot":
        """Draw the quartiles of a metric over the runs of each cell; by default the headline."""
        from bentpipe.api import plots

        return plots.boxes(self._cells, self._quantity(metric))

    def plot_cdf(self, metric: str | None = None) -> "Plot":
        """Draw the distribution of a metric over the runs of each cell; by default the headline."""
        from bentpipe.api import plots

        return plots.cdf(self._cells, self._quantity(metric))

    def plot_waterfall(self, run: "str | Cell | None" = None) -> "Plot":
        """Draw when each object of a page was asked for, answered and complete.

        Parameters
        ----------
        run
            A run's id, or the factors of a cell, of which the median run is drawn; needless where there is
            one cell.

        Raises
        ------
        InputError
            When there is no such run, or it loaded no page.
        """
        from bentpipe.api import plots

        return self._drawn(run, plots.waterfall, expected="a run that loaded a page")

    def plot_over_time(self, run: "str | Cell | None" = None) -> "Plot":
        """Draw rate, queue, congestion window and round trip of a run, given as in `plot_waterfall`."""
        from bentpipe.api import plots

        return self._drawn(
            run,
            lambda entry, label: plots.over_time(self._source, entry, label),
            expected="a run with series",
        )

    def report(self) -> Path:
        """Write the report into the folder of results and return its page; raises StorageError."""
        from bentpipe.report import write

        return write(self.folder).page

    def __repr__(self) -> str:
        return overview.text(self._overview)

    def _repr_html_(self) -> str:
        return overview.html(self._overview)

    @cached_property
    def _source(self) -> Source:
        """The ledger, of which records and series are read when they are asked for."""
        ledger = Ledger(self.folder)
        # Not sooner: whoever has an entry may ask for its record.
        weakref.finalize(self, ledger.close)
        return read(ledger)

    @cached_property
    def _attempts(self) -> "Sequence[Entry]":
        """All attempts by cell and repetition: the order in which they end differs from time to time."""
        places = {cell_key(cell.factors): place for place, cell in enumerate(self._cells)}
        return sorted(
            self._source.entries,
            key=lambda entry: (places[cell_key(entry.factors)], entry.repetition, entry.attempt),
        )

    @cached_property
    def _cells(self) -> "Sequence[CellResult]":
        return report_cells.results(self._source)

    @cached_property
    def _overview(self) -> overview.Overview:
        scenario = self._source.scenario
        title = "" if scenario.title == scenario.name else scenario.title
        return overview.of(
            title, self._cells, varied=self.varied, constants=self.constants, folder=self.folder
        )

    def _quantity(self, metric: str | None) -> Quantity:
        known = dict.fromkeys(quantity for cell in self._cells for quantity, _ in cell.summaries)
        if metric is None:
            headline = next(iter(known), None)
            if headline is None:
                raise self._error("metric", expected="a run that succeeded", found="none")
            return headline
        named = {quantity.metric: quantity for quantity in known}
        if metric in named:
            return named[metric]
        if any(metric_values(cell.runs, metric) for cell in self._cells):
            return Quantity(metric=metric, label=metric, unit="", decimals=3)
        raise self._error(
            "metric",
            expected=f"one of {', '.join(named)}, or another metric of `runs`",
            found=quoted(metric),
            suggestion=closest(metric, named),
        )

    def _entry(self, run: "str | Cell | None", field: str) -> "Entry":
        """Return the attempt of a run that is judged, or of a cell that of the median run."""
        if isinstance(run, str):
            for entry in self._source.best:
                if entry.run_id == run:
                    return entry
            raise self._error(field, expected="the id of a run", found=quoted(run))
        wanted = {} if run is None else self._checked(run, field)
        fitting = [cell for cell in self._cells if wanted.items() <= cell.factors.items()]
        if len(fitting) != 1:
            found = f"{len(fitting)} cells that have these"
            raise self._error(field, expected=f"one cell, told by {', '.join(self.varied)}", found=found)
        (cell,) = fitting
        if cell.median_run is None:
            raise self._error(field, expected="a cell with a succeeded run", found=cell.label)
        return cell.median_run

    def _checked(self, wanted: Cell, field: str) -> dict[str, str]:
        """Return factors of the user's as the ledger writes them."""
        written = {name: label(value) for name, value in wanted.items()}
        for name, value in written.items():
            values = {cell.factors[name]: None for cell in self._cells if name in cell.factors}
            if not values:
                names = dict.fromkeys(factor for cell in self._cells for factor in cell.factors)
                raise self._error(
                    field, expected=f"factors such as {', '.join(names)}", found=quoted(name),
                    suggestion=closest(name, names),
                )  # fmt: skip
            if value not in values:
                expected = f"{name} to be one of {', '.join(values)}"
                raise self._error(
                    field, expected=expected, found=quoted(value), suggestion=closest(value, values)
                )
        return written

    def _drawn(
        self,
        run: "str | Cell | None",
        draw: "Callable[[Entry, str], Plot | None]",
        *,
        expected: str,
    ) -> "Plot":
        entry = self._entry(run, "run")
        cell = next(cell for cell in self._cells if cell.factors == entry.factors)
        plot = draw(entry, cell.label)
        if plot is None:
            raise self._error("run", expected=expected, found=f"{entry.run_id}, which has nothing to draw")
        return plot

    def _error(self, field: str, *, expected: str, found: str, suggestion: str | None = None) -> InputError:
        place = Location(file=str(self.folder), field=field)
        return place.error(expected=expected, found=found, suggestion=suggestion)


def _values(cell: "CellResult", names: Sequence[str]) -> tuple[str | None, ...]:
    return tuple(cell.factors.get(name) for name in names)
