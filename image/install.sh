#!/usr/bin/env bash
# The steps of image/Containerfile as root of a fresh Debian 12, with the wheel, requirements-image.lock and scripts/ in
# the folder above, which goes in the end. Argument: `slim`, or `browsers` for Chromium, Firefox and nginx besides.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?slim or browsers}
target=/opt/bentpipe
export DEBIAN_FRONTEND=noninteractive PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

apt-get update --quiet --quiet
apt-get install --yes --quiet --quiet --no-install-recommends ca-certificates python3 python3-venv util-linux
scripts/debian-packages.sh emulate
if [[ $kind == browsers ]]; then
    scripts/debian-packages.sh browsers
fi

python3 -m venv "$target"
# The dependencies as they are locked, then the wheel, without an index to ask.
"$target/bin/pip" install --quiet --no-cache-dir --require-hashes --no-deps --only-binary :all: \
    --requirement requirements-image.lock
"$target/bin/pip" install --quiet --no-cache-dir --no-index --no-deps ./*.whl
"$target/bin/pip" check --quiet

useradd --uid 1000 --home-dir /srv/bentpipe --create-home --shell /bin/bash bentpipe
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log "$PWD"
