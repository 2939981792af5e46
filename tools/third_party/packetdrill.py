"""Linux's scripts of packetdrill on the kernel's TCP and on ours."""

import platform
import shutil
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Options, Outcome, Verdict
from bentpipe.errors import AbilityError
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result

_PACKAGE = "linux-source-6.12"
_ARCHIVE = Path(f"/usr/src/{_PACKAGE}.tar.xz")
_SCRIPTS = "tools/testing/selftests/net/packetdrill"

_VERSIONS: dict[str, Options] = {
    "IPv4": [],
    "IPv4-mapped addresses": [("ip_version", "ipv4-mapped-ipv6")],
    # As their runner has it (ksft_runner.sh): the same segment size as over IPv4.
    "IPv6": [("ip_version", "ipv6"), ("mtu", "1520")],
}
_WITHOUT_FQ = "this kernel has no queueing discipline fq, which paces what the script expects"
_PROBE = "`tc qdisc replace dev tun0 root fq`"


def run() -> Result:
    """Have each script judged on both engines, over each version of IP that the engine has."""
    require_emulate()
    folder = _scripts()
    kernel = platform.release().partition("-")[0]
    cases = [case for script in sorted(folder.glob("*.pkt")) for case in _judged(script)]
    # Group by group, as the page has them.
    groups = list(dict.fromkeys(case.group for case in cases))
    return Result(
        versions={_PACKAGE: installing.debian_version(_PACKAGE), "kernel": kernel},
        cases=sorted(cases, key=lambda case: groups.index(case.group)),
    )


def _scripts() -> Path:
    """Return the folder of the scripts, unpacked from where Debian puts them."""
    if not _ARCHIVE.exists():
        raise AbilityError(
            f"not installed: {_PACKAGE}", f"make setup-third-party, or apt-get install {_PACKAGE}"
        )
    place = installing.FOLDER / "linux" / installing.debian_version(_PACKAGE)
    folder = place / _PACKAGE / _SCRIPTS
    if not folder.is_dir():
        unfinished = place.with_name(f"{place.name}.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        with tarfile.open(_ARCHIVE, "r|xz") as archive:
            wanted = (member for member in archive if f"/{_SCRIPTS}/" in member.name)
            archive.extractall(unfinished, members=wanted, filter="data")
        unfinished.rename(place)
    return folder


def _judged(script: Path) -> Iterator[Case]:
    text = script.read_text()
    yield _case("simulate, IPv4", script, packetdrill.simulate(script, text))
    for version, options in _VERSIONS.items():
        group = f"emulate, {version}"
        if "root fq" in text and not _has_fq():
            yield Case.skipped(group, script.stem, _WITHOUT_FQ)
            continue
        yield _case(group, script, packetdrill.emulate(script, text, options))


def _case(group: str, script: Path, verdict: Verdict) -> Case:
    if verdict.outcome is Outcome.SKIPPED:
        return Case.skipped(group, script.stem, f"not supported: {verdict.expected}")
    is_passed = verdict.outcome is Outcome.PASSED
    return Case.judged(group, script.stem, None if is_passed else verdict.words("line"))


@cache
def _has_fq() -> bool:
    """Whether the kernel that the scripts run on has the queueing discipline fq."""
    return packetdrill.emulate(Path("probe.pkt"), _PROBE).outcome is Outcome.PASSED


CHECK = Check(
    name="packetdrill",
    title="packetdrill: Linux's scripts",
    about="""\
`tools/testing/selftests/net/packetdrill` of Debian's source package by [our interpreter](packetdrill.md),
against the simulated endpoint and the kernel. Scripts for features that either lacks are skipped.""",
    run=run,
)
