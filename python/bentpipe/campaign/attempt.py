"""One attempt at a run: the engine's record, or one that says what the engine has come upon."""

import traceback
from pathlib import Path

from bentpipe import _core
from bentpipe.campaign.engine import Engine
from bentpipe.model.reason import EngineRaisedReason, Reason
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec


def attempted(engine: Engine, *, run_id: str, spec: RunSpec, artifacts: Path | None) -> RunRecord:
    """Measure a run; what the engine raises becomes the reason of a failed one.

    An error that no record can be made of is raised, such as that of a specification which the compiled core
    cannot read.
    """
    try:
        return engine.run(run_id=run_id, spec=spec, artifacts=artifacts)
    except BaseException as error:
        # An engine puts failures into its record: this is its defect, and still no run is lost.
        # A panic of the compiled core is no Exception.
        place = traceback.extract_tb(error.__traceback__)[-1]
        reason = EngineRaisedReason(
            exception=type(error).__name__, error=str(error), function=place.name, line=place.lineno or 0
        )
        return failed(run_id=run_id, spec=spec, engine=engine.name, reason=reason)


def failed(*, run_id: str, spec: RunSpec, engine: str, reason: Reason) -> RunRecord:
    """Return the record of a run that has nothing but a reason."""
    return RunRecord.model_validate_json(
        _core.failed_record(
            run_id=run_id, engine=engine, spec=spec.to_json(), provenance="{}", reason=reason.to_json()
        )
    )
