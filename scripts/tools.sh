#!/usr/bin/env bash
# Makes an environment of programs for the project itself. Argument: `tools` (uv, pip-audit), `wheel` (maturin, zig,
# auditwheel, twine) or `book` (MkDocs); it stands in build/PURPOSE as requirements-PURPOSE.lock has it.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?tools, wheel or book}
wanted=requirements-$purpose.lock
venv=build/$purpose

if cmp --silent "$wanted" "$venv/installed.lock"; then
    exit 0
fi
mkdir -p build
"${PYTHON:-python3}" -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
    --requirement "$wanted"
cp "$wanted" "$venv/installed.lock"
