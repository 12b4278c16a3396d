// CORBA::make_reference: makes servants, local objects, values and value factories.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/orb/object.h>

#include <type_traits>
#include <utility>

namespace PortableServer {
inline namespace perigee_v1 {
class Servant;
}
}  // namespace PortableServer

namespace CORBA {
inline namespace perigee_v1 {

class ValueBase;
template <typename T>
class servant_reference;
template <typename T>
class valuetype_reference;

namespace detail {
template <typename T, bool is_servant, bool is_value>
struct made_reference {
  using type = object_reference<T>;
};
template <typename T, bool is_value>
struct made_reference<T, true, is_value> {
  using type = servant_reference<T>;
};
template <typename T>
struct made_reference<T, false, true> {
  using type = valuetype_reference<T>;
};
}  // namespace detail

/// Makes a servant, a local object, a value or a value factory. This is the only way to make them.
/// A servant that is also a value gets a servant_reference, which converts to references to the
/// value.
template <typename T, typename... Args>
auto make_reference(Args&&... args) {
  return typename detail::made_reference<
      T, std::is_base_of_v<PortableServer::Servant, T>,
      std::is_base_of_v<ValueBase, T>>::type(perigee::make_counted<T>(std::forward<Args>(args)...));
}

}  // namespace perigee_v1
}  // namespace CORBA
