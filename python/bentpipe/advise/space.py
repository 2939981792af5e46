"""The settings that are compared: every combination of the factors, but for those that cannot be."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bentpipe.advise.factors import CC, FACTORS, HTTP, Choice, Factor, Group, Setting, Value
from bentpipe.errors import InputError
from bentpipe.scenario import Override, defaults, parse_override
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.dotted import is_at_or_below
from bentpipe.scenario.written.location import quoted

USUAL = {factor.key: factor.usual for factor in FACTORS}
USUAL_PRESENT: Setting = {HTTP: "h2", CC: defaults.CONGESTION_CONTROL}
"""What most sites send today: HTTP/2 with Linux's default."""
LONG_FORMS = {"pep": "pep.kind"}
"""Keys whose text stands for a table."""
PRESENT_EXAMPLE = "HTTP/CC such as h2/cubic, and further settings such as h2/cubic,tcp.initial_window=32"


@dataclass(frozen=True, kw_only=True)
class Space:
    """What is tried.

    Attributes
    ----------
    factors : tuple of Factor
        What is chosen, each after those that its conditions name.
    fixed : tuple of Override
        What holds for every setting and is not chosen.
    """

    factors: tuple[Factor, ...]
    fixed: tuple[Override, ...] = ()

    def chosen(self, choose: Callable[[str, tuple[Value, ...]], Value]) -> dict[str, Value]:
        """Return the setting that comes of one choice after the other.

        `choose` is given a key and its possible values, more than one.
        """
        setting: dict[str, Value] = {}
        for factor in self.factors:
            possible = factor.possible({**self._known, **setting})
            if possible:
                value = possible[0] if len(possible) == 1 else choose(factor.key, possible)
                _write(setting, factor, value)
        return setting

    def settings(self) -> Iterator[dict[str, Value]]:
        """Yield every setting once, the last factor varying fastest."""
        yield from self._from(0, {})

    def size(self, *, at_most: int) -> int:
        """Return the number of settings, or `at_most` where there are more."""
        return sum(1 for _ in itertools.islice(self.settings(), at_most))

    @property
    def _known(self) -> dict[str, Value]:
        fixed = {override.key: override.value for override in self.fixed}
        return {key: value for key, value in fixed.items() if isinstance(value, str | int | float)}

    def _from(self, place: int, setting: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
        if place == len(self.factors):
            yield dict(setting)
            return
        factor = self.factors[place]
        possible = factor.possible({**self._known, **setting})
        if not possible:
            yield from self._from(place + 1, setting)
        for value in possible:
            longer = dict(setting)
            _write(longer, factor, value)
            yield from self._from(place + 1, longer)


def _write(setting: dict[str, Value], factor: Factor, value: Value) -> None:
    # What stands at its default is not written: one setting has one name.
    if not _is_same(value, factor.usual):
        setting[factor.key] = value


def _is_same(value: Value, other: Value | None) -> bool:
    """Whether two values are one: for Python 1 and true are."""
    return type(value) is type(other) and value == other


def space(*, groups: Sequence[Group], over: Sequence[str], fixed: Sequence[str]) -> Space:
    """Return the space that a user asked for.

    Parameters
    ----------
    groups : sequence of Group
        Whose choices are tried.
    over : sequence of str
        `KEY=VALUE,VALUE...`: values of a factor in place of ours, or of a key that is none.
    fixed : sequence of str
        `KEY=VALUE` for every setting.

    Raises
    ------
    InputError
        For a text that is none of these, or a key that is both fixed and tried.
    """
    overrides = tuple(map(parse_override, fixed))
    asked = dict(_over(text) for text in over)
    for key in asked:
        if any(is_at_or_below(key, override.key) for override in overrides):
            raise InputError(
                file=COMMAND_LINE, field=f"--over {key}", expected=f"nothing beside --set {key}", found=key
            )
    own = [
        replace(factor, choices=_own(factor, asked.pop(factor.key))) if factor.key in asked else factor
        for factor in FACTORS
        if factor.group in groups or factor.key in asked
    ]
    further = [
        Factor(
            key=key,
            group=Group.SITE,
            usual=None,
            choices=tuple(Choice(value=value) for value in values),
            reason="Asked for.",
        )
        for key, values in asked.items()
    ]
    factors = (
        factor
        for factor in (*own, *further)
        if not any(is_at_or_below(factor.key, override.key) for override in overrides)
    )
    return Space(factors=tuple(factors), fixed=overrides)


def present(text: str | None, *, fixed: Sequence[Override]) -> dict[str, Value]:
    """Return the setting that is in use today: as `--present` says, or what most sites have.

    Raises
    ------
    InputError
        When it is no HTTP/CC with settings.
    """
    decided = {override.key for override in fixed}
    if text is None:
        return {key: value for key, value in USUAL_PRESENT.items() if key not in decided}
    head, *further = text.split(",")
    http, slash, cc = head.partition("/")
    if not (http and slash and cc) or any("=" not in each for each in further):
        raise InputError(file=COMMAND_LINE, field="--present", expected=PRESENT_EXAMPLE, found=quoted(text))
    written = [f"{HTTP}={http}", f"{CC}={cc}", *further]
    setting = {key: value for key, (value,) in map(_over_present, written)}
    for key in setting:
        if any(is_at_or_below(key, each) for each in decided):
            raise InputError(
                file=COMMAND_LINE,
                field="--present",
                expected=f"nothing beside --set {key}",
                found=quoted(text),
            )
    return {key: value for key, value in setting.items() if not _is_same(value, USUAL.get(key))}


def _over_present(text: str) -> tuple[str, tuple[Value, ...]]:
    return _values(text, [text.partition("=")[2]], option="--present")


def _over(text: str) -> tuple[str, tuple[Value, ...]]:
    return _values(text, text.partition("=")[2].split(","), option="--over")


def _values(text: str, written: Sequence[str], *, option: str) -> tuple[str, tuple[Value, ...]]:
    """Return a key and its values; each is read as `--set` reads it."""
    key = text.partition("=")[0].strip()
    expected = "KEY=VALUE,VALUE such as cc=cubic,bbr"
    if not key or not all(value.strip() for value in written):
        raise InputError(file=COMMAND_LINE, field=option, expected=expected, found=quoted(text))
    values: list[Value] = []
    for each in written:
        try:
            override = parse_override(f"{key}={each.strip()}")
        except InputError as error:
            raise error.at(file=COMMAND_LINE, field=error.field.replace("--set", option)) from None
        key = LONG_FORMS.get(override.key, override.key)
        if not isinstance(override.value, str | int | float):
            raise InputError(file=COMMAND_LINE, field=option, expected=expected, found=quoted(text))
        values.append(override.value)
    return key, tuple({(type(value), value): value for value in values}.values())


def _own(factor: Factor, values: Sequence[Value]) -> tuple[Choice, ...]:
    """Return the choices of a user; those that are among ours keep their conditions."""
    known = {(type(choice.value), choice.value): choice for choice in factor.choices}
    return tuple(known.get((type(value), value), Choice(value=value)) for value in values)
