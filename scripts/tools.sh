#!/usr/bin/env bash
# Makes build/tools, an environment for uv and pip-audit as requirements-tools.lock has them.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=requirements-tools.lock
venv=build/tools

if cmp --silent "$wanted" "$venv/installed.lock"; then
    exit 0
fi
mkdir -p build
"${PYTHON:-python3}" -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
    --requirement "$wanted"
cp "$wanted" "$venv/installed.lock"
