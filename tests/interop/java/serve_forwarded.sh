#!/usr/bin/env bash
# Runs a server, and forwarders that lead to it: each forwarder leads to the next one on the command
# line, and the last forwarder leads to the server. Prints the IOR of the first forwarder, and ends with
# the status of the server. The script fails if a forwarder has ended before the server.
#   serve_forwarded.sh FORWARDER [OPTION...] TO [FORWARDER [OPTION...] TO]... SERVER [OPTION...]
set -euo pipefail

folder=$(mktemp -d)
pids=()
clean_up() {
  kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

# start PROGRAM [OPTION...]: starts the program, and sets $ior to the IOR that it prints.
start() {
  local output=$folder/output.${#pids[@]}
  mkfifo "$output"
  "$@" >"$output" &
  pids+=($!)
  exec {reader}<"$output"
  read -r -u "$reader" ior || { echo "serve_forwarded: $1 printed no IOR" >&2; exit 1; }
}

# The programs start in the reverse order of the command line.
start_all() {
  local program=()
  while [[ $# -gt 0 && $1 != TO ]]; do
    program+=("$1")
    shift
  done
  if [[ $# -eq 0 ]]; then
    start "${program[@]}"
    return
  fi
  start_all "${@:2}"
  local target=$folder/target.${#pids[@]}
  echo "$ior" >"$target"
  start "${program[0]}" "$target" "${program[@]:1}"
}

start_all "$@"
echo "$ior"
status=0
wait "${pids[0]}" || status=$?
for pid in "${pids[@]:1}"; do
  kill -0 "$pid" 2>/dev/null || { echo "serve_forwarded: a forwarder has ended" >&2; exit 1; }
done
exit "$status"
