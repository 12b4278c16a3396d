#!/usr/bin/env bash
# Copies the jars of the Java peers into FOLDER with Maven, and checks their sums. Jars that are there
# are not fetched again.
#   fetch.sh FOLDER
# Maven's own settings name the repository.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jars=$1

for program in mvn java javac; do
  command -v "$program" >/dev/null ||
    { echo "fetch: $program is missing: apt-get install maven openjdk-17-jdk-headless" >&2; exit 1; }
done

mkdir -p "$jars"
are_complete() { (cd "$jars" && sha256sum --check --quiet "$here/jars.sha256" 2>/dev/null); }
if are_complete >/dev/null; then
  echo "fetch: the jars are there"
  exit 0
fi
mvn -B -q -f "$here/pom.xml" generate-resources -Djars="$jars"
(cd "$jars" && sha256sum --check --quiet "$here/jars.sha256") ||
  { echo "fetch: a jar is missing, or has a wrong sum" >&2; exit 1; }
