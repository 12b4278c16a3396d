// What every generated client header (…C.h) includes: the mapping's basic types, nothing of the
// ORB. Headers of rarer types (any, fixed, local interfaces, …) are included where they are used.
// Compiles as C++20; includes no <iostream>, <chrono>, <thread>, <expected> or <coroutine>.
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
/// Of an interface whose operations can be awaited: specialised by generated files (…Async.h).
template <typename T>
struct async_traits;
}  // namespace perigee_v1
}  // namespace CORBA

// The native type Servant is one of these; the headers of the POA define them.
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
