// Conversion of long double. The compiler's own binary128 type does the work, if it has one.
// CORBA 3.0, 15.3.1.3: double extended is 1 sign bit, 15 of exponent, 112 of fraction. Interop
// fact 35 of docs/interop.md.
#include <perigee/cdr/long_double.h>

#include <bit>
#include <cfloat>

#if LDBL_MANT_DIG == DBL_MANT_DIG
#include "cdr/quad_of_double.h"
#endif

namespace perigee::cdr {

#if LDBL_MANT_DIG == DBL_MANT_DIG

QuadOctets to_quad(long double value) noexcept {
  return quad_of_double(static_cast<double>(value));
}

long double from_quad(const QuadOctets& octets) noexcept { return double_of_quad(octets); }

#else

namespace {

#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
using Quad = __float128;
#endif
static_assert(sizeof(Quad) == sizeof(QuadOctets));

}  // namespace

QuadOctets to_quad(long double value) noexcept {
  return std::bit_cast<QuadOctets>(static_cast<Quad>(value));
}

long double from_quad(const QuadOctets& octets) noexcept {
  return static_cast<long double>(std::bit_cast<Quad>(octets));
}

#endif

}  // namespace perigee::cdr
