#!/usr/bin/env bash
# Builds Caddy from the Go module proxy into build/caddy, as a server of emulated page loads. Needs go.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v2.11.9

if [[ -x build/caddy/caddy && $(build/caddy/caddy version) == "$version"* ]]; then
    exit 0
fi
if ! command -v go >/dev/null; then
    echo "missing: go (https://go.dev), which builds Caddy" >&2
    exit 1
fi
mkdir -p build/caddy
# In no module of ours: `go install` then takes the version as it is named.
GOBIN=$PWD/build/caddy GOFLAGS=-mod=mod go install \
    -ldflags "-s -w -X github.com/caddyserver/caddy/v2.CustomVersion=$version" \
    "github.com/caddyserver/caddy/v2/cmd/caddy@$version"
