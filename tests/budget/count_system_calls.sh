#!/usr/bin/env bash
# Counts the system calls that a two-way call costs, by strace, on each side: the difference between
# a run of 100 and one of 1,100 calls, so that start and end cancel out. Fails above the budget:
# one send and one receive a side; a server with a poll one epoll_wait more; nothing else.
#   count_system_calls.sh RUN_PAIR SERVER CLIENT STRATEGY ENDPOINT
set -euo pipefail
run_pair=$1 server=$2 client=$3 strategy=$4 endpoint=$5

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# traced NAME PROGRAM: a script that runs PROGRAM under strace with a summary in NAME.
traced() {
  printf '#!/bin/bash\nexec strace -f -qq -c -U name,calls -o "%s" "%s" "$@"\n' \
    "$folder/$1" "$2" >"$folder/run-$1"
  chmod +x "$folder/run-$1"
}

run() {  # CALLS
  traced "server-$1" "$server"
  traced "client-$1" "$client"
  "$run_pair" "$folder/run-server-$1" -ORBListenEndpoints "$endpoint" \
    -ORBThreadStrategy "$strategy" -- "$folder/run-client-$1" --calls "$1"
}

calls_of() {  # FILE SYSTEM-CALL
  awk -v name="$2" '$1 == name { count = $2 } END { print count + 0 }' "$folder/$1"
}

run 100
run 1100

status=0
for side in client server; do
  echo "$side ($strategy, $endpoint), system calls in 1,000 two-way calls:"
  for name in $(awk '$2 ~ /^[0-9]+$/ && $1 != "total" { print $1 }' "$folder/$side-1100"); do
    count=$(($(calls_of "$side-1100" "$name") - $(calls_of "$side-100" "$name")))
    # A few may differ between two runs (start-up races, helper threads on a loaded machine); a cost
    # per call is 1,000.
    limit=100
    # Not sendmsg: these messages are of one piece, and gathering costs the system more.
    case $name in sendto | recvfrom | write | read) limit=1100 ;; esac
    case $strategy in
      auto | thread-per-connection) ;;  # a dedicated reader needs no poller
      *) [[ $side/$name != server/epoll_* ]] || limit=1100 ;;
    esac
    [[ $name != epoll_ctl ]] || limit=20
    # The supervisor of a server ticks as long as there are upcalls, so its calls grow with the time
    # that the run takes. A cost per call would still be seen.
    case $side/$strategy/$name in
      server/auto/epoll_wait | server/auto/clock_gettime | \
        server/thread-per-connection/epoll_wait | server/thread-per-connection/clock_gettime)
        limit=900
        ;;
    esac
    # The threads of a pool nap while others are quick: more often where messages are quicker.
    [[ $side/$name/$strategy != server/clock_nanosleep/thread-pool ]] || limit=400
    [[ $count -ge -20 && $count -le 20 ]] || echo "  $name $count"
    [[ $count -le $limit ]] || { echo "  $name: more than $limit" >&2; status=1; }
  done
  sends=$(($(calls_of "$side-1100" sendto) + $(calls_of "$side-1100" sendmsg) + $(calls_of "$side-1100" write) + $(calls_of "$side-1100" writev)))
  receives=$(($(calls_of "$side-1100" recvfrom) + $(calls_of "$side-1100" recvmsg) + $(calls_of "$side-1100" read)))
  # Reads of libraries at the start are among these: hence the room above 1,100.
  [[ $sends -le 1150 ]] || { echo "$side: $sends sends for 1,100 calls" >&2; status=1; }
  [[ $receives -ge 1100 && $receives -le 1200 ]] ||
    { echo "$side: $receives receives for 1,100 calls" >&2; status=1; }
done
exit $status
