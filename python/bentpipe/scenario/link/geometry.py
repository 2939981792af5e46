"""Where satellites, dish and gateways of a link are, from what is written."""

from collections.abc import Sequence
from pathlib import Path

from bentpipe.model.draft.schedule import ChoiceSpec, ConstellationSpec, GeometrySpec, ShellSpec, SiteSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.path_schema import GeometryTable, ShellTable, SiteTable
from bentpipe.scenario.written.quantity import degrees, metres
from bentpipe.scenario.written.table import or_default
from bentpipe.scenario.written.user_file import read_user_file

CHOICES: tuple[ChoiceSpec, ...] = ("highest", "weighted")
MOST_TLE_BYTES = 16_000_000
"""Of all that is in orbit a tenth would do."""


def geometry_spec(table: GeometryTable, where: Location) -> GeometrySpec:
    """Return a geometry; what it cannot be is said by the link (`error_from_core`).

    Raises
    ------
    InputError
        For keys that are missing or do not belong together, and for what is no angle or length.
    """
    choice = or_default(table.choice, defaults.SATELLITE_CHOICE)
    if choice not in CHOICES:
        raise where.at("choice").error(
            expected=f"one of {', '.join(CHOICES)}", found=quoted(choice), suggestion=closest(choice, CHOICES)
        )
    if table.site is None:
        raise where.at("site").error(expected="the place of the user's dish", found="nothing")
    if not table.gateways:
        raise where.at("gateways").error(expected="one gateway at least", found="none")
    least = or_default(table.least_elevation, defaults.LEAST_ELEVATION)
    least_of_gateway = or_default(table.least_elevation_of_gateway, defaults.LEAST_ELEVATION_OF_GATEWAY)
    spec: GeometrySpec = {
        "constellation": _constellation(table, where),
        "site": _site(table.site, where.at("site")),
        "gateways": [
            _site(site, where.at(f"gateways.{number}")) for number, site in enumerate(table.gateways, start=1)
        ],
        "minimum_elevation_deg": degrees(least, where.at("least_elevation"), least=0, most=90),
        "gateway_minimum_elevation_deg": degrees(
            least_of_gateway, where.at("least_elevation_of_gateway"), least=0, most=90
        ),
        "choice": choice,
    }
    if table.isl_stretch is not None:
        spec["isl"] = {"stretch": table.isl_stretch}
    return spec


def _constellation(table: GeometryTable, where: Location) -> ConstellationSpec:
    if table.shells is not None and table.tle is None and table.geostationary is None:
        shells: Sequence[ShellTable] = table.shells
        return {
            "kind": "walker",
            "shells": [_shell(shell, where.at(f"shells.{n}")) for n, shell in enumerate(shells, start=1)],
        }
    if table.tle is not None and table.shells is None and table.geostationary is None:
        content = read_user_file(Path(table.tle), where.at("tle"), kind="TLE", largest_bytes=MOST_TLE_BYTES)
        return {"kind": "tle", "text": content.decode("ascii", errors="replace")}
    if table.geostationary is not None and table.shells is None and table.tle is None:
        longitude = degrees(table.geostationary, where.at("geostationary"), least=-180, most=360)
        return {"kind": "geostationary", "longitude_deg": longitude}
    written = [name for name in ("shells", "tle", "geostationary") if getattr(table, name) is not None]
    raise where.error(
        expected="satellites by one of shells, tle and geostationary", found=" and ".join(written) or "none"
    )


def _shell(table: ShellTable, where: Location) -> ShellSpec:
    def needed(key: str, value: str | int | None) -> str:
        if value is None:
            raise where.at(key).error(expected="a value for each shell", found="nothing")
        return str(value)

    altitude = needed("altitude", table.altitude)
    inclination = needed("inclination", table.inclination)
    spread = or_default(table.spread, defaults.SHELL_SPREAD)
    node = or_default(table.ascending_node, defaults.SHELL_ASCENDING_NODE)
    latitude = or_default(table.argument_of_latitude, defaults.SHELL_ARGUMENT_OF_LATITUDE)
    return {
        "planes": int(needed("planes", table.planes)),
        "satellites_per_plane": int(needed("satellites_per_plane", table.satellites_per_plane)),
        "altitude_m": metres(altitude, where.at("altitude")),
        "inclination_deg": degrees(inclination, where.at("inclination"), least=0, most=180),
        "phasing": or_default(table.phasing, defaults.SHELL_PHASING),
        "raan_spread_deg": degrees(spread, where.at("spread"), least=0, most=360),
        "raan_deg": degrees(node, where.at("ascending_node"), least=-360, most=360),
        "argument_of_latitude_deg": degrees(latitude, where.at("argument_of_latitude"), least=-360, most=360),
        "epoch_unix_ns": defaults.SHELL_EPOCH_UNIX_NS,
    }


def _site(table: SiteTable, where: Location) -> SiteSpec:
    if table.latitude is None or table.longitude is None:
        raise where.error(
            expected="a latitude and a longitude", found=", ".join(table.written()) or "nothing"
        )
    return {
        "latitude_deg": degrees(table.latitude, where.at("latitude"), least=-90, most=90),
        "longitude_deg": degrees(table.longitude, where.at("longitude"), least=-180, most=360),
        "altitude_m": metres(or_default(table.altitude, defaults.SITE_ALTITUDE), where.at("altitude")),
    }
