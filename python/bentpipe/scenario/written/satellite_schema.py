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
    start: str | None = Field(default=None, description=SIZE)
    p: float | str | None = Field(default=None, description=PROBABILITY)
    target: str | None = Field(default=None, description=DURATION)
    interval: str | None = Field(default=None, description=DURATION)
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    aqm: str | None = Field(default=None, description='"dualpi2"')
    rtt_max: str | None = Field(default=None, description=DURATION)


class CarrierTable(Table):
    """What both kinds of carrier have: symbols, by their rate or by the bandwidth that they take."""

    symbol_rate: str | None = Field(default=None, description=SYMBOL_RATE)
    bandwidth: str | None = Field(default=None, description=BANDWIDTH)
    roll_off: float | None = Field(default=None, description="0.35, 0.25 or 0.20")
    encapsulation: str | None = Field(default=None, description='an encapsulation such as "mpe"')
    label: str | None = Field(default=None, description='"0 B", "3 B" or "6 B"')


class Dvbs2Table(CarrierTable):
    """A DVB-S2 carrier."""

    fecframe: str | None = Field(default=None, description='"normal" or "short"')
    pilots: str | None = Field(default=None, description='"on" or "off"')
    idle: str | None = Field(default=None, description='"dummy-frames" or "silence"')
    closing_timeout: str | None = Field(default=None, description=DURATION)
    scheduling_period: str | None = Field(default=None, description=DURATION)
    modcod: str | None = Field(default=None, description=MODCOD)


class AcmTable(Table):
    """Adaptive coding and modulation."""

    margin: str | None = Field(default=None, description=DECIBELS)
    hysteresis: str | None = Field(default=None, description=DECIBELS)
    report_period: str | None = Field(default=None, description=DURATION)
    report_delay: str | None = Field(default=None, description=DURATION)


class ClearSkyTable(Table):
    """Es/N0 of each leg of the path without attenuation."""

    up: str | None = Field(default=None, description=DECIBELS)
    down: str | None = Field(default=None, description=DECIBELS)


class RainTable(Table):
    """Rain over a ground station."""

    latitude: str | None = Field(default=None, description=DEGREES)
    longitude: str | None = Field(default=None, description=DEGREES)
    frequency: str | None = Field(default=None, description='a frequency such as "20 GHz"')
    elevation: str | None = Field(default=None, description=DEGREES)
    tilt: str | None = Field(default=None, description=DEGREES)
    duration: str | None = Field(default=None, description=DURATION)
    start: str | None = Field(default=None, description='"worst", or a duration such as "2 h"')
    hours: int | None = Field(default=None, description=COUNT)
    seed: int | None = Field(default=None, description=COUNT)


class FadeTable(Table):
    """Attenuation of a leg: {depth} always, or for a time; {file}; {rain}. The keys decide on the kind."""

    depth: str | None = Field(default=None, description=DECIBELS)
    start: str | None = Field(default=None, description=DURATION)
    rise: str | None = Field(default=None, description=DURATION)
    lasting: str | None = Field(default=None, description=DURATION)
    fall: str | None = Field(default=None, description=DURATION)
    every: str | None = Field(default=None, description=DURATION)
    file: str | None = Field(default=None, description=FILE)
    rain: RainTable | None = Field(default=None, description=A_TABLE)


class AttenuationTable(Table):
    """What the atmosphere takes off each leg of the path."""

    up: Annotated[FadeTable | None, named("depth")] = Field(default=None, description=DECIBELS)
    down: Annotated[FadeTable | None, named("depth")] = Field(default=None, description=DECIBELS)


class BurstTable(Table):
    """A burst of MPEG packets, as DVB-RCS has it."""

    packets: int | None = Field(default=None, description=COUNT)
    length: str | None = Field(default=None, description=SYMBOLS)
    threshold: str | None = Field(default=None, description=DECIBELS)


class SignallingTable(Table):
    """How requests get to the controller: {period} in request slots, {period, size} in front of data."""

    period: int | None = Field(default=None, description=COUNT)
    size: str | None = Field(default=None, description=SIZE)


class Rcs2Table(CarrierTable):
    """A DVB-RCS2 return link."""

    carriers: int | None = Field(default=None, description=COUNT)
    frames: int | None = Field(default=None, description=COUNT)
    request_slots: int | None = Field(default=None, description=COUNT)
    traffic_slots: int | None = Field(default=None, description=COUNT)
    request_length: str | None = Field(default=None, description=SYMBOLS)
    guard: str | None = Field(default=None, description=SYMBOLS)
    silence: str | None = Field(default=None, description=SYMBOLS)
    waveform: int | None = Field(default=None, description="the id of a waveform, from 3 to 22")
    burst: BurstTable | None = Field(default=None, description=A_TABLE)
    protocol: str | None = Field(default=None, description='"0 B", "1 B" or "2 B"')
    protection: str | None = Field(default=None, description='"sequence" or "crc"')
    signalling: SignallingTable | None = Field(default=None, description=A_TABLE)
    placement: str | None = Field(default=None, description='"spread" or "contiguous"')
    order: str | None = Field(default=None, description='"oldest-first" or "largest-first"')
    lead: str | None = Field(default=None, description=DURATION)


class MixTable(Table):
    """Capacity of a class, of any kinds."""

    cra: str | None = Field(default=None, description=SLOTS)
    rbdc: str | None = Field(default=None, description=SLOTS)
    rbdc_timeout: str | None = Field(default=None, description=DURATION)
    vbdc: str | None = Field(default=None, description=SLOTS)
    avbdc: str | None = Field(default=None, description=SLOTS)
    free: bool | None = Field(default=None, description="true or false")


class ClassTable(Table):
    """A class of service: packets that go before others."""

    name: str | None = Field(default=None, description=NAME)
    dscp: Annotated[list[int | str] | None, BeforeValidator(_list)] = Field(default=None, description=DSCP)
    queue: Annotated[QueueTable | None, named("limit")] = Field(default=None, description=QUEUE)


class ForwardClassTable(ClassTable):
    """A class at the gateway."""

    modcod: str | None = Field(default=None, description=MODCOD)


class ReturnClassTable(ClassTable):
    """A class at the terminal."""

    mix: str | None = Field(default=None, description=MIX)


class BackgroundTable(Table):
    """Who shares a carrier: {load, packet} at random, {on, off} in periods, {file} as they once sent."""

    count: int | None = Field(default=None, description=COUNT)
    queue: str | None = Field(default=None, description=SIZE)
    load: str | None = Field(default=None, description=RATE)
    packet: str | None = Field(default=None, description=SIZE)
    file: str | None = Field(default=None, description=FILE)
    every: str | None = Field(default=None, description=DURATION)
    on: str | None = Field(default=None, description=DURATION)
    off: str | None = Field(default=None, description=DURATION)


class ForwardBackgroundTable(BackgroundTable):
    """Other customers of a forward carrier."""


class ReturnBackgroundTable(BackgroundTable):
    """Other terminals of a return link."""

    mix: str | None = Field(default=None, description=MIX)
