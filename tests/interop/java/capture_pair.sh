# For scripts that check a capture of a pair of peers; they source it with their arguments.
#   TSHARK RUN_PAIR SERVER [OPTION...] -- CLIENT [OPTION...]
# Runs the pair. The Perigee side writes the capture: the word CAPTURE in its options becomes the name of
# the file. Sets `tshark`, `folder`, which is removed at the end, and `capture`.
set -euo pipefail
tshark=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
capture=$folder/pair.pcap

"${@//CAPTURE/$capture}"
