#!/usr/bin/env bash
# Install the Debian packages of commands that are missing, or say what is missing.
# usage: hack/needs.sh COMMAND=PACKAGE...
set -euo pipefail
packages=()
for need in "$@"; do
  command -v "${need%%=*}" >/dev/null || packages+=("${need#*=}")
done
[ ${#packages[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "missing: ${packages[*]}; install them (on Debian: apt-get install ${packages[*]})" >&2
  exit 1
fi
echo "installing Debian packages: ${packages[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
