#!/usr/bin/env bash
# Writes requirements*.lock from pyproject.toml: one version of each package for every Python and processor, with the
# hashes of its files. Versions that still fit stay; `--upgrade` takes the newest, `--upgrade-package NAME` that of one.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() { # LOCK WHAT-FOR ARGUMENTS...
    local lock=$1 purpose=$2
    shift 2
    build/tools/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
        --no-header --no-emit-index-url --output-file "$lock" "$@" >/dev/null
    { echo "# $purpose Made by \`make lock\` from pyproject.toml." && cat "$lock"; } >"$lock.new"
    mv "$lock.new" "$lock"
}
compile requirements.lock "What users install: the package's dependencies, those of its extras, and the build tool." \
    pyproject.toml --extra rain --extra cluster --group build "$@"
compile requirements-dev.lock "What tests and checks need besides." \
    --group tests --constraint requirements.lock "$@"
compile requirements-tools.lock "What make lock and make audit use." --group tools "$@"
compile requirements-image.lock "What images install beside the wheel: the package's dependencies, without its extras." \
    pyproject.toml --constraint requirements.lock "$@"
compile requirements-wheel.lock "What make wheel uses." --group build --group wheel --constraint requirements.lock "$@"
compile requirements-book.lock "What make docs uses beside the package." --group book --constraint requirements.lock "$@"
