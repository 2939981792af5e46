"""What decides each claim: the rig as it is, one of its facts, an ablation, or nothing that is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bentpipe.campaign.variants import VariantKind
from bentpipe.model.scenario import VariantDocument
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing, Verdict


class Decided(Enum):
    """What has become of a claim."""

    AGREES = "agrees"
    """Under the rig."""
    BY_ABLATION = "decided"
    """It differs under the rig, and a named ablation makes it agree."""
    OPEN = "open"
    """Nothing that was tried makes it agree."""
    NOT_COUNTED = "not counted"
    """Calibrated, impossible, or a property."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A claim with what decides it.

    Attributes
    ----------
    verdict : Verdict
        Under the rig.
    today : Agreement or None
        With present software; None where that was not measured.
    decided : Decided
        What has become of it.
    agrees_with : tuple of str
        Variants with which it agrees though it does not under the rig: single factors, facts left out and
        ablations, where there are any, else combinations.
    rests_on : tuple of str
        Variants with which it does not agree though it does under the rig.
    """

    verdict: Verdict
    today: Agreement | None
    decided: Decided
    agrees_with: tuple[str, ...]
    rests_on: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What decides it, in a sentence."""
        match self.decided:
            case Decided.NOT_COUNTED:
                return self.verdict.note or self.verdict.standing.value
            case Decided.AGREES if self.rests_on:
                return f"agrees; not with {_listed(self.rests_on)}"
            case Decided.AGREES:
                return "agrees whatever is varied"
            case Decided.BY_ABLATION:
                return f"decided by {_listed(self.agrees_with)}"
            case Decided.OPEN:
                return "open: nothing that was varied makes it agree"


@dataclass(frozen=True, kw_only=True)
class Score:
    """How many claims of a study agree, are decided by an ablation, and are open."""

    agree: int
    decided: int
    open: int
    impossible: int
    calibrated: int

    @property
    def possible(self) -> int:
        """How many count: all but those that are impossible, calibrated or properties."""
        return self.agree + self.decided + self.open

    @property
    def decided_share(self) -> float:
        """Which share of them agree or are decided by a named ablation."""
        return (self.agree + self.decided) / self.possible if self.possible else 0.0


def decide(
    base: Sequence[Verdict], by_variant: Sequence[tuple[VariantDocument, Sequence[Verdict]]]
) -> tuple[Decision, ...]:
    """Return the decision on each claim of the base.

    Parameters
    ----------
    base : sequence of Verdict
        Under the rig.
    by_variant : sequence of pairs
        Each variant beside the base, with its verdicts on the same claims.
    """
    agreements = [
        (variant, {each.claim_id: each.agreement for each in verdicts}) for variant, verdicts in by_variant
    ]
    return tuple(_decision(verdict, agreements) for verdict in base)


def score(decisions: Sequence[Decision]) -> Score:
    """Count the claims by what has become of them."""
    found = [each.decided for each in decisions]
    standings = [each.verdict.standing for each in decisions]
    return Score(
        agree=found.count(Decided.AGREES),
        decided=found.count(Decided.BY_ABLATION),
        open=found.count(Decided.OPEN),
        impossible=standings.count(Standing.IMPOSSIBLE),
        calibrated=standings.count(Standing.CALIBRATED),
    )


def _decision(
    verdict: Verdict, agreements: Sequence[tuple[VariantDocument, Mapping[str, Agreement]]]
) -> Decision:
    agrees = verdict.agreement is Agreement.AGREES
    found = {
        variant.name: (VariantKind(variant.kind), by_claim[verdict.claim_id])
        for variant, by_claim in agreements
        if verdict.claim_id in by_claim
    }
    otherwise = {
        name: kind
        for name, (kind, agreement) in found.items()
        if kind is not VariantKind.TODAY
        and (agreement is Agreement.AGREES) is not agrees
        # Too few runs in a variant say nothing about what it changes.
        and agreement is not Agreement.NOT_TESTABLE
    }
    today = next((agreement for kind, agreement in found.values() if kind is VariantKind.TODAY), None)
    if verdict.standing is not Standing.CLAIM:
        decided = Decided.NOT_COUNTED
    elif agrees:
        decided = Decided.AGREES
    else:
        decided = Decided.BY_ABLATION if otherwise else Decided.OPEN
    return Decision(
        verdict=verdict,
        today=today,
        decided=decided,
        agrees_with=() if agrees else _plainest(otherwise),
        rests_on=tuple(otherwise) if agrees else (),
    )


def _plainest(variants: Mapping[str, VariantKind]) -> tuple[str, ...]:
    """Return single factors where there are any, facts left out and ablations alike, else combinations."""
    single = tuple(name for name, kind in variants.items() if kind is not VariantKind.TOGETHER)
    return single or tuple(variants)


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:4])
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
