#!/usr/bin/env bash
# Makes two authorities, and certificates of a server and a client by each of them.
#   make_certificates.sh PERIGEE FOLDER [--java]
# The peers trust the authority in FOLDER/known. Certificates in FOLDER/unknown are for tests of
# refusals. Each certificate exists in the forms that the peers read:
#   server.pem, server.key   Perigee
#   server.both              omniORB: the certificate and its key in one file
#   server.p12               Java, with --java: a keystore with the certificate, its key and the
#                            authority; its password is "changeit"
set -euo pipefail
perigee=$1 folder=$2 java=${3-}

rm -rf "$folder"
for place in known unknown; do
  "$perigee" cert "$folder/$place" --days 1 >/dev/null
  for side in "$folder/$place/server" "$folder/$place/client"; do
    (umask 077 && cat "$side.pem" "$side.key" >"$side.both")
    [[ -n $java ]] || continue
    openssl pkcs12 -export -in "$side.pem" -inkey "$side.key" -passout pass:changeit -out "$side.p12"
    keytool -importcert -noprompt -alias authority -file "$folder/$place/authority.pem" \
      -keystore "$side.p12" -storetype PKCS12 -storepass changeit 2>/dev/null
  done
done
