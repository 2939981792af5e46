"""What becomes of packets on their way: jitter and losses.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen


class NoneJitterSpec(Frozen):
    """The delay is constant."""

    kind: Literal["none"] = "none"


class NormalJitterSpec(Frozen):
    """Normally distributed around the delay, cut off where the delay would be negative."""

    kind: Literal["normal"] = "normal"
    sd_ns: int
    """Standard deviation."""


class QuantileSpec(Frozen):
    """A point of a quantile function."""

    p: float
    """Probability of a smaller value."""
    offset_ns: int
    """What is added to the delay."""


class NoneLossSpec(Frozen):
    """None."""

    kind: Literal["none"] = "none"


class BernoulliLossSpec(Frozen):
    """Each packet is lost independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    p: float
    """Probability of loss."""


class GilbertElliottLossSpec(Frozen):
    """Two-state Markov chain stepped once per packet (Gilbert 1960, Elliott 1963)."""

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    p: float
    """Probability of going from the good to the bad state."""
    r: float
    """Probability of going from the bad to the good state."""
    h: float
    """Probability that a packet survives in the bad state."""
    k: float
    """Probability that a packet survives in the good state."""


class BitErrorLossSpec(Frozen):
    """Independent bit errors: a packet of n bits survives with (1 - BER)^n."""

    kind: Literal["bit-error"] = "bit-error"
    ber: float
    """Bit error ratio."""


class OutageSpec(Frozen):
    """A duration of outages."""

    weight: int
    """How many of so many outages as all weights together last this long."""
    duration_ns: int
    """From the first instant at which nothing gets through to the first at which something does."""


class EmpiricalJitterSpec(Frozen):
    """Of any distribution, and constant for a while at a time."""

    kind: Literal["empirical"] = "empirical"
    quantiles: Sequence[QuantileSpec]
    """The quantile function, linear between its points: at least two, from p = 0 to p = 1, both columns ascending."""
    hold_ns: int
    """How long a value holds before the next one is drawn; at least 1 ms."""


JitterSpec = TypeAliasType(
    "JitterSpec",
    Annotated[
        NoneJitterSpec | NormalJitterSpec | EmpiricalJitterSpec,
        Field(discriminator="kind"),
    ],
)
"""Random variation of the propagation delay."""


class OutagesLossSpec(Frozen):
    """The channel is out now and then and loses all that is sent meanwhile."""

    kind: Literal["outages"] = "outages"
    period_ns: int
    """One outage begins in each period, at any instant of it; at least 1 ms."""
    durations: Sequence[OutageSpec]
    """How long outages last; at least one, the weights together from one to a million."""


LossSpec = TypeAliasType(
    "LossSpec",
    Annotated[
        NoneLossSpec | BernoulliLossSpec | GilbertElliottLossSpec | BitErrorLossSpec | OutagesLossSpec,
        Field(discriminator="kind"),
    ],
)
"""Losses on the channel, after transmission."""
