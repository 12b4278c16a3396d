#!/usr/bin/env bash
# Checks that the call of a client fails, and that the Perigee side says why.
#   check_refusal.sh client|server TEXT SERVER [OPTION...] -- CLIENT [OPTION...]
# TEXT is what the Perigee side, the client or the server, must write to stderr.
set -euo pipefail
side=$1 text=$2
shift 2
server=()
while [[ $1 != -- ]]; do
  server+=("$1")
  shift
done
shift

folder=$(mktemp -d)
server_pid=
clean_up() {
  [[ -z $server_pid ]] || kill "$server_pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

mkfifo "$folder/output" "$folder/errors"
"${server[@]}" >"$folder/output" 2>"$folder/errors" &
server_pid=$!
exec 3<>"$folder/errors" 4<"$folder/output"
read -r ior <&4 || { echo "check_refusal: the server printed no IOR" >&2; exit 1; }
echo "$ior" >"$folder/ior"

if "$1" "$folder/ior" "${@:2}" >"$folder/client" 2>&1; then
  echo "check_refusal: the call succeeded" >&2
  exit 1
fi
cat "$folder/client"
if [[ $side == client ]]; then
  grep -qF -- "$text" "$folder/client" && exit
else
  # The server may write the line after the client has ended.
  while read -r -t 20 line <&3; do
    echo "$line"
    [[ $line == *"$text"* ]] && exit
  done
fi
echo "check_refusal: the $side did not write: $text" >&2
exit 1
