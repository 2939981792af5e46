#!/usr/bin/env bash
# Builds Caddy from the Go module proxy into build/caddy, as a server of emulated page loads.
# Ends with status 3 when there is no go that can.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v2.11.9
wanted=1.26 # by Caddy's go.mod

if [[ -x build/caddy/caddy && $(build/caddy/caddy version) == "$version"* ]]; then
    exit 0
fi
found=$(go env GOVERSION 2>/dev/null || true)
found=${found#go}
# One that says "auto" fetches the go that is wanted (go.dev/doc/toolchain); before 1.21 none does.
if [[ $(go env GOTOOLCHAIN 2>/dev/null) != *auto &&
    $(printf '%s\n' "$wanted" "${found:-0}" | sort -V | head -1) != "$wanted" ]]; then
    echo "missing: go $wanted or later, which builds Caddy (found: ${found:-none}); see https://go.dev" >&2
    exit 3
fi
mkdir -p build/caddy
# In no module of ours: `go install` then takes the version as it is named.
GOBIN=$PWD/build/caddy GOFLAGS=-mod=mod go install \
    -ldflags "-s -w -X github.com/caddyserver/caddy/v2.CustomVersion=$version" \
    "github.com/caddyserver/caddy/v2/cmd/caddy@$version"
