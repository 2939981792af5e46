"""What is kept of a study's ablations: data/studies/NAME.json, a part of the report's data, and a figure."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict

from bentpipe.model.frozen import Frozen

FOLDER = Path("data/studies")
PAGES = Path("docs/studies")


class Part(Frozen):
    """A part of a report's data, of which more is there than is kept."""

    model_config = ConfigDict(extra="ignore")


class KeptFinding(Part):
    """One comparison of a claim."""

    label: str
    published: str
    ours: str
    agreement: str
    ours_percent: float | None
    ours_ci_low_percent: float | None
    ours_ci_high_percent: float | None


class KeptClaim(Part):
    """A claim with what decides it."""

    id: str
    claim: str
    source: str
    standing: str
    note: str
    agreement: str
    today: str | None
    decided: str
    agrees_with: Sequence[str]
    rests_on: Sequence[str]
    findings: Sequence[KeptFinding]


class KeptScore(Part):
    """How the claims stand."""

    agree: int
    decided: int
    open: int
    possible: int
    impossible: int
    calibrated: int


class KeptVariant(Part):
    """A variant that was measured."""

    name: str
    kind: str
    reason: str
    source: str


class KeptStudy(Part):
    """The claims of a study as they were measured."""

    name: str
    engine: str
    score: KeptScore
    claims: Sequence[KeptClaim]
    variants: Sequence[KeptVariant]


def every(folder: Path = FOLDER) -> list[KeptStudy]:
    """Return what is kept of each study, in the order of their names."""
    return [read(path.stem, folder) for path in sorted(folder.glob("*.json"))]


def read(name: str, folder: Path = FOLDER) -> KeptStudy:
    """Return what is kept of a study."""
    return KeptStudy.model_validate_json((folder / f"{name}.json").read_text(encoding="utf-8"))


def keep(results: Path, folder: Path = FOLDER, pictures: Path = PAGES) -> KeptStudy:
    """Keep what the report on a study's ablations found, and its forest plot; return what is kept."""
    study = KeptStudy.model_validate_json((results / "report.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    text = study.model_dump_json(indent=1)
    (folder / f"{study.name}.json").write_text(text + "\n", encoding="utf-8")
    shutil.copyfile(results / "figures" / "claims.svg", pictures / forest_of(study))
    return study


def page_of(name: str) -> Path:
    """Return the page of a study."""
    return PAGES / f"{name}.md"


def forest_of(study: KeptStudy) -> str:
    """Return the name of a study's forest plot beside its page."""
    return f"{study.name}-claims.svg"
