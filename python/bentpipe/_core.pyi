"""The Rust side of Bentpipe."""

from collections.abc import Callable, Sequence
from typing import TypedDict

class _Modcod(TypedDict):
    """`bits` are those of a frame's data field, `spectral_efficiency` the same for each of its `symbols`."""

    number: int
    name: str
    threshold_db: float
    spectral_efficiency: float
    bits: int
    symbols: int

class _Waveform(TypedDict):
    """`payload_bytes` are what a burst of `symbols` carries; `code_rate` is a fraction such as 3/4."""

    id: int
    modulation: str
    code_rate: str
    payload_bytes: int
    symbols: int
    threshold_db: float

def parse_duration_ns(text: str) -> int:
    """Nanoseconds in "250 ms". Raises ValueError with what was expected and found."""

def parse_rate_bps(text: str) -> int:
    """Bits per second in "10 Mbit/s". Raises ValueError."""

def parse_size_bytes(text: str) -> int:
    """Bytes in "36 MB". Raises ValueError."""

def parse_fraction(text: str) -> float:
    """Fraction of one in "1 %" or "1e-6". Raises ValueError."""

def format_duration(ns: int) -> str:
    """Write 250 000 000 as "250 ms"."""

def format_rate(bps: int) -> str:
    """Write 10 000 000 as "10 Mbit/s"."""

def format_size(bytes: int) -> str:
    """Write 36 000 000 as "36 MB"."""

def modcods(*, fecframe: str, pilots: str) -> list[_Modcod]:
    """Return the MODCODs of DVB-S2 that frames can have: normal or short, pilots on or off."""

def waveforms() -> list[_Waveform]:
    """Return the linear-modulation waveforms of DVB-RCS2."""

class SpecError(ValueError):
    """A specification of which no link can be made: `path` of a field, what was `expected` and `found`."""

    path: str
    expected: str
    found: str

def describe_link(link_json: str) -> str:
    """Check a link and return what it comes to, JSON in and out. Raises SpecError."""

def describe_slots(layout_json: str, burst_json: str) -> str:
    """Return what the slots of a return link come to, JSON in and out. Raises SpecError."""

class RecordingError(ValueError):
    """A file of which no recording can be made, or a path of which no file can.

    `file` is "content" or "delays", `line` its line from one, if it is about one.
    """

    file: str
    line: int | None
    expected: str
    found: str

OPPORTUNITY_BYTES: int
"""Size of a packet for which an opportunity to send is, as Mahimahi has it."""

RECORDING_FORMATS: list[str]
"""The names of the formats that recorded paths are read in."""

def recording_format(content: bytes) -> str:
    """Return the name of the format that a file's content shows. Raises RecordingError when it is none."""

def read_recording(
    content: bytes,
    format: str | None = None,
    delays: bytes | None = None,
    *,
    direction: str = "forward",
    offset_ns: int = 0,
    repeats: bool = False,
) -> str:
    """Return the schedules of a recorded path as JSON, in the format that its content shows if none is given.

    `direction` is that of a format of one direction, `delays` the second file of LeoReplayer, `offset_ns`
    what has passed at the start; `repeats` is for recordings of delays. Raises RecordingError, ValueError for
    a direction.
    """

def write_recording(link_json: str, seed: int, span_ns: int, format: str) -> dict[str, bytes]:
    """Return files, by their names, of a link's path as a run with this seed has it: "mahimahi", "schedule".

    Raises SpecError when there can be no such link, RecordingError when the format cannot tell its path.
    """

def schedule_series(link_json: str, seed: int, span_ns: int) -> dict[str, list[float]]:
    """Return the columns of the series `path` of a link as a run with this seed has it, in rows of 100 ms.

    None where nothing changes over time. Raises SpecError when there can be no such link.
    """

CLIENT_ADDRESS: str
SERVER_ADDRESS: str
TERMINAL_ADDRESS: str
GATEWAY_ADDRESS: str
"""The hosts', in a range that RFC 2544 sets aside for benchmarks."""

ORIGIN_NAME: str
"""The origin's, where the page does not give it another."""

RESOLVER_NAME: str
"""That of the resolver of runs whose clients ask one."""

HTTP_PORT: int
HTTPS_PORT: int
"""The origin's."""

def host_address(number: int) -> str:
    """Return the address of a page's host by its number; zero is the page's own."""

def quic_split_ports(spec: str) -> list[int]:
    """Return the ports at which a terminal ends the QUIC connections of a run (JSON of its spec)."""

class ScriptError(ValueError):
    """A script that cannot be read: in which `line`, what was `expected` and `found`."""

    line: int
    expected: str
    found: str

class ScriptVerdict:
    """How a script ends: "passed", "failed" or "skipped"; `expected` is then what is not supported.

    `is_timing` says whether all was as it is written but for its time; `unexpected` has what left by
    the end of a script that passed and no line of it expects, as lines of a script.
    """

    outcome: str
    line: int | None
    expected: str | None
    found: str | None
    is_timing: bool
    unexpected: list[str]

def script_addresses(text: str, *, options: list[tuple[str, str]]) -> tuple[str, str, int] | None:
    """Return the addresses of endpoint and peer and the MTU of a script. Raises ScriptError.

    `options` have names and values, and count before those at its head. None where one is not understood.
    """

def simulate_script(
    text: str,
    *,
    options: list[tuple[str, str]],
    read_file: Callable[[str], str | None],
    file_bytes: Callable[[str], int | None],
    evaluate: Callable[[str, dict[str, int]], None],
) -> ScriptVerdict:
    """Run a script in virtual time. Raises ScriptError.

    `read_file` gives the text of a file beside it, `file_bytes` the length of one that it opens; `evaluate`
    runs its Python with the fields of `tcp_info`.
    """

def emulate_script(
    text: str,
    *,
    options: list[tuple[str, str]],
    device: int,
    folder: str,
    evaluate: Callable[[str, dict[str, int]], None],
) -> ScriptVerdict:
    """Run a script against the kernel. Raises ScriptError, OSError.

    `device` is the descriptor of a TUN device of this thread's namespace, which this closes; commands run in
    `folder`.
    """

KERNEL_CONGESTION_CONTROLS: dict[str, str]
"""Those that the kernel's TCP has or can get, by the names that scenarios use: their names there."""

KERNEL_CUBIC_WITH_SEARCH: str
"""What the kernel's TCP gets where the slow start of its CUBIC is to end by SEARCH."""

INTERCEPTION_PORT: int
"""Where a proxy accepts the connections that it intercepts."""

UDP_BUFFER_BYTES: int
"""What our UDP sockets ask for in each direction (crates/emu/src/net.rs)."""

def has_receive_steering(spec: str) -> bool:
    """Tell whether hosts are to receive on other cores than the link's, for it is so fast."""

def has_segmentation_offload(spec: str) -> bool:
    """Tell whether the devices of a run's link are to have virtio headers, for segmentation offload.

    `spec` is the JSON of a RunSpec. Raises ValueError for one that cannot be read.
    """

def measure_hosts(spec: str) -> str:
    """Return, as JSON of HostsSpec, what encryption takes of a core of this machine.

    `spec` asks for the flow over QUIC by which datagrams are measured, over the loopback interface.
    """

def run_part(part: str) -> None:
    """Run a part of an emulated run on standard input and output.

    "link", "origin", "client", "terminal", "gateway" are those of one run; "congestion-control" has the
    kernel offer one meanwhile.
    """

def congestion_control_obstacle() -> str | None:
    """Say why no congestion control can be loaded into the kernel, as far as can be told without trying."""

def congestion_control_leftovers() -> list[str]:
    """Name the congestion controls that killed processes have left registered, as they can before Linux 6.4.

    None where this process cannot look: without root, clang at build time or BTF.
    """

def remove_congestion_control_leftovers() -> list[str]:
    """Remove what `congestion_control_leftovers` finds and return the names that were removed."""

class Simulator:
    """Runs specs in virtual time; several threads may use it at once. It keeps the pages that runs share."""

    def run(self, *, run_id: str, spec: str, provenance: str, artifacts: str | None) -> str:
        """Run a spec, captures and logs into a folder, and make its record; all else is JSON.

        Releases the interpreter lock. A run that breaks is a record too. Raises ValueError for a bad spec.
        """

def generate_identity(hosts: Sequence[str], key: str) -> str:
    """Make fresh keys ("ed25519", "p256") and a certificate for all hosts of a run, as JSON for the parts.

    Browsers take no Ed25519. Raises ValueError for another key, RuntimeError for what is no DNS name.
    """

def add_secrets(capture: str, key_log: list[str]) -> None:
    """Put TLS secrets (NSS key-log lines) at the head of a finished capture. Raises OSError."""

def check_spec(spec: str) -> None:
    """Raise ValueError with the place when the JSON is not a complete run spec."""

def assemble_record(
    *, run_id: str, engine: str, spec: str, provenance: str, client: str, origin: str, link: str
) -> str:
    """Make the record of a finished run from its spec, provenance and three reports; all are JSON."""

def reason_sentence(reason: str) -> str: ...
def failed_record(*, run_id: str, engine: str, spec: str, provenance: str, reason: str) -> str:
    """Make the record of a run that broke before it had reports; all but the reason are JSON."""

def har_of(record: str, started: str) -> str:
    """Write a page load's record as HAR 1.2; `started` is RFC 3339. Raises ValueError."""

def run_spec_schema() -> str:
    """Return the JSON schema of a run's spec."""

def run_record_schema() -> str:
    """Return the JSON schema of a run's record."""

def run_reports_schema() -> str:
    """Return the JSON schema of what client, origin and link report of a run."""

def link_description_schema() -> str:
    """Return the JSON schema of what a link comes to."""

def site_files(page: str) -> list[tuple[str, str, str, bytes]]:
    """Return what the origin serves of a page (JSON of its spec): host, target, media type, content.

    The document is the first. Raises ValueError when the page cannot be made.
    """
