#!/usr/bin/env bash
# omniORB's nameclt with a naming service, in each of its commands: run_naming.sh passes the address and the
# reference of the service.
#   nameclt.sh HOST:PORT -ORBInitRef NameService=IOR:... NAMECLT PERIGEE
set -euo pipefail

address=$1 initial=$3 nameclt=$4 perigee=$5
# The first form uses the key NameService, the second one the reference.
by_key() { "$nameclt" -advanced -ORBInitRef "NameService=corbaloc::$address/NameService" "$@"; }
by_reference() { "$nameclt" -advanced -ORBInitRef "$initial" "$@"; }
object=$("$perigee" ior make --key object --address 127.0.0.1:1)
other=$("$perigee" ior make --key other --address 127.0.0.1:1)
checks=0

expect() {
  local wanted=$1 got
  shift
  got=$("$@" 2>&1) || { echo "nameclt: '$*' failed: $got" >&2; exit 1; }
  [[ $got == *"$wanted"* ]] || { echo "nameclt: '$*' printed '$got'" >&2; exit 1; }
  checks=$((checks + 1))
}
refuse() {
  local wanted=$1 got
  shift
  if got=$("$@" 2>&1); then echo "nameclt: '$*' succeeded: $got" >&2; exit 1; fi
  [[ $got == *"$wanted"* ]] || { echo "nameclt: '$*' said '$got'" >&2; exit 1; }
  checks=$((checks + 1))
}
leads_to() { diff <(by_key resolve "$1" | "$perigee" ior -) <("$perigee" ior "$2") >&2; }

for nameclt_form in by_key by_reference; do
  expect "" "$nameclt_form" bind_new_context fleet
  expect "" "$nameclt_form" bind fleet/a.b "$object"
  expect "" leads_to fleet/a.b "$object"
  expect "a.b" "$nameclt_form" list fleet
  expect "" "$nameclt_form" rebind fleet/a.b "$other"
  expect "" leads_to fleet/a.b "$other"
  refuse "AlreadyBound" "$nameclt_form" bind fleet/a.b "$object"
  refuse "NotFound" "$nameclt_form" resolve fleet/none
  refuse "NotEmpty" "$nameclt_form" remove_context fleet
  context=$("$nameclt_form" resolve fleet)
  expect "" "$nameclt_form" bind_context again "$context"
  expect "" "$nameclt_form" rebind_context again "$context"
  expect "again/" "$nameclt_form" list
  expect "a.b" "$nameclt_form" list again
  expect "" "$nameclt_form" unbind again
  expect "" "$nameclt_form" unbind fleet/a.b
  expect "" "$nameclt_form" remove_context fleet
  expect "IOR:" "$nameclt_form" new_context
done
echo "nameclt: $checks checks passed"
