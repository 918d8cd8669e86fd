#!/bin/sh
# Chromium from the system's packages for the tests that open pages in a browser, where it is missing and where we
# may: as root, or with CHROMIUM=install through sudo. Always ends well: without Chromium those tests are skipped.
set -u

tell() { echo "chromium: $*"; }

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if ! command -v apt-get >/dev/null 2>&1; then
    tell "not installed, and there is no apt-get; the tests in a browser are skipped until you install it"
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif [ "${CHROMIUM:-}" = install ] && command -v sudo >/dev/null 2>&1; then
    as_root="sudo -n"
else
    tell "not installed, and only root may; the tests in a browser are skipped (make CHROMIUM=install uses sudo)"
    exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    # shellcheck disable=SC2086 # no word at all when we are root
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=60 chromium >>"$log" 2>&1
}

tell "installing it from the system's packages"
# The lists of packages are often missing or old, so they are fetched anew when the first attempt fails.
# shellcheck disable=SC2086
if install || { $as_root apt-get update --quiet -o Acquire::Retries=1 >>"$log" 2>&1; install; }; then
    tell "installed"
else
    tell "could not be installed ($(tail -n 1 "$log")); the tests in a browser are skipped"
fi
exit 0
