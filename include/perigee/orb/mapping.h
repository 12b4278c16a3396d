// Included by every generated client header (…C.h): the basic types of the mapping, without the
// ORB. Headers of rarer types (any, fixed, local interfaces, …) are included by the code that uses
// them. Compiles as C++20; includes no <iostream>, <chrono>, <thread>, <expected> or <coroutine>.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perigee::cdr {
class Encoder;
class Decoder;
}  // namespace perigee::cdr

namespace CORBA {
inline namespace perigee_v1 {
class Any;
class TypeCode;
class TypeCodeConstant;
/// The traits of an interface whose operations can be awaited. Specialised by generated files
/// (…Async.h).
template <typename T>
struct async_traits;
}  // namespace perigee_v1
}  // namespace CORBA

// IDL's native type Servant maps to these types. The headers of the POA define them.
namespace CORBA {
inline namespace perigee_v1 {
template <typename T>
class servant_reference;
}
}  // namespace CORBA
namespace PortableServer {
inline namespace perigee_v1 {
class Servant;
}
}  // namespace PortableServer

namespace perigee::stub {

/// An array, possibly of arrays, whose elements all have the value.
template <typename Array, typename Element>
constexpr Array filled(Element value) {
  Array result{};
  if constexpr (std::is_same_v<typename Array::value_type, Element>) {
    result.fill(value);
  } else {
    result.fill(filled<typename Array::value_type>(value));
  }
  return result;
}

}  // namespace perigee::stub
