#!/usr/bin/env bash
# `perigee describe` prints IDL from the Interface Repository of JacORB, and perigee-idl accepts it.
#   describe_jacorb.sh FOLDER PERIGEE PERIGEE_IDL
# JacORB names the bases of an interface by Java's names, so their operations stand in the interface itself.
set -euo pipefail
folder=$1 perigee=$2 compiler=$3
source "$(dirname "$0")/serving.sh"
serve "$folder/jacorb_repository_server" "$folder/jacorb_repository" "$reference"
described=$scratch/described.idl
# The server writes its reference before it has read the classes.
until "$perigee" describe --ifr "$reference" --interface IDL:Quotes/Quoter:1.0 "$reference" \
  >"$described" 2>"$scratch/errors.txt"; do
  kill -0 "$server" || exit 1
  grep -qE 'no definition|undefined|not defined' "$scratch/errors.txt" || { cat "$scratch/errors.txt" >&2; exit 1; }
done
expect "$described" 'module Quotes {' '  exception Missing {' '  enum Grade { good, better };' '  interface Quoter {' \
  '    oneway void tell(in ::Quotes::Base other);' \
  '    ::Quotes::Quote get(in string ticker, out any more) raises (::Quotes::Missing);' \
  '    readonly attribute long size;'
(cd "$scratch" && "$compiler" described.idl)
