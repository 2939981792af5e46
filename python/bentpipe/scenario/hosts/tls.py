"""TLS at both ends, from what is written to the run specification."""

from bentpipe.model.draft.spec import TlsSpec, Workload
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
