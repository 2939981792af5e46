#!/usr/bin/env bash
# Makes .venv and installs the package (release build) with its development tools into it.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -x .venv/bin/pip ]] || "${PYTHON:-python3}" -m venv .venv
# The build tool in the versions that pyproject.toml asks for: maturin builds in place, into target/.
mapfile -t build_tools < <(.venv/bin/python -c '
import pathlib, tomllib
print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["build-system"]["requires"], sep="\n")')
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 VIRTUAL_ENV=$PWD/.venv
.venv/bin/pip install "${build_tools[@]}"
.venv/bin/maturin develop --release --extras dev
