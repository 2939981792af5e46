#!/usr/bin/env bash
# Builds the reference: the crates' by rustdoc, the command line's from its own help texts.
set -euo pipefail
cd "$(dirname "$0")/.."

RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet
mkdir -p build/docs
rm -rf build/docs/crates
cp -R target/doc build/docs/crates
.venv/bin/python - >build/docs/cli.md <<'PYTHON'
import click

from bentpipe.cli import main


def describe(command: click.Command, name: str, parent: click.Context | None) -> None:
    context = click.Context(command, info_name=name, parent=parent)
    print(f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```\n")
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            describe(command.commands[child], child, context)


print("# Command line\n")
describe(main, "bentpipe", None)
PYTHON
echo "build/docs/cli.md, build/docs/crates/bentpipe_run/index.html"
