#!/usr/bin/env bash
# Fetches axe-core by npm into build/axe, for the test that the workbench can be used by everybody.
# Ends with status 3 when there is no npm.
set -euo pipefail
cd "$(dirname "$0")/.."
version=4.14.1
digest=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745

if [[ -f build/axe/axe-core-$version.tgz && -f build/axe/package/axe.min.js ]]; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "missing: npm, which fetches axe-core (package npm)" >&2
    exit 3
fi
mkdir -p build/axe
# What is not whole, or not what it should be, is never in the place of what is.
fetched=$(mktemp -d build/axe/fetching.XXXXXX)
trap 'rm -rf "$fetched"' EXIT
(
    cd "$fetched"
    npm pack --silent "axe-core@$version" >/dev/null
    echo "$digest  axe-core-$version.tgz" | sha256sum --check --quiet
    tar -xzf "axe-core-$version.tgz" package/axe.min.js package/LICENSE
)
rm -rf build/axe/package
mv "$fetched/package" build/axe/
mv "$fetched/axe-core-$version.tgz" build/axe/
