#!/usr/bin/env bash
# Runs a pair of peers, and checks in a capture that a LocateReply has the status OBJECT_FORWARD, and that
# requests follow it.
#   check_locate.sh TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# The arguments are those of capture_pair.sh.
set -euo pipefail
source "$(dirname "$0")/capture_pair.sh"

count() {
  "$tshark" -r "$capture" -o tcp.desegment_tcp_streams:TRUE -Y "$1" -T fields -e frame.number | wc -l
}
forwards=$(count 'giop.type == 4 && giop.locale_status == 2')
requests=$(count 'giop.type == 0')
echo "$forwards LocateReplies with a forward, $requests requests"
[[ $forwards -ge 1 && $requests -ge 100 ]] ||
  { echo "check_locate: a forward and at least 100 requests were expected" >&2; exit 1; }
