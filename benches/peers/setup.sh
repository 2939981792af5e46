#!/usr/bin/env bash
# Makes build/peers-venv and installs the peers into it; .venv and the system are left alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
wanted=benches/peers/requirements.txt
venv=build/peers-venv

if cmp --silent "$wanted" "$venv/installed.txt"; then
    exit 0
fi
mkdir -p build
if ! { "${PYTHON:-python3}" -m venv --clear "$venv" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary ns3 --requirement "$wanted"; }; then
    echo "bench-peers: no peers to compare with: pip could not install $(paste -sd' ' "$wanted") (its message is above)." >&2
    echo "Wheels exist for CPython on x86-64 Linux, and take 500 MB with cppyy; pip must reach its package index." >&2
    exit 2
fi
cp "$wanted" "$venv/installed.txt"
