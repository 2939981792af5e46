"""The commands that repeat a campaign."""

from bentpipe.report.source import Source
from bentpipe.scenario import Extent, load
from bentpipe.studies import Study


def commands(source: Source, study: Study | None) -> tuple[tuple[str, str], ...]:
    """Each command with what it does."""
    return (
        (_campaign(source, study), "measures all of it again"),
        ("bentpipe report DIR", "makes this report again from the folder of results"),
    )


def _campaign(source: Source, study: Study | None) -> str:
    if study is None:
        return "bentpipe run SCENARIO.toml --out DIR"
    for extent, option in ((Extent.FULL, ""), (Extent.QUICK, " --quick")):
        # The folder's scenario says more than the file's, such as the engine.
        if load(study.scenario, extent=extent).document().items() <= source.scenario.items():
            return f"bentpipe reproduce {study.name}{option}"
    return f"bentpipe reproduce {study.name} --set KEY=VALUE"
