#!/usr/bin/env bash
# A Java server binds itself in a naming service for a Perigee client, and a Java client finds a
# Perigee server. run_naming.sh passes the address and the reference of the service.
#   name_pair.sh HOST:PORT -ORBInitRef NameService=IOR:... PERIGEE ORB-FOLDER ORB SERVER CLIENT \
#                [LIMIT...]
set -euo pipefail
address=$1 initial=$3 perigee=$4 java=$5/$6 server=$7 client=$8
limits=("${@:9}")

folder=$(mktemp -d)
server_pid=
clean_up() {
  [[ -z $server_pid ]] || kill "$server_pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

# start NAME PROGRAM [OPTION...]: starts the program, and sets $ior to the IOR that it prints when it is
# ready. NAME names the pipe of its output.
start() {
  mkfifo "$folder/$1.output" 2>/dev/null || true
  "${@:2}" >"$folder/$1.output" &
  server_pid=$!
  exec 3<"$folder/$1.output"
  read -r ior <&3 || { echo "name_pair: ${2} printed no IOR" >&2; exit 1; }
}

finish() {
  wait "$server_pid" || { echo "name_pair: the server failed" >&2; exit 1; }
  server_pid=
}

start java "${java}_server" --bind java.peer -ORBInitRef "$initial"
echo "corbaname::$address#java.peer" >"$folder/url"
"$client" "$folder/url" --quit --large 1000 -ORBListenEndpoints iiop://127.0.0.1:0 "${limits[@]}"
finish

start perigee "$server" -ORBListenEndpoints iiop://127.0.0.1:0
"$perigee" name --service "$address" bind perigee.peer "$ior"
"${java}_client" "corbaname::$address#perigee.peer" --quit --large 1000
finish
