"""A DVB-S2 carrier: `crates/link/src/dvbs2`."""

from typing import Literal, TypeAlias, TypedDict

from bentpipe.scenario.spec.channel import ClassSpec
from bentpipe.scenario.spec.signal import EsN0Spec
from bentpipe.scenario.written.vocabulary import FecFrame, Idle, Switch


class GseSpec(TypedDict):
    """Generic Stream Encapsulation (TS 102 606-1)."""

    kind: Literal["gse"]
    label_bytes: int


class MpegEncapsulationSpec(TypedDict):
    """MPEG packets, in which IP packets are put by MPE or ULE."""

    kind: Literal["mpe", "ule"]


Dvbs2EncapsulationSpec: TypeAlias = GseSpec | MpegEncapsulationSpec


class ConstantModulationSpec(TypedDict):
    """CCM: one MODCOD."""

    kind: Literal["constant"]
    modcod: str


class ByClassModulationSpec(TypedDict):
    """VCM: a MODCOD for each class, the last for packets of none."""

    kind: Literal["by-class"]
    modcods: list[str]


class AcmSpec(TypedDict):
    """ACM: the MODCOD follows the terminal's reports."""

    kind: Literal["adaptive"]
    margin_db: float
    hysteresis_db: float
    report_period_ns: int
    report_delay_ns: int


ModulationSpec: TypeAlias = ConstantModulationSpec | ByClassModulationSpec | AcmSpec


class Dvbs2Spec(TypedDict):
    """The capacity of a carrier."""

    kind: Literal["dvbs2"]
    nominal_bps: int
    symbols_per_s: int
    fecframe: FecFrame
    pilots: Switch
    idle: Idle
    closing_timeout_ns: int
    encapsulation: Dvbs2EncapsulationSpec
    modulation: ModulationSpec
    es_n0: EsN0Spec
    classes: list[ClassSpec]
