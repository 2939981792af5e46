"""A report on ablations as data: units in names, null for what is not there."""

from bentpipe.report.ablations.contents import Contents
from bentpipe.report.ablations.effects import GroupEffects
from bentpipe.report.data import Document
from bentpipe.stats import Interval
from bentpipe.studies.decisions import Decision


def document(contents: Contents) -> Document:
    """Return the report as JSON."""
    score = contents.score
    return {
        "name": contents.document.name,
        "engine": contents.document.engine,
        "variants": [
            variant.model_dump(mode="json", include={"name", "kind", "reason", "source", "parts"})
            for variant in contents.document.variants
        ],
        "score": {
            "agree": score.agree,
            "decided": score.decided,
            "open": score.open,
            "possible": score.possible,
            "impossible": score.impossible,
            "calibrated": score.calibrated,
            "decided_share": score.decided_share,
        },
        "claims": [decision(each) for each in contents.decisions],
        "matrix": [
            {
                "id": each.verdict.claim_id,
                "agreements": {
                    variant.name: agreement.value
                    for variant, agreement in zip(contents.columns, row, strict=True)
                },
            }
            for each, row in zip(contents.decisions, contents.agreements, strict=True)
        ],
        "effects": [_effects(each) for each in contents.effects],
        "missing": [vars(each) for each in contents.missing],
    }


def decision(each: Decision) -> Document:
    """Return a claim with what decides it."""
    verdict = each.verdict
    return {
        "id": verdict.claim_id,
        "claim": verdict.claim,
        "source": verdict.source,
        "standing": verdict.standing.value,
        "note": verdict.note,
        "agreement": verdict.agreement.value,
        "today": None if each.today is None else each.today.value,
        "decided": each.decided.value,
        "agrees_with": list(each.agrees_with),
        "rests_on": list(each.rests_on),
        "findings": [
            {
                "label": finding.label,
                "published": finding.published,
                "ours": finding.ours,
                "agreement": finding.agreement.value,
                "sentence": finding.sentence,
                "ours_percent": finding.measurement.percent,
                **_interval(finding.measurement.ci, "ours_ci"),
            }
            for finding in verdict.findings
        ],
    }


def _effects(found: GroupEffects) -> Document:
    return {
        "group": found.group.name,
        "metric": found.group.quantity.metric,
        "changes": [
            {
                "variant": each.variant.name,
                "change_percent": 100 * each.difference.value,
                **_interval(each.difference.ci and each.difference.ci.scaled(100), "change_ci"),
                "cells": each.cells,
            }
            for each in found.changes
        ],
        "interactions": [
            {
                "terms": [" x ".join(term) for term in each.terms],
                "log_change": each.value,
                "log_change_ci_low": each.ci.low,
                "log_change_ci_high": each.ci.high,
            }
            for each in found.interactions
        ],
    }


def _interval(ci: Interval | None, name: str) -> Document:
    return {f"{name}_low_percent": ci.low if ci else None, f"{name}_high_percent": ci.high if ci else None}
