// Functions that generated data types call for a value that does not fit. They are out of line, to
// keep headers small.
#include "orb/values/system_exceptions.h"
#include <perigee/orb/data_types.h>

namespace perigee::stub {

void wrong_union_member() {
  throw CORBA::BAD_PARAM(orb::minor_wrong_union_member, CORBA::COMPLETED_NO,
                         "the union's discriminator selects another member");
}

void bound_exceeded() {
  throw CORBA::BAD_PARAM(orb::minor_bound_exceeded, CORBA::COMPLETED_NO,
                         "more elements than the bound of the IDL type");
}

void bits_exceeded() {
  throw CORBA::BAD_PARAM(orb::minor_bits_exceeded, CORBA::COMPLETED_NO,
                         "a value that the field of the bitset cannot hold");
}

}  // namespace perigee::stub
