#!/usr/bin/env bash
# Records a conversation with characters between a Perigee client and a Perigee server, and checks it
# with Wireshark's dissector. Fails if the dissector finds a malformed packet, or if the code sets are
# not announced exactly once.
#   check_text_capture.sh TSHARK RUN_PAIR SERVER CLIENT GIOP-VERSION
set -euo pipefail
tshark=$1 run_pair=$2 server=$3 client=$4 version=$5

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$run_pair" "$server" -ORBListenEndpoints iiop://127.0.0.1:0 -ORBGiopVersion "$version" \
  -ORBNativeCharCodeSet ISO-8859-1 -- "$client" --peer ISO-8859-1 -ORBPcap "$folder/client.pcap"

"$tshark" -r "$folder/client.pcap" -o tcp.desegment_tcp_streams:TRUE -V >"$folder/client.txt"
malformed=$(grep -ci 'malformed packet' "$folder/client.txt" || true)
requests=$(grep -c 'Message type: Request' "$folder/client.txt" || true)
announced=$(grep -ci 'CodeSets' "$folder/client.txt" || true)
echo "$requests requests, $malformed malformed packets, $announced announcements of code sets"
[[ $malformed -eq 0 ]] || { grep -i -B 30 'malformed packet' "$folder/client.txt" | head -60; exit 1; }
[[ $requests -ge 20 ]] || { echo "check_text_capture: no conversation found" >&2; exit 1; }
[[ $announced -eq 1 ]] || { echo "check_text_capture: code sets must be announced once" >&2; exit 1; }
