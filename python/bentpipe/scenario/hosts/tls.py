"""TLS at both ends, from what is written to the run specification."""

from bentpipe.model.draft.hosts import KeyExchange, TlsSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.schema import TlsTable
from bentpipe.scenario.written.table import or_default


def tls_spec(table: TlsTable, workload: Workload, where: Location) -> TlsSpec | None:
    """Return the settings of TLS, or None where they are the defaults.

    Parameters
    ----------
    table : TlsTable
        As written.
    workload : Workload
        As resolved: what is not a default needs one that has TLS.
    where : Location
        The place of the table.

    Raises
    ------
    InputError
        When the workload has no TLS, or not of this version, or the version cannot do what is asked of it.
    """
    # TOML's 1.2 is a number, and the command line's too.
    written = str(or_default(table.version, defaults.TLS_VERSION))
    version = vocabulary.TLS_VERSION.checked(written, where.at("version"))
    resumption = vocabulary.RESUMPTION.checked(
        or_default(table.resumption, defaults.RESUMPTION), where.at("resumption")
    )
    key = "resumption" if version == defaults.TLS_VERSION else "version"
    if key == "resumption" and resumption == defaults.RESUMPTION:
        return None
    place, found = where.at(key), quoted(resumption if key == "resumption" else version)
    if workload["kind"] != "page-load":
        raise place.error(expected=f"nothing, as {workload['kind']} does not use it", found=found)
    http = workload["http"]
    if http in vocabulary.CLEAR_HTTP:
        raise place.error(expected=f"nothing, as {http} has no TLS", found=found)
    if http == "h3" and version != "1.3":
        raise place.error(
            expected='"1.3", as h3 has no other version of TLS (RFC 9001 section 4.2)', found=found
        )
    if resumption == "early-data" and version != "1.3":
        raise where.at("resumption").error(
            expected=f'"none" or "ticket", as TLS {version} has no early data (RFC 8446 section 2.3)',
            found=quoted(resumption),
        )
    return {"version": version, "resumption": resumption}


def key_exchange(
    table: TlsTable, workload: Workload, where: Location, *, tls: TlsSpec | None
) -> KeyExchange | None:
    """Return the key exchange of TLS and QUIC, or None where it is the default.

    Parameters
    ----------
    table : TlsTable
        As written.
    workload : Workload
        As resolved: what is not the default needs one that has TLS, over TCP or within QUIC.
    where : Location
        The place of the table.
    tls : TlsSpec or None
        As resolved: TLS 1.2 has no hybrid key exchange.

    Raises
    ------
    InputError
        When the workload has no TLS, or not of this version.
    """
    place = where.at("key_exchange")
    wanted = vocabulary.KEY_EXCHANGE.checked(or_default(table.key_exchange, defaults.KEY_EXCHANGE), place)
    if wanted == defaults.KEY_EXCHANGE:
        return None
    without = _without_tls(workload)
    if without is not None:
        raise place.error(expected=f"nothing, as {without} has no TLS", found=quoted(wanted))
    if tls is not None and tls["version"] != "1.3":
        raise place.error(
            expected=f'"{defaults.KEY_EXCHANGE}", as TLS {tls["version"]} has no hybrid key exchange'
            " (draft-ietf-tls-ecdhe-mlkem)",
            found=quoted(wanted),
        )
    return wanted


def _without_tls(workload: Workload) -> str | None:
    """Return what a workload without TLS is, or None of one that has it."""
    if workload["kind"] == "page-load":
        return workload["http"] if workload["http"] in vocabulary.CLEAR_HTTP else None
    if workload["kind"] == "ping":
        return "ping"
    flows = workload["flows"] if workload["kind"] == "flows" else [workload]
    return None if any(flow["transport"] == "quic" for flow in flows) else "a flow over TCP"
