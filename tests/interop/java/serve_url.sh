#!/usr/bin/env bash
# Runs a server, and prints a URL in place of its IOR: ADDRESS in the URL becomes HOST:PORT of the server.
#   serve_url.sh PERIGEE URL SERVER [OPTION...]
set -euo pipefail
perigee=$1 url=$2
shift 2

coproc server { exec "$@"; }
pid=$server_PID
trap 'kill "$pid" 2>/dev/null || true' EXIT
read -r ior <&"${server[0]}" || { echo "serve_url: $1 printed no IOR" >&2; exit 1; }
address=$("$perigee" ior "$ior" | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)
[[ -n $address ]] || { echo "serve_url: no address in $ior" >&2; exit 1; }
echo "${url//ADDRESS/$address}"
wait "$pid"
