#!/usr/bin/env bash
# Runs one server and one client of the interoperability tests against each other.
#   run_pair.sh SERVER [SERVER-OPTION...] -- CLIENT [CLIENT-OPTION...]
# The server prints its IOR. The client gets the IOR in a file as its first argument. It also gets
# --quit, and so ends the server. The word FOLDER in an option becomes the path of a temporary folder,
# for sockets. The script fails if the server or the client fails. A missing program is a failure, and
# never a skipped test.
set -euo pipefail

server=()
while [[ $# -gt 0 && $1 != -- ]]; do
  server+=("$1")
  shift
done
shift
client=("$@")

for program in "${server[0]}" "${client[0]}"; do
  [[ -x $program ]] || { echo "run_pair: $program is missing" >&2; exit 1; }
done

folder=$(mktemp -d)
server_pid=
clean_up() {
  [[ -z $server_pid ]] || kill "$server_pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

server=("${server[@]//FOLDER/$folder}")
client=("${client[@]//FOLDER/$folder}")

mkfifo "$folder/output"
"${server[@]}" >"$folder/output" &
server_pid=$!
exec 3<"$folder/output"
read -r ior <&3 || { echo "run_pair: the server printed no IOR" >&2; exit 1; }
echo "$ior" >"$folder/ior"

"${client[0]}" "$folder/ior" --quit "${client[@]:1}"

status=0
wait "$server_pid" || status=$?
server_pid=
[[ $status -eq 0 ]] || { echo "run_pair: the server ended with status $status" >&2; exit 1; }
