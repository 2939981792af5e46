"""What can be chosen to load a page faster, who chooses it, and why it is among the choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from bentpipe.scenario import defaults
from bentpipe.scenario.written import vocabulary

Value: TypeAlias = str | int | float | bool
Setting: TypeAlias = Mapping[str, Value]
"""Dotted keys of [run] with their values; a key at its default is not written."""

HTTP, CC = "http", "cc"
OVER_TCP = tuple(http for http in vocabulary.HTTP.available if http != "h3")
OVER_TLS = tuple(http for http in vocabulary.HTTP.available if http not in vocabulary.CLEAR_HTTP)


class Group(Enum):
    """Who can make a choice."""

    SITE = "site"
    """Whoever runs the server."""
    CLIENT = "client"
    """Whoever makes the browser or configures the user's system."""
    OPERATOR = "operator"
    """Whoever runs the satellite network."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A value of a factor; `where` names the values of earlier factors beside which it is one."""

    value: Value
    where: Mapping[str, Sequence[Value]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Factor:
    """A key of [run] that can be chosen.

    Attributes
    ----------
    key : str
        Dotted.
    group : Group
        Who chooses it.
    usual : Value or None
        Its default, which a setting does not write; None where every setting writes it.
    choices : sequence of Choice
        Its values.
    reason : str
        Why it is among what is tried.
    where : mapping
        The values of earlier factors that have it.
    """

    key: str
    group: Group
    usual: Value | None
    choices: Sequence[Choice]
    reason: str
    where: Mapping[str, Sequence[Value]] = field(default_factory=dict)

    def possible(self, setting: Setting) -> tuple[Value, ...]:
        """Return the values that it may have beside those of earlier factors; none where it does nothing."""
        if not _holds(self.where, setting):
            return ()
        return tuple(choice.value for choice in self.choices if _holds(choice.where, setting))


def _holds(where: Mapping[str, Sequence[Value]], setting: Setting) -> bool:
    return all(setting.get(key, _USUAL.get(key)) in values for key, values in where.items())


def _choices(*values: Value) -> tuple[Choice, ...]:
    return tuple(Choice(value=value) for value in values)


FACTORS = (
    Factor(
        key=HTTP,
        group=Group.SITE,
        usual=None,
        choices=_choices("h1s", "h2", "h3"),
        reason="What browsers speak: all three over TLS. The others are history, or no browser speaks them.",
    ),
    Factor(
        key=CC,
        group=Group.SITE,
        usual=None,
        choices=_choices(*vocabulary.OVER_TCP),
        reason="The server sends nearly all bytes. Prague is for networks that mark, which no site chooses.",
    ),
    Factor(
        key="slow_start",
        group=Group.SITE,
        usual=defaults.SLOW_START,
        choices=(
            Choice(value=defaults.SLOW_START),
            Choice(value="loss", where={CC: ("cubic",)}),
            # Linux's TCP has none; libraries for QUIC do.
            Choice(value="hystart++", where={CC: vocabulary.LOSS_BASED, HTTP: ("h3",)}),
        ),
        reason="HyStart takes the satellite's delay variation for a queue and leaves slow start too early.",
    ),
    Factor(
        key="tcp.initial_window",
        group=Group.SITE,
        usual=defaults.INITIAL_WINDOW_SEGMENTS,
        choices=_choices(defaults.INITIAL_WINDOW_SEGMENTS, 32),
        reason="RFC 6928 has 10, most content networks more (Ruth, Hohlfeld 2018). QUIC's follows it.",
    ),
    Factor(
        key="tcp.slow_start_after_idle",
        group=Group.SITE,
        usual=defaults.SLOW_START_AFTER_IDLE,
        choices=_choices(defaults.SLOW_START_AFTER_IDLE, False),
        reason="One connection for all: idle for a timeout it is back at its initial window (RFC 2861).",
        where={HTTP: ("h2", "h2c", "spdy")},
    ),
    Factor(
        key="tls.resumption",
        group=Group.SITE,
        usual=defaults.RESUMPTION,
        choices=_choices(defaults.RESUMPTION, "early-data"),
        reason="Saves a round trip of later connections; a ticket alone saves none in TLS 1.3 (RFC 8446).",
        where={HTTP: OVER_TLS},
    ),
    Factor(
        key="connections",
        group=Group.CLIENT,
        usual=defaults.CONNECTIONS,
        choices=_choices(defaults.CONNECTIONS, 12),
        reason="Browsers have six to a host; Firefox can be told otherwise.",
        where={HTTP: ("http10", "http10s", "h1", "h1s")},
    ),
    Factor(
        key="tcp.fast_open",
        group=Group.CLIENT,
        usual=defaults.FAST_OPEN,
        choices=_choices(defaults.FAST_OPEN, True),
        reason="Saves a round trip of later connections (RFC 7413); no browser of today asks for it.",
        where={HTTP: OVER_TCP},
    ),
    Factor(
        key="pep.kind",
        group=Group.OPERATOR,
        usual=defaults.PEP,
        choices=_choices(defaults.PEP, "split"),
        reason="Proxies at terminal and gateway that split TCP (RFC 3135); QUIC passes them by.",
        where={HTTP: OVER_TCP},
    ),
    Factor(
        key="pep.standing",
        group=Group.OPERATOR,
        usual=defaults.PEP_STANDING,
        choices=_choices(defaults.PEP_STANDING, True),
        reason="Their connections over the satellite are there before a client's.",
        where={"pep.kind": ("split",)},
    ),
)
"""In the order in which they are chosen: a condition names earlier ones alone."""

_USUAL: Mapping[str, Value | None] = {factor.key: factor.usual for factor in FACTORS}
