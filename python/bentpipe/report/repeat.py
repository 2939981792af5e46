"""The commands that repeat a campaign."""

from collections.abc import Mapping, Sequence

from bentpipe.errors import InputError
from bentpipe.report.source import Source
from bentpipe.scenario import Extent, load
from bentpipe.scenario.defaults import CLIENT
from bentpipe.studies import Study


def commands(source: Source, study: Study | None) -> tuple[tuple[str, str], ...]:
    """Each command with what it does."""
    return (
        (_campaign(source, study), "measures all of it again"),
        ("bentpipe report DIR", "makes this report again from the folder of results"),
    )


def _campaign(source: Source, study: Study | None) -> str:
    if study is None:
        engine = f" --engine {source.scenario.engine}" if source.scenario.engine else ""
        return f"bentpipe run SCENARIO.toml{engine} --out DIR"
    clients = _clients(source)
    options = "".join(f" --client {client}" for client in clients)
    for extent, option in ((Extent.FULL, ""), (Extent.QUICK, " --quick")):
        # The folder's scenario says more than the file's, such as the engine.
        if _document(study, extent, clients).items() <= source.scenario.model_dump(mode="json").items():
            return f"bentpipe reproduce {study.name}{option}{options}"
    return f"bentpipe reproduce {study.name}{options} --set KEY=VALUE"


def _document(study: Study, extent: Extent, clients: Sequence[str]) -> Mapping[str, object]:
    try:
        varied = {"client": clients} if clients else {}
        settings = study.settings(clients)
        return load(study.scenario, overrides=settings, varied=varied, extent=extent).document()
    except InputError:
        # A folder of another version may be of a client that this one has not got.
        return {"name": None}


def _clients(source: Source) -> tuple[str, ...]:
    """The clients of a campaign that has others than the loader."""
    found = dict.fromkeys(cell.factors.get("client", CLIENT) for cell in source.scenario.cells)
    return () if set(found) <= {CLIENT} else tuple(found)
