// Functions by which generated data types raise errors. They are not inline, so that generated
// headers stay small.
#pragma once

#include <perigee/base/export.h>

namespace perigee::stub {

/// Throws CORBA::BAD_PARAM: the discriminator selects another member.
[[noreturn]] PERIGEE_API void wrong_union_member();

/// Throws CORBA::BAD_PARAM: more elements than the bound of the IDL type.
[[noreturn]] PERIGEE_API void bound_exceeded();

/// Throws CORBA::BAD_PARAM: the bits of a bitset's field cannot hold the value.
[[noreturn]] PERIGEE_API void bits_exceeded();

}  // namespace perigee::stub
