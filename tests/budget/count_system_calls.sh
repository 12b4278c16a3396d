#!/usr/bin/env bash
# Counts the system calls of a two-way call on each side with strace. It compares a run of 100 calls
# with a run of 1,100 calls, so that start and end cancel out.
# The budget is one send and one receive per side. A server with a poller may add one epoll_wait.
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

count() {
  local side name count limit sends receives
  run 100
  run 1100
  status=0
  for side in client server; do
    echo "$side ($strategy, $endpoint), system calls in 1,000 two-way calls:"
    for name in $(awk '$2 ~ /^[0-9]+$/ && $1 != "total" { print $1 }' "$folder/$side-1100"); do
      count=$(($(calls_of "$side-1100" "$name") - $(calls_of "$side-100" "$name")))
      # Two runs may differ by a few calls (start-up races, helper threads on a loaded machine). A
      # cost per call would make a difference of 1,000.
      limit=100
      # No sendmsg: these messages have one piece, and a gather-write costs the system more.
      case $name in sendto | recvfrom | write | read) limit=1100 ;; esac
      case $strategy in
        auto | thread-per-connection) ;;  # a dedicated reader needs no poller
        *) [[ $side/$name != server/epoll_* ]] || limit=1100 ;;
      esac
      [[ $name != epoll_ctl ]] || limit=20
      # The supervisor of a server ticks while there are upcalls, so the number of its calls grows
      # with the time of the run. A cost per call would exceed this limit.
      case $side/$strategy/$name in
        server/auto/epoll_wait | server/auto/clock_gettime | \
          server/thread-per-connection/epoll_wait | server/thread-per-connection/clock_gettime)
          limit=900
          ;;
      esac
      # A thread of a pool sleeps for a moment if other threads handle the messages quickly. The number
      # of these sleeps grows with the speed of the messages.
      [[ $side/$name/$strategy != server/clock_nanosleep/thread-pool ]] || limit=400
      [[ $count -ge -20 && $count -le 20 ]] || echo "  $name $count"
      [[ $count -le $limit ]] || { echo "  $name: more than $limit" >&2; status=1; }
    done
    sends=$(($(calls_of "$side-1100" sendto) + $(calls_of "$side-1100" sendmsg) + $(calls_of "$side-1100" write) + $(calls_of "$side-1100" writev)))
    receives=$(($(calls_of "$side-1100" recvfrom) + $(calls_of "$side-1100" recvmsg) + $(calls_of "$side-1100" read)))
    # The libraries' reads at the start are included, hence the margin above 1,100.
    [[ $sends -le 1150 ]] || { echo "$side: $sends sends for 1,100 calls" >&2; status=1; }
    [[ $receives -ge 1100 && $receives -le 1200 ]] ||
      { echo "$side: $receives receives for 1,100 calls" >&2; status=1; }
  done
}

# A thread that gets no CPU for some milliseconds looks like a blocked upcall. The home loop then
# reads the connection for the next 1,000 calls, with one epoll_wait each. So a run that exceeds the
# budget is repeated.
for try in 1 2 3; do
  count
  [[ $status != 0 ]] || break
  echo "run $try of 3 exceeded the budget" >&2
done
exit "$status"
