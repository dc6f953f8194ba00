#!/usr/bin/env bash
# Installs the peers: R with glmnet and leaps from Debian (or Ubuntu), abess in a
# virtual environment below target/. Ready parts are left as they are.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(r-base-core r-cran-glmnet r-cran-leaps python3-venv)
missing=()
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null |
        grep --quiet 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    [ "$(id --user)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${missing[@]}"
fi

venv=target/peers/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import abess' 2>/dev/null ||
    "$venv/bin/python" -m pip install --quiet --only-binary :all: -r benches/peers/requirements.txt
