#!/usr/bin/env bash
# Runs a client of a naming service with a bridge between them: run_naming.sh passes the address and the
# reference of the service, and the client gets those of the bridge. The bridge knows the IDL, so that the
# contexts that the service returns lead through the bridge, too.
#   bridged_names.sh HOST:PORT -ORBInitRef NameService=IOR:... PERIGEE IDL CLIENT [CLIENT-OPTION...]
set -euo pipefail

initial=${3#NameService=} perigee=$4 idl=$5 client=$6
shift 6

# The bridge sends requests for any object key to the address in the reference. So a corbaloc with the
# address of the bridge and the key NameService also leads to the service.
coproc bridge { exec "$perigee" bridge --listen iiop://127.0.0.1:0 --reference "$initial" --idl "$idl"; }
trap 'kill "$bridge_PID" 2>/dev/null || true' EXIT
read -r bridged <&"${bridge[0]}"
address=$("$perigee" ior "$bridged" | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)

# As the first argument the client gets the bridge's address, as with run_naming.sh.
"$client" "$address" -ORBInitRef "NameService=$bridged" "$@"

names() { "$perigee" name --service "$address" "$@"; }
names mkdir behind_the_bridge
names resolve behind_the_bridge | "$perigee" ior - | grep -qF "$address" || {
  echo "bridged_names: the context leads around the bridge" >&2
  exit 1
}
