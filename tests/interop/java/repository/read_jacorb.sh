#!/usr/bin/env bash
# A Perigee client reads the Interface Repository of JacORB, which gets its definitions from Java classes.
#   read_jacorb.sh FOLDER READER [OPTION...]
# JacORB names the bases of an interface by Java's names, and puts an underscore before enumerators.
set -euo pipefail
folder=$1 reader=$2
source "$(dirname "$0")/serving.sh"
serve "$folder/jacorb_repository_server" "$folder/jacorb_repository" "$reference"
# The server writes its reference before it has read the classes.
until "$reader" "file:$reference" "${@:3}" >"$scratch/read.txt" 2>"$scratch/errors.txt"; do
  grep -qF 'contents undefined' "$scratch/errors.txt" || { cat "$scratch/errors.txt" >&2; exit 1; }
done
expect "$scratch/read.txt" 'module ::Quotes' 'interface IDL:Quotes/Quoter:1.0 : Quotes.Base' \
  '  operation get : struct Quote { long price; Numbers history; Grade quality; }, PARAM_IN ticker : string, PARAM_OUT more : any, raises IDL:Quotes/Missing:1.0' \
  '  operation tell : void oneway, PARAM_IN other : interface Base' \
  '  attribute size : long ATTR_READONLY' 'dk_Exception IDL:Quotes/Missing:1.0' \
  'dk_Enum IDL:Quotes/Grade:1.0' 'dk_Alias IDL:Quotes/Numbers:1.0' \
  'struct IDL:Quotes/Quote:1.0, price : long, history : typedef sequence<long> Numbers'
