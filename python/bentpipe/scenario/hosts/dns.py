"""Names: whom the client of a page asks for addresses, from what is written to the run specification."""

from bentpipe.model.draft.hosts import DnsSpec
from bentpipe.model.draft.pep import PepSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.programs import Programs
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.schema import DnsTable
from bentpipe.scenario.written.table import first_written, or_default, quoted_part
from bentpipe.scenario.written.vocabulary import ServerBehind


def dns_spec(
    table: DnsTable | None,
    where: Location,
    *,
    workload: Workload,
    ends: Programs,
    pep: PepSpec | None,
    server_behind: ServerBehind,
) -> DnsSpec | None:
    """Return how the client finds addresses, or None where they are known.

    Parameters
    ----------
    table : DnsTable or None
        As written.
    where : Location
        Its place.
    workload : Workload
        What is done: pages have names.
    ends : Programs
        At both ends: client and resolver are ours.
    pep : PepSpec or None
        The proxy on the path, as resolved.
    server_behind : str
        Where the server is, and with it a resolver that is not the terminal's.

    Raises
    ------
    InputError
        When nobody asks for names, or a setting is not one of the resolver that is asked for.
    """
    if table is None:
        return None
    protocol = vocabulary.DNS_PROTOCOL.checked(or_default(table.protocol, defaults.DNS), where.at("protocol"))
    if protocol == "none":
        _refuse_settings(table, where)
        return None
    _require_names(table, where, workload=workload, ends=ends, pep=pep, server_behind=server_behind)
    resolver = vocabulary.RESOLVER_PLACE.checked(
        or_default(table.resolver, defaults.RESOLVER), where.at("resolver")
    )
    cache = vocabulary.RESOLVER_CACHE.checked(
        or_default(table.cache, defaults.RESOLVER_CACHE), where.at("cache")
    )
    connection = vocabulary.RESOLVER_CONNECTION.checked(
        or_default(table.connection, defaults.RESOLVER_CONNECTION), where.at("connection")
    )
    if protocol == "do53" and connection == "warm":
        expected = 'nothing or "cold", as do53 has no connection'
        raise where.at("connection").error(expected=expected, found=quoted(connection))
    spec: DnsSpec = {
        "protocol": protocol,
        "resolver": resolver,
        "cache": cache,
        "connection": connection,
    }
    recursion_ns = _recursion_ns(table.recursion, where.at("recursion"), resolver=resolver, cache=cache)
    if recursion_ns is not None:
        spec["recursion_ns"] = recursion_ns
    return spec


def _refuse_settings(table: DnsTable, where: Location) -> None:
    """Raise an InputError for a setting of a resolver that nobody asks."""
    for key in DnsTable.model_fields:
        written = getattr(table, key)
        if key != "protocol" and written is not None:
            expected = f'nothing, as protocol is "{defaults.DNS}"'
            raise where.at(key).error(expected=expected, found=quoted(written))


def _require_names(
    table: DnsTable,
    where: Location,
    *,
    workload: Workload,
    ends: Programs,
    pep: PepSpec | None,
    server_behind: ServerBehind,
) -> None:
    of_others = next(iter(ends.of_others().items()), None)
    if workload["kind"] != "page-load":
        why = f"{workload['kind']} has no names"
    elif of_others is not None:
        key, program = of_others
        why = f"the {key} is {program}, which is told the addresses"
    elif pep is not None and pep["kind"] in ("proxy", "masque"):
        why = f'pep is "{pep["kind"]}", which finds the addresses in place of the client'
    elif server_behind == "terminal":
        why = "the server is behind the terminal, and so would the resolver be"
    else:
        return
    place, found = first_written(table, where)
    instead = f'"{defaults.DNS}"' if table.protocol is not None else "nothing"
    raise place.error(expected=f"{instead}, as {why}", found=quoted_part(found))


def _recursion_ns(
    written: str | None,
    where: Location,
    *,
    resolver: vocabulary.ResolverPlace,
    cache: vocabulary.ResolverCache,
) -> int | None:
    """Return how long a resolver at the gateway takes to ask others; None of one that does not."""
    if cache == "cold" and resolver == "gateway":
        if written is None:
            expected = 'what a question takes the resolver that it has no answer to, such as "100 ms"'
            raise where.error(expected=expected, found="nothing")
        return duration_ns(written, where)
    if written is not None:
        why = "one at the terminal asks over the satellite" if cache == "cold" else "a warm cache asks nobody"
        raise where.error(expected=f"nothing, as {why}", found=quoted(written))
    return None
