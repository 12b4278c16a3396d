#!/usr/bin/env bash
# Records a conversation over TLS, and checks that Wireshark decrypts it and finds GIOP in it.
#   check_recording.sh TSHARK SERVER [OPTION...] -- CLIENT [OPTION...]
# A Perigee side writes the secrets of its connections: KEYS in its options becomes the name of the
# file.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tshark=$1
shift

folder=$(mktemp -d)
pids=()
clean_up() {
  [[ ${#pids[@]} -eq 0 ]] || kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

set -- "${@//KEYS/$folder/keys}"
server=()
while [[ $1 != -- ]]; do
  server+=("$1")
  shift
done
shift

mkfifo "$folder/output" "$folder/recorder"
"${server[@]}" >"$folder/output" &
server_pid=$!
pids+=("$server_pid")
read -r ior <"$folder/output" || { echo "check_recording: the server printed no IOR" >&2; exit 1; }
echo "$ior" >"$folder/server.ior"
python3 -B "$here/recorder.py" "$folder/server.ior" "$folder/capture" >"$folder/recorder" &
pids+=($!)
read -r ior <"$folder/recorder" || { echo "check_recording: no recorder" >&2; exit 1; }
echo "$ior" >"$folder/ior"

"$1" "$folder/ior" --quit "${@:2}"
wait "$server_pid"
pids=("${pids[1]}")

decode() {
  "$tshark" -r "$folder/capture" -X "lua_script:$here/giop_over_tls.lua" -d tcp.port==683,giop \
    -o tcp.desegment_tcp_streams:TRUE -V "$@" 2>/dev/null
}
decode >"$folder/without_keys"
decode -o "tls.keylog_file:$folder/keys" >"$folder/text"
count() { grep -ciE "$1" "$2" || true; }
messages=$(count '^General Inter-ORB Protocol' "$folder/text")
malformed=$(count 'malformed packet' "$folder/text")
plain=$(count '^General Inter-ORB Protocol' "$folder/without_keys")
echo "$messages GIOP messages decoded inside TLS, $malformed malformed, $plain without the secrets"
[[ $malformed -eq 0 ]] || { grep -i -B 30 'malformed packet' "$folder/text" | head -60; exit 1; }
[[ $plain -eq 0 ]] || { echo "check_recording: GIOP was sent without encryption" >&2; exit 1; }
[[ $messages -ge 100 ]] || { echo "check_recording: 100 messages were expected" >&2; exit 1; }
grep -q 'echo_person' "$folder/text" || { echo "check_recording: no echo_person" >&2; exit 1; }
