// The operators of sequences of basic types, compiled once instead of in every generated source.
#include <perigee/cdr/operators.h>

namespace perigee::cdr {

#define PERIGEE_INSTANTIATE(T)                                               \
  template PERIGEE_API Encoder& operator<<(Encoder&, const std::vector<T>&); \
  template PERIGEE_API Decoder& operator>>(Decoder&, std::vector<T>&);
PERIGEE_SEQUENCE_ELEMENTS(PERIGEE_INSTANTIATE)
#undef PERIGEE_INSTANTIATE

}  // namespace perigee::cdr
