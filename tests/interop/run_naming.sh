#!/usr/bin/env bash
# Runs a client with its own naming service, at a free port.
#   run_naming.sh NAMES [OPTION...] -- PERIGEE CLIENT [CLIENT-OPTION...]
# The naming service prints the IOR of its root context. The word FOLDER in its options becomes the path
# of a temporary folder, for its data. The client gets HOST:PORT as its first argument, and the initial
# reference NameService.
set -euo pipefail

names=()
while [[ $# -gt 0 && $1 != -- ]]; do
  names+=("$1")
  shift
done
perigee=$2 client=$3
shift 3
folder=$(mktemp -d)
names=("${names[@]//FOLDER/$folder}")
names_pid=
clean_up() {
  [[ -z $names_pid ]] || kill "$names_pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

mkfifo "$folder/output"
"${names[@]}" >"$folder/output" 2>&1 &
names_pid=$!
exec 3<"$folder/output"
ior=
while [[ -z $ior ]]; do
  read -r line <&3 || { echo "run_naming: ${names[0]} printed no reference" >&2; exit 1; }
  [[ $line =~ IOR:[0-9a-fA-F]+ ]] && ior=${BASH_REMATCH[0]}
done
cat <&3 >/dev/null &

address=$("$perigee" ior "$ior" | grep -oE '127\.0\.0\.1:[0-9]+' | head -n 1)
[[ -n $address ]] || { echo "run_naming: no address in $ior" >&2; exit 1; }
"$client" "$address" -ORBInitRef "NameService=$ior" "$@"
