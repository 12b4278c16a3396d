#!/usr/bin/env bash
# Runs a pair of peers, and checks in a capture that there is one connection, with requests in both
# directions.
#   check_callbacks.sh TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# The arguments are those of capture_pair.sh.
set -euo pipefail
source "$(dirname "$0")/capture_pair.sh"

"$tshark" -r "$capture" -o tcp.desegment_tcp_streams:TRUE -Y 'giop.type == 0' -T fields \
  -e tcp.stream -e tcp.srcport >"$folder/requests"
connections=$("$tshark" -r "$capture" -T fields -e tcp.stream | sort -u | wc -l)
senders=$(sort -u "$folder/requests" | wc -l)
echo "$connections connection(s), $(wc -l <"$folder/requests") requests from $senders side(s)"
[[ $connections -eq 1 && $senders -eq 2 ]] ||
  { echo "check_callbacks: one connection with requests from both sides was expected" >&2; exit 1; }
