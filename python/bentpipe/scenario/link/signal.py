"""Es/N0 of a direction over time: two legs, and what the atmosphere takes off each, from what is written."""

from pathlib import Path

from bentpipe.model.draft.dvbs2 import AttenuationSpec, EsN0Spec, LegSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.rain_attenuation import rain_points_of
from bentpipe.scenario.written.link_schema import DirectionTable
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import LARGEST_DB, decibels, duration_ns
from bentpipe.scenario.written.samples import read_samples
from bentpipe.scenario.written.satellite_schema import AttenuationTable, ClearSkyTable, FadeTable
from bentpipe.scenario.written.table import or_default

COLUMNS = ("time_s", "db")
FADE = ("depth", "start", "rise", "lasting", "fall", "every")
KINDS = "depth, or depth with some of start, rise, lasting, fall and every, or file, or rain"


def attenuation_spec(table: FadeTable | None, where: Location) -> AttenuationSpec:
    """Return the attenuation of a leg; which keys are written decides on the kind.

    Raises
    ------
    InputError
        For keys that do not belong together, and for values that are no attenuation.
    """
    if table is None:
        return _spec([])
    written = set(table.written())
    if written == {"depth"}:
        return _spec([(0, _depth_db(table, where))])
    if written <= {"file", "every"} and table.file is not None:
        return _from_file(table, table.file, where)
    if table.rain is not None and written == {"rain"}:
        return _spec(rain_points_of(table.rain, where.at("rain")))
    if "depth" in written and written <= set(FADE) and written & {"lasting", "rise", "fall"}:
        return _fade(table, where)
    raise where.error(expected=f"the keys {KINDS}", found=", ".join(table.written()) or "an empty table")


def _fade(table: FadeTable, where: Location) -> AttenuationSpec:
    """Return a fade that rises to its depth, lasts and falls; steps where nothing says how long they take."""
    start_ns, rise_ns, lasting_ns, fall_ns = (
        0 if text is None else duration_ns(text, where.at(key))
        for key, text in (
            ("start", table.start),
            ("rise", table.rise),
            ("lasting", table.lasting),
            ("fall", table.fall),
        )
    )
    depth_db = _depth_db(table, where)
    full_ns = start_ns + rise_ns
    over_ns = full_ns + lasting_ns + fall_ns
    points = [(start_ns, 0.0), (full_ns, depth_db), (full_ns + lasting_ns, depth_db), (over_ns, 0.0)]
    if full_ns == 0:
        # The value at the start holds before it too.
        del points[0]
    return _spec(points, period_ns=_period_ns(table, where, last_ns=over_ns))


def _from_file(table: FadeTable, file: str, where: Location) -> AttenuationSpec:
    samples = read_samples(Path(file), COLUMNS, where.at("file"))
    for at_ns, db in samples:
        if not 0 <= db <= LARGEST_DB:
            found = f"{db:g} dB at {at_ns / 1e9:g} s"
            raise Location(file=file).error(expected=f"attenuation from 0 dB to {LARGEST_DB} dB", found=found)
    return _spec(samples, period_ns=_period_ns(table, where, last_ns=samples[-1][0]))


def _period_ns(table: FadeTable, where: Location, *, last_ns: int) -> int | None:
    if table.every is None:
        return None
    period_ns = duration_ns(table.every, where.at("every"), least_ns=1)
    if period_ns < last_ns:
        raise where.at("every").error(expected="no less than up to the end of it", found=quoted(table.every))
    return period_ns


def _depth_db(table: FadeTable, where: Location) -> float:
    return decibels(table.depth or "", where.at("depth"), least=0)


def _spec(points: list[tuple[int, float]], *, period_ns: int | None = None) -> AttenuationSpec:
    return {"points": [{"at_ns": at_ns, "db": db} for at_ns, db in points], "period_ns": period_ns}


def es_n0_spec(table: DirectionTable, where: Location) -> EsN0Spec:
    """Return Es/N0 of both legs of a direction over time.

    Raises
    ------
    InputError
        For what is no ratio or no attenuation.
    """
    clear_sky = or_default(table.clear_sky, ClearSkyTable())
    attenuation = or_default(table.attenuation, AttenuationTable())

    def leg(name: str, clear: str | None, fade: FadeTable | None) -> LegSpec:
        return {
            "clear_sky_db": decibels(or_default(clear, defaults.CLEAR_SKY), where.at(f"clear_sky.{name}")),
            "attenuation": attenuation_spec(fade, where.at(f"attenuation.{name}")),
        }

    return {
        "up": leg("up", clear_sky.up, attenuation.up),
        "down": leg("down", clear_sky.down, attenuation.down),
    }
