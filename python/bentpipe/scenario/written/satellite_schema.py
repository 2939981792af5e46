"""A link's queues and satellite carriers as written: names and types of their keys, nothing filled in."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from bentpipe.scenario.written.table import (
    A_TABLE,
    COUNT,
    DSCP,
    DURATION,
    PROBABILITY,
    QUEUE,
    RATE,
    SIZE,
    TRUE_OR_FALSE,
    Table,
    named,
)

DECIBELS = 'a ratio such as "10 dB"'
SYMBOL_RATE = 'a symbol rate such as "4 Msym/s"'
BANDWIDTH = 'a bandwidth such as "5 MHz"'
SYMBOLS = 'a number of symbols such as "4 sym"'
DEGREES = 'an angle such as "57.15 deg"'
SLOTS = 'slots of a superframe such as "18 slots", "8 %" or "64 kbit/s"'
MODCOD = 'a MODCOD such as "8PSK 3/4"'
NAME = "a name"
FILE = "the path of a CSV file"
MIX = 'the name of a mix such as "cra"'


def _list(value: object) -> object:
    return value if isinstance(value, list) else [value]


class QueueTable(Table):
    """A queue: {limit} drop-tail; {limit, start, p} random early drop; {limit, target, interval} CoDel.

    CoDel with {ecn} marks; {limit, aqm, target, rtt_max} is DualPI2. What is written decides.
    """

    limit: str | None = Field(default=None, description=QUEUE)
    """Drop-tail limit."""
    start: str | None = Field(default=None, description=SIZE)
    """Random early drop from this length on."""
    p: float | str | None = Field(default=None, description=PROBABILITY)
    """Drop probability at the limit."""
    target: str | None = Field(default=None, description=DURATION)
    """CoDel's target; of DualPI2 that of the classic queue (15 ms)."""
    interval: str | None = Field(default=None, description=DURATION)
    """CoDel's interval."""
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """CoDel marks ECN-capable packets instead of dropping them. Default: {CODEL_ECN}."""
    aqm: str | None = Field(default=None, description='"dualpi2"')
    """`dualpi2` (RFC 9332)."""
    rtt_max: str | None = Field(default=None, description=DURATION)
    """DualPI2's largest expected RTT. Default: {DUALPI2_RTT_MAX}."""


class CarrierTable(Table):
    """What both kinds of carrier have: symbols, by their rate or by the bandwidth that they take."""

    symbol_rate: str | None = Field(default=None, description=SYMBOL_RATE)
    """Symbols per second of each carrier. Either this or `bandwidth` and `roll_off`."""
    bandwidth: str | None = Field(default=None, description=BANDWIDTH)
    """Bandwidth of a carrier."""
    roll_off: float | None = Field(default=None, description="0.35, 0.25 or 0.20")
    """Roll-off factor."""
    encapsulation: str | None = Field(default=None, description='an encapsulation such as "mpe"')
    """DVB-S2: `gse`, or `mpe` or `ule` over MPEG-TS. DVB-RCS2: `rle` in waveforms, `mpe` or `ule` in MPEG
    packets. Default: `gse`; `rle`, with `burst` `mpe`.
    """
    label: str | None = Field(default=None, description='"0 B", "3 B" or "6 B"')
    """Receiver address of GSE or RLE. Default: 6 B of GSE, 0 B of RLE."""


class Dvbs2Table(CarrierTable):
    """A DVB-S2 carrier."""

    fecframe: str | None = Field(default=None, description='"normal" or "short"')
    """FECFRAME length. Default: {FECFRAME}."""
    pilots: str | None = Field(default=None, description='"on" or "off"')
    """Pilot symbols. Default: {PILOTS}."""
    idle: str | None = Field(default=None, description='"dummy-frames" or "silence"')
    """What is sent when no frame is due. Default: {IDLE}."""
    closing_timeout: str | None = Field(default=None, description=DURATION)
    """How long a packet waits for others to fill its frame. Default: {CLOSING_TIMEOUT}."""
    scheduling_period: str | None = Field(default=None, description=DURATION)
    """Frames are filled in steps of this length, as by OpenSAND (10 ms). Default: a frame is filled when it
    starts.
    """
    modcod: str | None = Field(default=None, description=MODCOD)
    """MODCOD of all frames (CCM). Required without `acm`."""


class AcmTable(Table):
    """Adaptive coding and modulation."""

    margin: str | None = Field(default=None, description=DECIBELS)
    """Es/N0 above a MODCOD's threshold that is required. Default: {ACM_MARGIN}."""
    hysteresis: str | None = Field(default=None, description=DECIBELS)
    """Further margin before a more efficient MODCOD is chosen. Default: {ACM_HYSTERESIS}."""
    report_period: str | None = Field(default=None, description=DURATION)
    """Interval of the terminal's reports. Default: {ACM_REPORT_PERIOD}."""
    report_delay: str | None = Field(default=None, description=DURATION)
    """From measurement to the gateway. Default: one-way propagation and a superframe of the return link."""


class ClearSkyTable(Table):
    """Es/N0 of each leg of the path without attenuation."""

    up: str | None = Field(default=None, description=DECIBELS)
    """Es/N0 of the leg to the satellite. Default: {CLEAR_SKY}."""
    down: str | None = Field(default=None, description=DECIBELS)
    """Es/N0 of the leg from the satellite. Default: {CLEAR_SKY}."""


class RainTable(Table):
    """Rain over a ground station."""

    latitude: str | None = Field(default=None, description=DEGREES)
    """Latitude of the station. Required."""
    longitude: str | None = Field(default=None, description=DEGREES)
    """Longitude of the station. Required."""
    frequency: str | None = Field(default=None, description='a frequency such as "20 GHz"')
    """Carrier frequency. Required."""
    elevation: str | None = Field(default=None, description=DEGREES)
    """Elevation of the satellite. Required."""
    tilt: str | None = Field(default=None, description=DEGREES)
    """Polarisation: 0 deg horizontal, 90 deg vertical, 45 deg circular. Default: {RAIN_TILT}."""
    duration: str | None = Field(default=None, description=DURATION)
    """Length of the excerpt. Required."""
    start: str | None = Field(default=None, description='"worst", or a duration such as "2 h"')
    """Where the excerpt starts; `worst` centres it on the deepest fade. Default: {RAIN_START}."""
    hours: int | None = Field(default=None, description=COUNT)
    """Length of the series from which the excerpt is taken. Default: {RAIN_HOURS}."""
    seed: int | None = Field(default=None, description=COUNT)
    """Seed of the rain. Default: {RAIN_SEED}."""


class FadeTable(Table):
    """Attenuation of a leg: {depth} always, or for a time; {file}; {rain}. The keys decide on the kind."""

    depth: str | None = Field(default=None, description=DECIBELS)
    """Attenuation: constant, or the depth of a fade."""
    start: str | None = Field(default=None, description=DURATION)
    """When the fade starts, from the start of the workload. Default: 0 s."""
    rise: str | None = Field(default=None, description=DURATION)
    """How long it takes to full depth. Default: 0 s."""
    lasting: str | None = Field(default=None, description=DURATION)
    """How long full depth lasts. Default: 0 s."""
    fall: str | None = Field(default=None, description=DURATION)
    """How long it takes back. Default: 0 s."""
    every: str | None = Field(default=None, description=DURATION)
    """Period after which the fade or file starts again. Default: once."""
    file: str | None = Field(default=None, description=FILE)
    """CSV file of `time_s` and `db`, relative to the file that names it."""
    rain: RainTable | None = Field(default=None, description=A_TABLE)
    """Rain over a site (ITU-R P.618, P.1853); needs the extra `rain`."""


class AttenuationTable(Table):
    """What the atmosphere takes off each leg of the path."""

    up: Annotated[FadeTable | None, named("depth")] = Field(default=None, description=DECIBELS)
    """Attenuation of the leg to the satellite. Default: none."""
    down: Annotated[FadeTable | None, named("depth")] = Field(default=None, description=DECIBELS)
    """Attenuation of the leg from the satellite. Default: none."""


class BurstTable(Table):
    """A burst of MPEG packets, as DVB-RCS has it."""

    packets: int | None = Field(default=None, description=COUNT)
    """MPEG packets in a burst."""
    length: str | None = Field(default=None, description=SYMBOLS)
    """Length of a burst."""
    threshold: str | None = Field(default=None, description=DECIBELS)
    """Es/N0 at which one burst in 100 000 is lost."""


class SignallingTable(Table):
    """How requests get to the controller: {period} in request slots, {period, size} in front of data."""

    period: int | None = Field(default=None, description=COUNT)
    """A request in one of so many superframes. Default: {REQUEST_PERIOD}."""
    size: str | None = Field(default=None, description=SIZE)
    """Requests are in-band, ahead of data, of this size. Default: control timeslots."""


class Rcs2Table(CarrierTable):
    """A DVB-RCS2 return link."""

    carriers: int | None = Field(default=None, description=COUNT)
    """Carriers of a superframe, in parallel. Default: {CARRIERS}."""
    frames: int | None = Field(default=None, description=COUNT)
    """Frames of a superframe, in sequence. Default: {FRAMES}."""
    request_slots: int | None = Field(default=None, description=COUNT)
    """Control timeslots of a frame on each carrier. Default: {REQUEST_SLOTS}."""
    traffic_slots: int | None = Field(default=None, description=COUNT)
    """Traffic timeslots of a frame on each carrier. Required."""
    request_length: str | None = Field(default=None, description=SYMBOLS)
    """Length of a burst in a control timeslot. Default: 536 sym."""
    guard: str | None = Field(default=None, description=SYMBOLS)
    """Guard time after each burst. Default: 4 sym."""
    silence: str | None = Field(default=None, description=SYMBOLS)
    """Unused symbols at the end of a frame. Default: 0 sym."""
    waveform: int | None = Field(default=None, description="the id of a waveform, from 3 to 22")
    """Waveform id, 3 to 22. Either this or `burst`."""
    burst: BurstTable | None = Field(default=None, description=A_TABLE)
    """A burst as in DVB-RCS."""
    protocol: str | None = Field(default=None, description='"0 B", "1 B" or "2 B"')
    """Protocol type field of RLE. Default: {RLE_PROTOCOL}."""
    protection: str | None = Field(default=None, description='"sequence" or "crc"')
    """Trailer of RLE: sequence number or CRC. Default: {RLE_PROTECTION}."""
    signalling: SignallingTable | None = Field(default=None, description=A_TABLE)
    """How requests reach the controller. Default: one in each superframe."""
    placement: str | None = Field(default=None, description='"spread" or "contiguous"')
    """A terminal's slots are spread over the superframe or contiguous. Default: {PLACEMENT}."""
    order: str | None = Field(default=None, description='"oldest-first" or "largest-first"')
    """Order of volume requests. Default: {VOLUME_ORDER}."""
    lead: str | None = Field(default=None, description=DURATION)
    """From the plan of a superframe (TBTP2) to its start at the terminal. Default: one-way propagation."""


class MixTable(Table):
    """Capacity of a class, of any kinds."""

    cra: str | None = Field(default=None, description=SLOTS)
    """Constant rate assignment."""
    rbdc: str | None = Field(default=None, description=SLOTS)
    """Largest rate-based dynamic capacity."""
    rbdc_timeout: str | None = Field(default=None, description=DURATION)
    """Validity of a rate request. Default: {RBDC_TIMEOUT}."""
    vbdc: str | None = Field(default=None, description=SLOTS)
    """Largest volume-based dynamic capacity."""
    avbdc: str | None = Field(default=None, description=SLOTS)
    """Largest absolute volume-based dynamic capacity."""
    free: bool | None = Field(default=None, description="true or false")
    """Share in free capacity assignment. Default: false."""


class ClassTable(Table):
    """A class of service: packets that go before others."""

    name: str | None = Field(default=None, description=NAME)
    """Name of the class in results. Required."""
    dscp: Annotated[list[int | str] | None, BeforeValidator(_list)] = Field(default=None, description=DSCP)
    """Code points of its packets. Required."""
    queue: Annotated[QueueTable | None, named("limit")] = Field(default=None, description=QUEUE)
    """Its queue. Default: that of the direction."""


class ForwardClassTable(ClassTable):
    """A class at the gateway."""

    modcod: str | None = Field(default=None, description=MODCOD)
    """A MODCOD of its own (VCM). Default: that of the carrier."""


class ReturnClassTable(ClassTable):
    """A class at the terminal."""

    mix: str | None = Field(default=None, description=MIX)
    """Its mix. Required."""


class BackgroundTable(Table):
    """Who shares a carrier: {load, packet} at random, {on, off} in periods, {file} as they once sent."""

    count: int | None = Field(default=None, description=COUNT)
    """Number of such terminals. Default: {BACKGROUND_COUNT}."""
    queue: str | None = Field(default=None, description=SIZE)
    """Queue of each terminal."""
    load: str | None = Field(default=None, description=RATE)
    """Mean rate of a Poisson process."""
    packet: str | None = Field(default=None, description=SIZE)
    """Size of its packets. Default: {BACKGROUND_PACKET}."""
    file: str | None = Field(default=None, description=FILE)
    """CSV file of `time_s` and `bytes`."""
    every: str | None = Field(default=None, description=DURATION)
    """Period after which `file` starts again. Default: once."""
    on: str | None = Field(default=None, description=DURATION)
    """Mean of exponentially distributed active periods. Default: always active."""
    off: str | None = Field(default=None, description=DURATION)
    """Mean of exponentially distributed silences."""


class ForwardBackgroundTable(BackgroundTable):
    """Other customers of a forward carrier."""


class ReturnBackgroundTable(BackgroundTable):
    """Other terminals of a return link."""

    mix: str | None = Field(default=None, description=MIX)
    """Mix of each terminal. Required."""
