"""What the runs of a campaign ask of the engine and of this machine."""

from collections.abc import Callable, Iterable, Sequence

from bentpipe.campaign.engine import Engine
from bentpipe.engine import emulate
from bentpipe.engine.programs import iperf3, third_party
from bentpipe.engine.testbed import congestion_control
from bentpipe.errors import AbilityError
from bentpipe.model.cc import SlowStartChoice
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location


def require(engine: Engine, specs: Sequence[RunSpec], *, written: Callable[[str], Location]) -> None:
    """Refuse runs that ask for what the engine or this machine has not got.

    Parameters
    ----------
    engine : Engine
        What is to measure them.
    specs : sequence of RunSpec
        Specifications of the runs.
    written : callable
        Returns where the value of a key of [run] was written.

    Raises
    ------
    InputError
        There, for the first such run.
    AbilityError
        When this machine lacks what a run asks for.
    """
    require_congestion_controls(engine, specs, where=written("cc"), flows=written("bulk.flows"))
    require_slow_start(engine, specs, where=written("slow_start"))
    require_bbr(engine, specs, where=written("bbr.extra_acked"))
    require_resume(engine, specs, where=written("resume"))
    require_terrestrial(engine, specs, where=written("terrestrial.loss"))
    require_iperf3(engine, specs, where=written("client"))
    require_programs(engine, specs, client=written("client"), server=written("server"))


def require_congestion_controls(
    engine: Engine, specs: Iterable[RunSpec], *, where: Location, flows: Location
) -> None:
    """Refuse runs whose congestion control the engine has not got.

    Raises
    ------
    InputError
        At `where`, or at `flows` when each flow has its own, for the first such run.
    AbilityError
        When this machine cannot load what a run asks for.
    """
    if engine.name != emulate.NAME:
        return
    for spec in specs:
        refused = congestion_control.refused(spec)
        if refused is not None:
            place = flows if spec.workload.kind == "flows" else where
            raise place.error(
                expected=f"for TCP on the emulate engine one of {', '.join(congestion_control.available())}",
                found=f'"{refused}", which QUIC and --engine simulate have',
            )


_FOREIGN_SLOW_STARTS = {
    # About HyStart, which is CUBIC's.
    SlowStartChoice.LINUX_4_15: (frozenset({"cubic"}), "--engine simulate has"),
    SlowStartChoice.LOSS: (frozenset({"cubic"}), "QUIC and --engine simulate have"),
    SlowStartChoice.HYSTART__: (frozenset({"reno", "cubic"}), "QUIC and --engine simulate have"),
    # CUBIC's is loaded, if this machine can.
    SlowStartChoice.SEARCH: (frozenset({"reno"}), "the kernel's cubic, QUIC and --engine simulate have"),
}
"""The congestion controls of the kernel's TCP that have no such end of slow start, and who has it."""


def require_slow_start(engine: Engine, specs: Iterable[RunSpec], *, where: Location) -> None:
    """Refuse runs whose slow start ends in a way that the kernel's TCP does not know.

    Raises
    ------
    InputError
        At `where`, for the first such run.
    """
    if engine.name != emulate.NAME:
        return
    for spec in specs:
        if spec.slow_start is None:
            continue
        foreign_to, who_has_it = _FOREIGN_SLOW_STARTS[spec.slow_start]
        if not foreign_to.isdisjoint(congestion_control.of_tcp(spec)):
            raise where.error(
                expected=f'"{defaults.SLOW_START}" for TCP on the emulate engine',
                found=f'"{spec.slow_start}", which {who_has_it}',
            )


def require_bbr(engine: Engine, specs: Iterable[RunSpec], *, where: Location) -> None:
    """Refuse runs of a BBR that is not the kernel's over the kernel's TCP.

    Raises
    ------
    InputError
        At `where`, for the first such run.
    """
    if engine.name != emulate.NAME:
        return
    if any(spec.bbr is not None and "bbr" in congestion_control.of_tcp(spec) for spec in specs):
        raise where.error(
            expected="true for TCP on the emulate engine",
            found="false, which QUIC and --engine simulate have",
        )


def require_resume(engine: Engine, specs: Iterable[RunSpec], *, where: Location) -> None:
    """Refuse runs over the kernel's TCP that resume carefully (RFC 9959), which it does not know.

    Raises
    ------
    InputError
        At `where`, for the first such run.
    """
    if engine.name != emulate.NAME:
        return
    if any(spec.resume is not None and congestion_control.of_tcp(spec) for spec in specs):
        raise where.error(
            expected='resume.method = "none" for TCP on the emulate engine',
            found='"careful", which QUIC and --engine simulate have',
        )


def require_terrestrial(engine: Engine, specs: Iterable[RunSpec], *, where: Location) -> None:
    """Refuse emulated runs whose terrestrial network loses packets: the link process is none of it.

    Raises
    ------
    InputError
        At `where`, for the first such run.
    """
    if engine.name == emulate.NAME and any(spec.terrestrial is not None for spec in specs):
        raise where.error(
            expected="nothing on the emulate engine", found="losses, which --engine simulate has"
        )


def require_iperf3(engine: Engine, specs: Iterable[RunSpec], *, where: Location) -> None:
    """Refuse runs of iperf3 where there is none.

    Raises
    ------
    InputError
        At `where`, when the engine has no programs but ours.
    AbilityError
        When iperf3 is not installed.
    """
    if all(spec.workload.kind != iperf3.KIND for spec in specs):
        return
    if engine.name != emulate.NAME:
        raise where.error(
            expected=f'"loader" on the {engine.name} engine', found='"iperf3", which --engine emulate has'
        )
    lack = iperf3.missing()
    if lack is not None:
        raise lack


def require_programs(engine: Engine, specs: Iterable[RunSpec], *, client: Location, server: Location) -> None:
    """Refuse runs of browsers and of servers that are not ours where there are none.

    Raises
    ------
    InputError
        At `client` or at `server`, for the first such run, when the engine has no programs but ours.
    AbilityError
        When one of them is not installed.
    """
    if engine.name == emulate.NAME:
        named = (name for spec in specs for name in (spec.client, spec.server) if name is not None)
        lack = third_party.missing_for(*named)
        if lack is not None:
            raise lack
        return
    for spec in specs:
        for name, ours, where in (
            (spec.client, defaults.CLIENT, client),
            (spec.server, defaults.SERVER, server),
        ):
            if name is not None:
                raise where.error(
                    expected=f'"{ours}" on the {engine.name} engine',
                    found=f'"{name}", which --engine emulate has',
                )


def require_emulate() -> None:
    """Raise an AbilityError that names everything that this machine lacks for emulating."""
    missing = emulate.missing()
    if missing:
        what = listed(missing)
        remedy = "; ".join(error.remedy for error in missing)
        raise AbilityError(f"this machine cannot emulate: {what}", remedy)


def listed(lacks: Sequence[AbilityError]) -> str:
    """Name everything that is missing in one line."""
    return "; ".join(error.missing for error in lacks)
