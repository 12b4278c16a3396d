#!/usr/bin/env bash
# `perigee name` with a naming service: run_naming.sh passes its address and reference. SERVER prints
# the reference of an existing object, because the naming service asks the object for its type.
#   name_command.sh HOST:PORT -ORBInitRef NameService=IOR:... PERIGEE SERVER [ERROR ERROR]
# The first ERROR is a part of the error for a name whose context is an object. The second is a part of the
# error for `unbind` of a name that is not bound. JacORB raises BAD_PARAM for the first one, and NotFound with the
# reason not_context for the second one.
set -euo pipefail

address=$1 initial=${3#NameService=} perigee=$4 server=$5
not_a_context=${6-"'living' is an object, not a context"}
not_bound=${7-"there is no 'manager.service'"}
object=corbaloc::127.0.0.1:1/first
other=corbaloc::127.0.0.1:1/second
checks=0

name() { "$perigee" name --service "$address" "$@"; }

# expect WHAT-IT-PRINTS COMMAND...
expect() {
  local wanted=$1 got
  shift
  got=$("$@") || { echo "name_command: '$*' failed" >&2; exit 1; }
  [[ $got == "$wanted" ]] || { echo "name_command: '$*' printed '$got'" >&2; exit 1; }
  checks=$((checks + 1))
}

# refuse PART-OF-THE-ERROR COMMAND...
refuse() {
  local wanted=$1 got
  shift
  if got=$("$@" 2>&1 >/dev/null); then echo "name_command: '$*' succeeded" >&2; exit 1; fi
  [[ $got == "perigee name: "*"$wanted"* ]] || { echo "name_command: '$*' said '$got'" >&2; exit 1; }
  checks=$((checks + 1))
}

# Checks that a name leads to a reference: `perigee ior` shows its key.
leads_to() { name resolve "$1" | "$perigee" ior - | grep -qF "$2"; }

# Checks that a name leads to the object of a reference. Some naming services write profiles again, in
# their own byte order, so the contents are compared and not the octets.
leads_to_object() { diff <(name resolve "$1" | "$perigee" ior -) <("$perigee" ior "$2") >&2; }

coproc alive { exec "$server" -ORBListenEndpoints iiop://127.0.0.1:0; }
trap 'kill "$alive_PID" 2>/dev/null || true' EXIT
read -r living <&"${alive[0]}"

expect "" name list
expect "" name mkdir fleet
expect "" name bind fleet/manager.service "$object"
expect "" leads_to fleet/manager.service first
# JacORB's bind replaces an object that does not reply, so this object is a living one.
expect "" name bind fleet/living.service "$living"
refuse "fleet/living.service: the name is already bound" name bind fleet/living.service "$other"
expect "" name unbind fleet/living.service
expect "" name rebind fleet/manager.service "$other"
expect "" leads_to fleet/manager.service second
expect "" name mkdir --parents deep/er/est
expect "" name bind 'a\.b\/c.k' "$object"
expect $'a\\.b\\/c.k\ndeep/\nfleet/' name list
expect "manager.service" name list fleet
expect "manager.service" "$perigee" name list fleet --service "$address"
expect "est/" name list deep/er

# The same for programs. A name is text of the command line, so it may have any characters.
ior=$(name resolve fleet/manager.service)
expect '{"name":"json"}' name --json mkdir json
expect "{\"name\":\"json/a\",\"reference\":\"$ior\"}" name bind --json json/a "$ior"
expect "{\"name\":\"json/a\",\"reference\":\"$ior\"}" name --json rebind json/a "$ior"
expect "{\"name\":\"json/a\",\"reference\":\"$ior\"}" name --json resolve json/a
expect '[{"context":true,"id":"est","kind":"","name":"est"}]' name list deep/er --json
expect '[{"context":false,"id":"manager","kind":"service","name":"manager.service"}]' name --json list fleet
expect '{"name":"json/a"}' name unbind --json json/a
expect '[]' name --json list json
expect '{"name":"json"}' name --json unbind json
refuse "there is no 'nobody'" name --json resolve fleet/nobody

refuse "fleet/nobody: there is no 'nobody'" name resolve fleet/nobody
expect "" name bind living "$living"
expect "" leads_to_object living "$living"
refuse "$not_a_context" name mkdir living/inner
refuse "living: this is an object, not a context" name list living
expect "" name unbind living
refuse "TRANSIENT" name list fleet/manager.service
refuse "fleet: the name is already bound" name mkdir fleet
refuse "a//b: invalid name" name resolve a//b
refuse "BAD_PARAM" name bind other nonsense:reference
refuse "is the nil reference" name bind other IOR:00000000000000010000000000000000
refuse "TRANSIENT" "$perigee" name --service 127.0.0.1:1 list
refuse "BAD_PARAM" "$perigee" name --service file:/dev/null list
# The mute service accepts connections, and never replies.
exec {mute}< <(exec python3 -c 'import socket, time
service = socket.create_server(("127.0.0.1", 0))
print(service.getsockname()[1], flush=True)
time.sleep(600)')
mute_service=$!
trap 'kill "$alive_PID" "$mute_service" 2>/dev/null || true' EXIT
read -r -u "$mute" port
refuse "TIMEOUT" "$perigee" name --service "127.0.0.1:$port" --timeout 0.2 list

expect "" name unbind fleet/manager.service
refuse "$not_bound" name unbind fleet/manager.service
expect "" name list fleet
# A reference instead of a host, and a context that is not the root.
expect "est/" "$perigee" name --service "corbaname::$address#deep/er" list
expect $'a\\.b\\/c.k\ndeep/\nfleet/' "$perigee" name --service "$initial" list
echo "name_command: $checks checks passed"
