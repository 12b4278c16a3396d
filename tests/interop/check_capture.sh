#!/usr/bin/env bash
# Captures a conversation between a Perigee server and a Perigee client, and fails if Wireshark's
# dissector finds a malformed packet in it, or does not find GIOP at all.
#   check_capture.sh TSHARK RUN_PAIR SERVER CLIENT GIOP-VERSION
# The client writes the capture itself (-ORBPcap), so the script needs no permission to capture.
set -euo pipefail
tshark=$1 run_pair=$2 server=$3 client=$4 version=$5

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$run_pair" "$server" -ORBListenEndpoints iiop://127.0.0.1:0 -ORBGiopVersion "$version" \
  -ORBPcap "$folder/server.pcap" -ORBFragmentSize 65536 -- \
  "$client" --large 300000 -ORBListenEndpoints iiop://127.0.0.1:0 -ORBPcap "$folder/client.pcap" \
  -ORBFragmentSize 65536

for side in server client; do
  "$tshark" -r "$folder/$side.pcap" -o tcp.desegment_tcp_streams:TRUE -V >"$folder/$side.txt"
  messages=$(grep -c '^General Inter-ORB Protocol' "$folder/$side.txt" || true)
  malformed=$(grep -ci 'malformed packet' "$folder/$side.txt" || true)
  echo "$side: $messages GIOP messages decoded, $malformed malformed"
  [[ $malformed -eq 0 ]] || { grep -i -B 30 'malformed packet' "$folder/$side.txt" | head -60; exit 1; }
  [[ $messages -ge 100 ]] || { echo "check_capture: the dissector found no conversation" >&2; exit 1; }
done
grep -q 'Operation: echo_person' "$folder/server.txt" ||
  grep -q 'echo_person' "$folder/server.txt" || { echo "check_capture: no echo_person" >&2; exit 1; }
