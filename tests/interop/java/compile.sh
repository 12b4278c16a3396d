#!/usr/bin/env bash
# Compiles the Java programs once against each ORB, because both ORBs have their own classes org.omg.
#   compile.sh FOLDER
# FOLDER/jars has the jars (fetch.sh). The classes go into FOLDER/jacorb and FOLDER/glassfish. The classes
# of valuetypes go into FOLDER/jacorb_values, and those of ValuesInterop::Detailed into
# FOLDER/jacorb_detailed. JacORB's Interface Repository describes the classes of FOLDER/jacorb_repository.
# Nothing is done if no source has changed since the last time.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1

# JacORB's compiler makes the stubs for both ORBs. The JDK's compiler, idlj, has no type fixed, makes
# wrong TypeCodes for arrays of arrays, and for unions over long long it makes Java that does not compile.
generate() {  # ORB [OPTION...]
  local log=$folder/$1.log idl=${idl:-$here/all_types.idl}
  java -cp "$folder/jars/compiler/*:$folder/jars/jacorb/*" org.jacorb.idl.parser -notimestamps \
    -i2jpackage CORBA:org.omg.CORBA -sloppy_forward -I"$here/idl" -d "$folder/$1.generated" "${@:2}" \
    "$idl" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
  if grep -q SEVERE "$log"; then cat "$log" >&2; return 1; fi
}

compile() {  # ORB [SOURCE...]
  local sources
  mapfile -t sources < <(find "$folder/$1.generated" -name '*.java')
  javac -nowarn -Xlint:none -cp "$folder/jars/$1/*" -d "$folder/$1" "${sources[@]}" "${@:2}"
}

stamp=$(cd "$here" && find all_types.idl ../values/values_interop.idl compile.sh jars.sha256 idl interop jacorb glassfish repository shim tls values -type f -print0 |
  sort -z |
  xargs -0 sha256sum | sha256sum)
if [[ -e $folder/stamp && $(<"$folder/stamp") == "$stamp" ]]; then
  echo "compile: nothing has changed"
  exit 0
fi
rm -rf "$folder"/{jacorb,jacorb_values,jacorb_repository,glassfish}{,.generated} "$folder/jacorb_detailed" "$folder/stamp"

only_jacorb=("$here/interop/FixedSampleMaker.java" "$here/interop/Callbacks.java" "$here"/jacorb/*.java)
mapfile -t programs < <(find "$here/interop" -name '*.java' ! -name FixedSampleMaker.java ! -name Callbacks.java)
generate jacorb
compile jacorb "${programs[@]}" "${only_jacorb[@]}"
# Valuetypes, with JacORB only: the JDK's compiler makes other classes for them.
idl=$here/../values/values_interop.idl generate jacorb_values
mapfile -t programs_of_values < <(find "$here/values" -name '*.java')
mapfile -t stubs_of_values < <(find "$folder/jacorb_values.generated" -name '*.java')
javac -nowarn -Xlint:none -cp "$folder/jacorb:$folder/jars/jacorb/*" -d "$folder/jacorb_values" \
  "${stubs_of_values[@]}" "${programs_of_values[@]}"
mkdir -p "$folder/jacorb_detailed/ValuesInterop"
mv "$folder"/jacorb_values/ValuesInterop/Detailed*.class "$folder/jacorb_detailed/ValuesInterop"
# JacORB's Interface Repository reads these classes.
idl=$here/repository/quotes.idl generate jacorb_repository -ir
mapfile -t described < <(find "$folder/jacorb_repository.generated" -name '*.java')
javac -nowarn -Xlint:none -cp "$folder/jars/jacorb/*" -d "$folder/jacorb_repository" "${described[@]}"
# The JDK's ORB has no bidirectional GIOP. Its API lacks a class that JacORB's stubs use, and the type fixed.
generate glassfish -DWITHOUT_FIXED
# JacORB's helpers write a value to the output stream of an any. With the JDK's ORB they must also read the
# value from this stream.
copied='var out = any.create_output_stream(); write(out, s);'
copied+=' any.read_value(out.create_input_stream(), type());'
find "$folder/glassfish.generated" -name '*Helper.java' -exec sed -i -E \
  "s/write *\( *any\.create_output_stream *\(\), *s *\);/$copied/" {} +
compile glassfish "${programs[@]}" "$here"/{glassfish,tls}/*.java \
  "$here/shim/org/omg/CORBA/portable/ServantObjectExt.java"
echo "$stamp" >"$folder/stamp"
