"""What a terminal of a return link may have, as a link's specification says, in slots and in words."""

from bentpipe.model.rcs2 import FreeSpec, MixSpec


def mix_slots(mix: MixSpec) -> list[tuple[str, float]]:
    """The kinds of capacity of a mix with their slots per superframe; of all but CRA, the most."""
    kinds = [("CRA", mix.cra.slots / mix.cra.superframes)]
    if mix.rbdc is not None:
        kinds.append(("RBDC", mix.rbdc.max.slots / mix.rbdc.max.superframes))
    if mix.volume is not None:
        kinds.append((mix.volume.kind.upper(), float(mix.volume.max_slots)))
    return [(kind, slots) for kind, slots in kinds if slots]


def mix_words(mix: MixSpec) -> str:
    """A mix as people write it: "CRA 18 + RBDC up to 105"."""
    words = [f"{kind} {'' if kind == 'CRA' else 'up to '}{slots:.4g}" for kind, slots in mix_slots(mix)]
    return " + ".join([*words, *(["FCA"] if mix.free is FreeSpec.FCA else [])])


def counted(count: int, noun: str) -> str:
    """A number of things: "1 frame", "4 frames"."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
