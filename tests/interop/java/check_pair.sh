#!/usr/bin/env bash
# Runs a pair of peers, and checks with Wireshark's dissector that no message is malformed.
#   check_pair.sh TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# The arguments are those of capture_pair.sh.
set -euo pipefail
source "$(dirname "$0")/capture_pair.sh"

"$tshark" -r "$capture" -o tcp.desegment_tcp_streams:TRUE -V >"$folder/pair.txt"
messages=$(grep -c '^General Inter-ORB Protocol' "$folder/pair.txt" || true)
malformed=$(grep -ci 'malformed packet' "$folder/pair.txt" || true)
big_endian=$(grep -c 'Little Endian: False' "$folder/pair.txt" || true)
echo "$messages GIOP messages decoded, $malformed malformed, $big_endian big-endian"
[[ $malformed -eq 0 ]] ||
  { grep -i -B 30 'malformed packet' "$folder/pair.txt" | head -60; exit 1; }
[[ $messages -ge 100 && $big_endian -ge 50 ]] ||
  { echo "check_pair: at least 100 messages were expected, 50 of them big-endian" >&2; exit 1; }
