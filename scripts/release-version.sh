#!/usr/bin/env bash
# Says the version of a release, or fails where a tag, pyproject.toml, Cargo.toml, CITATION.cff and CHANGELOG.md do not name
# the same one.
# release-version.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "release: $1" >&2
    exit 1
}

version_in() {
    sed -n "/^\[$2\]/,/^\[/s/^version = \"\(.*\)\"$/\1/p" "$1" | head -n 1
}

package=$(version_in pyproject.toml project)
crates=$(version_in Cargo.toml workspace.package)
cited=$(sed -n 's/^version: //p' CITATION.cff)
[[ -n $package ]] || fail "pyproject.toml has no version"
[[ $package == "$crates" ]] || fail "pyproject.toml has version $package, Cargo.toml ${crates:-none}"
[[ $package == "$cited" ]] || fail "pyproject.toml has version $package, CITATION.cff ${cited:-none}"
if (($# > 0)); then
    [[ $1 == "v$package" ]] || fail "expected the tag v$package, found $1"
    newest=$(grep -m 1 '^## ' CHANGELOG.md)
    [[ $newest =~ ^"## [$package] - "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
        fail "CHANGELOG.md: expected '## [$package] - ' and a date first, found '$newest'"
fi
echo "$package"
