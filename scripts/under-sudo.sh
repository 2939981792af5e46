#!/usr/bin/env bash
# Under sudo: `build COMMAND...` runs the command as the user who called sudo, `measure COMMAND...` as root and then gives
# that user what it made here. Without sudo, and in a checkout that is root's, both just run it.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?build or measure}
shift
user=${SUDO_UID:-0} group=${SUDO_GID:-0}

if [[ $EUID != 0 || $user == 0 || $(stat --format=%u .) == 0 ]]; then
    exec "$@"
fi
case $purpose in
    build)
        if ! IFS=: read -r name _ _ _ _ home _ < <(getent passwd "$user"); then
            echo "under-sudo.sh: user $user, who called sudo, is not known here" >&2
            exit 1
        fi
        # sudo takes rustup's folder out of PATH.
        exec setpriv --reuid="$user" --regid="$group" --init-groups env HOME="$home" USER="$name" LOGNAME="$name" \
            PATH="${CARGO_HOME:-$home/.cargo}/bin:$PATH" "$@"
        ;;
    measure)
        # Folder by folder: none that is renamed meanwhile leads elsewhere.
        trap 'find . -xdev -uid 0 -execdir chown --no-dereference "$user:$group" {} +' EXIT
        "$@"
        ;;
    *)
        echo "under-sudo.sh: build or measure, not $purpose" >&2
        exit 2
        ;;
esac
