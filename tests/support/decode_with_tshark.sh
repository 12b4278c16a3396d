#!/bin/sh
# Makes a capture of hex dumps (one packet each, as text2pcap reads them). Checks that tshark's GIOP
# dissector finds no malformed packet, and finds the expected fields in each packet.
# usage: decode_with_tshark.sh <dump> <expected> <capture>
# <expected>: one line for each packet: major.minor|type|request id|operation or status
set -eu
dump=$1 expected=$2 capture=$3
port=2809
for program in text2pcap tshark; do
  command -v "$program" >/dev/null || { echo "$program is missing: install wireshark-common and tshark"; exit 1; }
done
text2pcap -q -T 40000,$port "$dump" "$capture"

decoded=$(tshark -r "$capture" -d tcp.port==$port,giop -V 2>/dev/null)
if echo "$decoded" | grep -n -i -E "malformed|dissector bug"; then
  echo "tshark calls a packet malformed: $capture"
  exit 1
fi
tshark -r "$capture" -d tcp.port==$port,giop -T fields -E separator='|' \
  -e giop.major_version -e giop.minor_version -e giop.type -e giop.request_id \
  -e giop.request_op -e giop.replystatus -e giop.locale_status 2>/dev/null |
  awk -F'|' '{ print $1 "." $2 "|" $3 "|" $4 "|" $5 $6 $7 }' >"$capture.decoded"
diff "$expected" "$capture.decoded" || { echo "tshark's fields differ from $expected"; exit 1; }
echo "$(wc -l <"$expected") packets decoded"
