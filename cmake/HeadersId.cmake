# Writes OUTPUT, a header that defines PERIGEE_HEADERS_ID: the VERSION and a hash of all HEADERS (a
# list). Programs that are built with other headers have another id.
cmake_minimum_required(VERSION 3.25)

set(hashes "")
foreach(header IN LISTS HEADERS)
  file(SHA256 "${header}" hash)
  string(APPEND hashes "${hash}")
endforeach()
string(SHA256 id "${hashes}")
string(SUBSTRING "${id}" 0 16 id)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "\
// Which headers these are: made by the build.
#pragma once

#define PERIGEE_HEADERS_ID \"@VERSION@-@id@\"
" @ONLY)
