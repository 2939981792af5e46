"""Everything that the page shows, as data for `report.json`: units in names, null for what is not there."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bentpipe.report.answer import Answer
from bentpipe.report.cells import CellResult
from bentpipe.report.clients import Clients
from bentpipe.report.contents import Contents
from bentpipe.report.filmstrips import Filmstrips
from bentpipe.report.flows import CellFlows
from bentpipe.report.paths import CellPath
from bentpipe.report.pings import Pings
from bentpipe.report.provenance import Origins
from bentpipe.report.rigs import Rigs
from bentpipe.report.satellite import CellSatellite
from bentpipe.report.validity import Validity
from bentpipe.stats import BROWSER_METRICS, Difference, Interval, Summary
from bentpipe.studies import Study, StudyTable, Verdict

Document = dict[str, object]
"""An object of report.json."""

SCENARIO_KEYS = ("name", "title", "description", "repetitions", "seed", "constants")


def document(contents: Contents) -> Document:
    """Return the report as JSON."""
    study = contents.study
    return {
        "scenario": contents.source.scenario.model_dump(mode="json", include=set(SCENARIO_KEYS)),
        "answer": answer_document(contents.answer),
        "validity": _validity(contents.validity),
        "figures": [
            {
                "name": drawing.name,
                "title": drawing.title,
                "caption": drawing.caption,
                "svg": f"figures/{drawing.name}.svg",
                "pdf": f"figures/{drawing.name}.pdf",
            }
            for drawing in contents.all_drawings
        ],
        "study": _study(study, contents.verdicts, contents.tables) if study else None,
        "rigs": _rigs(contents.rigs) if contents.rigs else None,
        "judged_client": contents.judged.client,
        "clients": _clients(contents.clients) if contents.clients else None,
        "filmstrips": _filmstrips(contents.filmstrips),
        "cells": [_cell(cell) for cell in contents.cells],
        "pings": [_pings(each) for each in contents.pings],
        "flows": [_flows(each) for each in contents.flows],
        "satellite": [_satellite(each) for each in contents.satellite],
        "paths": [_path(each) for each in contents.paths],
        "provenance": _origins(contents.origins),
        "repeat": [{"command": command, "purpose": purpose} for command, purpose in contents.commands],
    }


def answer_document(answer: Answer) -> Document:
    """Return what is best under each condition, the best cell first."""
    return {
        "sentences": list(answer.sentences),
        "conditions": [
            {
                "condition": dict(best.condition),
                "metric": best.quantity.metric,
                "cells": [
                    {
                        "factors": dict(rated.cell.factors),
                        **_summary(rated.summary, 1 / best.quantity.scale),
                        "is_among_best": rated.contender.is_among_best,
                        **_against(rated.contender.behind, "best"),
                    }
                    for rated in best.rated
                ],
            }
            for best in answer.bests
        ],
    }


def _validity(validity: Validity) -> Document:
    return {
        "planned": validity.planned,
        "succeeded": validity.succeeded,
        "failed": validity.failed,
        "invalid": validity.invalid,
        "missing": validity.missing,
        "attempts": validity.attempts,
        "repeated_attempts": validity.repeated_attempts,
        "reasons": [
            {"status": each.status, "code": each.code, "attempts": each.attempts} for each in validity.reasons
        ],
        "rejected": [
            {
                "run_id": entry.run_id,
                "attempt": entry.attempt,
                "status": entry.status,
                "factors": dict(entry.factors),
                "reasons": [reason.model_dump(mode="json") for reason in entry.record.reasons],
            }
            for entry in validity.rejected
        ],
    }


def _study(study: Study, verdicts: Sequence[Verdict], tables: Sequence[StudyTable]) -> Document:
    return {
        "name": study.name,
        "title": study.title,
        "citation": study.citation,
        "doi": study.doi,
        "rules": list(study.rules),
        "assumptions": list(study.assumptions),
        "claims": [
            {
                "id": verdict.claim_id,
                "claim": verdict.claim,
                "source": verdict.source,
                "standing": verdict.standing.value,
                "note": verdict.note,
                "agreement": verdict.agreement.value,
                "findings": [
                    {
                        "label": finding.label,
                        "published": finding.published,
                        "ours": finding.ours,
                        "agreement": finding.agreement.value,
                        "ours_percent": finding.measurement.percent,
                        **_interval(finding.measurement.ci, "ours_ci", "_percent"),
                        "basis": finding.measurement.basis,
                        "sentence": finding.sentence,
                    }
                    for finding in verdict.findings
                ],
            }
            for verdict in verdicts
        ],
        "tables": [
            {
                "name": table.name,
                "title": table.title,
                "rows": [dict(row) for row in table.rows],
                "conclusion": table.conclusion,
                "note": table.note,
            }
            for table in tables
        ],
    }


def _rigs(rigs: Rigs) -> Document:
    return {
        "folder": rigs.folder.name,
        "claims": [
            {"id": each.rig.claim_id, "rig": each.rig.agreement.value, "today": each.today.agreement.value}
            for each in rigs.claims
        ],
    }


def _cell(cell: CellResult) -> Document:
    return {
        "factors": dict(cell.factors),
        "runs": dict(cell.counts),
        "median_run_id": cell.median_run.run_id if cell.median_run else None,
        "metrics": {
            quantity.metric: _summary(summary, 1 / quantity.scale) for quantity, summary in cell.summaries
        },
        "run_ids": [run.run_id for run in cell.runs],
    }


def _clients(clients: Clients) -> Document:
    return {
        "reference": clients.reference,
        "names": list(clients.names),
        "cells": [
            {
                "cell": cell.label,
                "clients": [
                    {
                        "client": result.client,
                        f"{clients.quantity.metric}": _summary(result.summary, 1 / clients.quantity.scale),
                        **_against(result.against),
                    }
                    for result in cell.results
                ],
            }
            for cell in clients.cells
        ],
        "overall": [
            {"client": each.client, "http": each.protocol, "cells": each.cells, **_against(each.against)}
            for each in clients.overall
        ],
        "findings": [
            {
                "claim": finding.claim,
                "label": finding.label,
                "clients": {
                    name: {
                        "agreement": found.agreement.value,
                        "ours_percent": found.measurement.percent,
                        **_interval(found.measurement.ci, "ours_ci", "_percent"),
                    }
                    for name, found in finding.by_client.items()
                },
            }
            for finding in clients.findings
        ],
    }


def _against(difference: Difference | None, what: str = "reference") -> Mapping[str, float | None]:
    ci = difference.ci if difference else None
    return {
        f"against_{what}_percent": difference.value * 100 if difference else None,
        **_interval(ci.scaled(100) if ci else None, f"against_{what}_ci", "_percent"),
    }


def _filmstrips(strips: Filmstrips) -> Document:
    return {
        "left_out": strips.left_out,
        "shown": [
            {
                "name": strip.name,
                "label": strip.label,
                "browser": strip.browser,
                "step_s": strip.step_s,
                "svg": f"figures/{strip.name}.svg",
                "loads": [
                    {
                        "http": load.protocol,
                        "run_id": load.run.run_id,
                        **{name: load.metrics.get(name) for name in ("plt_s", *BROWSER_METRICS)},
                    }
                    for load in strip.loads
                ],
            }
            for strip in strips.shown
        ],
    }


def _flows(cell: CellFlows) -> Document:
    found = {"cell": cell.label, "runs": cell.n, "flows": [asdict(flow) for flow in cell.flows]}
    return {**found, "queues": [asdict(queue) for queue in cell.queues]} if cell.queues else found


def _satellite(cell: CellSatellite) -> Document:
    carrier, slots = cell.carrier, cell.slots
    return {
        "cell": cell.label,
        "run_id": cell.run_id,
        "frames": carrier and carrier.frames,
        "frames_lost": carrier and carrier.frames_lost,
        "spectral_efficiency": carrier and carrier.spectral_efficiency,
        "slots_granted_share": slots and slots.granted_share,
        "slots_used_share": slots and slots.used_share,
        "delays_mean": cell.delays_s and dict(cell.delays_s),
        "round_trip_mean_s": cell.round_trip_s,
        "figures": [drawing.name for drawing in cell.drawings],
    }


def _path(cell: CellPath) -> Document:
    summary = {name.removesuffix("_"): value for name, value in asdict(cell.summary).items()}
    return {
        "cell": cell.label,
        "run_id": cell.run_id,
        **summary,
        "figure": cell.drawing and cell.drawing.name,
    }


def _pings(pings: Pings) -> Document:
    losses = pings.losses
    return {
        "cell": pings.label,
        "sent": losses.sent,
        "lost": losses.lost,
        "loss_fraction": losses.fraction,
        "loss_events": losses.events,
        "loss_events_single": losses.single,
        "loss_events_single_fraction": losses.single_share,
        "loss_longest": losses.longest,
    }


def _summary(summary: Summary, factor: float) -> Document:
    """A summary in the unit that the metric's name says."""
    return {
        "n": summary.n,
        "mean": summary.mean * factor,
        "sd": None if summary.sd is None else summary.sd * factor,
        "median": summary.median * factor,
        **_interval(summary.mean_ci and summary.mean_ci.scaled(factor), "mean_ci95"),
        **_interval(summary.median_ci and summary.median_ci.scaled(factor), "median_ci95"),
    }


def _interval(interval: Interval | None, name: str, unit: str = "") -> Mapping[str, float | None]:
    return {
        f"{name}_low{unit}": interval.low if interval else None,
        f"{name}_high{unit}": interval.high if interval else None,
    }


def _origins(origins: Origins) -> Document:
    lateness = origins.lateness
    return {
        "engines": list(origins.engines),
        "facts": {name: list(values) for name, values in origins.facts},
        "statistics_by": dict(origins.statistics_by),
        "congestion_control_read_back": [
            {"asked": r.asked, "end": r.end, "found": r.found, "connections": r.connections}
            for r in origins.read_back
        ],
        "lateness": lateness
        and {
            "runs": lateness.n,
            "p999_median_s": lateness.p999_median_s,
            "p999_p95_s": lateness.p999_p95_s,
            "p999_max_s": lateness.p999_max_s,
            "largest_s": lateness.largest_s,
            "bounds_s": list(lateness.bounds_s),
        },
    }
