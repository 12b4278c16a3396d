#!/usr/bin/env bash
# Runs a pair of peers, and checks in a capture that a LocateReply has the status OBJECT_FORWARD, and that
# requests follow it.
#   check_locate.sh TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# The Perigee side writes the capture: the word CAPTURE in its options becomes the name of the file.
set -euo pipefail
tshark=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${@//CAPTURE/$folder/pair.pcap}"

count() {
  "$tshark" -r "$folder/pair.pcap" -o tcp.desegment_tcp_streams:TRUE -Y "$1" -T fields -e frame.number | wc -l
}
forwards=$(count 'giop.type == 4 && giop.locale_status == 2')
requests=$(count 'giop.type == 0')
echo "$forwards LocateReplies with a forward, $requests requests"
[[ $forwards -ge 1 && $requests -ge 100 ]] ||
  { echo "check_locate: a forward and at least 100 requests were expected" >&2; exit 1; }
