#!/usr/bin/env bash
# JacORB's program QueryIR prints IDL from perigee-ifr.
#   query_perigee.sh FOLDER PERIGEE_IFR [PROPERTY...]
set -euo pipefail
folder=$1 program=$2
source "$(dirname "$0")/serving.sh"
serve "$program" --ior-file "$reference" "$(dirname "$0")/quotes.idl"
"$folder/jacorb_query" "-DORBInitRef.InterfaceRepository=$(<"$reference")" "${@:3}" IDL:Quotes:1.0 \
  >"$scratch/queried.txt" 2>&1
expect "$scratch/queried.txt" 'module Quotes' 'typedef sequence <long> Numbers;' 'enum Grade {good,better};' \
  'exception Missing {' 'string why;' 'struct Quote {' 'Quotes::Numbers history;' 'interface Base' \
  'readonly attribute long size;' 'interface Quoter : IDL:Quotes/Base:1.0' \
  'Quotes::Quote get(in string ticker,out any more) raises (Quotes::Missing);' \
  'oneway void tell(in Quotes::Base other);'
