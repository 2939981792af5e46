#!/usr/bin/env bash
# Builds build/docs: the documents as they stand here, and beside them the reference, generated from the code.
set -euo pipefail
cd "$(dirname "$0")/.."

target=build/docs
rm -rf "$target"
mkdir -p "$target"
cp -R ./*.md LICENSE docs "$target"
reference=$target/docs/reference

.venv/bin/python - "$reference" <<'PYTHON'
import inspect
import json
import sys
from pathlib import Path

import click

import bentpipe
from bentpipe import _core
from bentpipe.cli import main


def help_texts(command: click.Command, name: str, parent: click.Context | None = None) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=110)
    text = f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"
    children = command.commands.items() if isinstance(command, click.Group) else ()
    return [text, *(part for child, below in children for part in help_texts(below, child, context))]


def python_text(name: str) -> str:
    thing = getattr(bentpipe, name)
    parts = {f"bentpipe.{name}": thing}
    if inspect.isclass(thing):
        public = {member: value for member, value in vars(thing).items() if not member.startswith("_")}
        parts |= {f"{name}.{member}": value for member, value in public.items() if hasattr(value, "__get__")}
    return "\n".join(f"## {title}\n\n```\n{described(value)}\n```\n" for title, value in parts.items())


def described(thing: object) -> str:
    called = getattr(thing, "__func__", thing)
    is_called = inspect.isfunction(called) or (inspect.isclass(called) and "__init__" in vars(called))
    signature = f"{inspect.signature(called)}\n\n" if is_called else ""
    return f"{signature}{inspect.getdoc(thing)}"


reference = Path(sys.argv[1])
(reference / "cli.md").write_text("\n".join(["# Command line\n", *help_texts(main, "bentpipe")]))
(reference / "python.md").write_text("\n".join(["# Python\n", *map(python_text, bentpipe.__all__)]))
for name, schema in {"run-spec": _core.run_spec_schema(), "run-record": _core.run_record_schema()}.items():
    (reference / f"{name}.schema.json").write_text(json.dumps(json.loads(schema), indent=2) + "\n")
PYTHON

RUSTDOCFLAGS="--deny warnings" cargo doc --locked --workspace --no-deps --quiet
cp -R target/doc "$reference/crates"
echo "$target/docs/README.md, $reference/README.md"
