#!/usr/bin/env bash
# Runs a pair of peers, and checks in a capture that there is one connection, with requests in both
# directions.
#   check_callbacks.sh TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# The Perigee side writes the capture: the word CAPTURE in its options becomes the name of the file.
set -euo pipefail
tshark=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${@//CAPTURE/$folder/pair.pcap}"

"$tshark" -r "$folder/pair.pcap" -o tcp.desegment_tcp_streams:TRUE -Y 'giop.type == 0' -T fields \
  -e tcp.stream -e tcp.srcport >"$folder/requests"
connections=$("$tshark" -r "$folder/pair.pcap" -T fields -e tcp.stream | sort -u | wc -l)
senders=$(sort -u "$folder/requests" | wc -l)
echo "$connections connection(s), $(wc -l <"$folder/requests") requests from $senders side(s)"
[[ $connections -eq 1 && $senders -eq 2 ]] ||
  { echo "check_callbacks: one connection with requests from both sides was expected" >&2; exit 1; }
