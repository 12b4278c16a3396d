#!/usr/bin/env bash
# Runs one server and one client of the interoperability tests with a bridge between them.
#   run_bridged.sh PERIGEE SERVER [SERVER-OPTION...] -- CLIENT [CLIENT-OPTION...] [-- BRIDGE-OPTION...]
# The bridge gets the server's IOR, and prints the IOR that the client gets. Without BRIDGE-OPTIONs the
# bridge listens at a free TCP port. The client gets --quit, and so ends the server. The word FOLDER in
# an option of the server or the client becomes the path of a temporary folder, for sockets. The script
# fails if the server, the bridge or the client fails.
set -euo pipefail

perigee=$1
shift
server=()
while [[ $# -gt 0 && $1 != -- ]]; do
  server+=("$1")
  shift
done
shift
client=()
while [[ $# -gt 0 && $1 != -- ]]; do
  client+=("$1")
  shift
done
bridge=("${@:2}")
[[ ${#bridge[@]} -gt 0 ]] || bridge=(--listen iiop://127.0.0.1:0)

for program in "$perigee" "${server[0]}" "${client[0]}"; do
  [[ -x $program ]] || { echo "run_bridged: $program is missing" >&2; exit 1; }
done

folder=$(mktemp -d)
pids=()
clean_up() {
  [[ ${#pids[@]} -eq 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

server=("${server[@]//FOLDER/$folder}")
client=("${client[@]//FOLDER/$folder}")

mkfifo "$folder/server" "$folder/bridge"
"${server[@]}" >"$folder/server" &
server_pid=$!
pids+=("$server_pid")
exec 3<"$folder/server"
read -r ior <&3 || { echo "run_bridged: the server printed no IOR" >&2; exit 1; }

"$perigee" bridge "${bridge[@]}" --reference "$ior" >"$folder/bridge" &
bridge_pid=$!
pids+=("$bridge_pid")
exec 4<"$folder/bridge"
read -r bridged <&4 || { echo "run_bridged: the bridge printed no IOR" >&2; exit 1; }
[[ $bridged != "$ior" ]] || { echo "run_bridged: the bridge printed the server's IOR" >&2; exit 1; }
echo "$bridged" >"$folder/ior"

"${client[0]}" "$folder/ior" --quit "${client[@]:1}"

status=0
wait "$server_pid" || status=$?
[[ $status -eq 0 ]] || { echo "run_bridged: the server ended with status $status" >&2; exit 1; }
kill -TERM "$bridge_pid"
wait "$bridge_pid" || status=$?
pids=()
[[ $status -eq 0 ]] || { echo "run_bridged: the bridge ended with status $status" >&2; exit 1; }
