"""The pages of the reference that are generated, by their paths in the site."""

import json
from pathlib import PurePosixPath

from bentpipe import _core
from tools.book import command_line, python_api, record, scenario_keys, series

FOLDER = PurePosixPath("reference")

PAGES = {
    "command-line.md": command_line.page,
    "scenario-keys.md": scenario_keys.page,
    "record.md": record.page,
    "series.md": series.page,
    "python.md": python_api.page,
}
SCHEMAS = {
    "run-spec.schema.json": _core.run_spec_schema,
    "run-record.schema.json": _core.run_record_schema,
}


def files() -> dict[PurePosixPath, str]:
    """Return the text of every generated file of the reference."""
    pages = {FOLDER / name: page() for name, page in PAGES.items()}
    schemas = {
        FOLDER / name: json.dumps(json.loads(schema()), indent=2) + "\n" for name, schema in SCHEMAS.items()
    }
    return pages | schemas
