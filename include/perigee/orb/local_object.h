// The base of local interfaces, and their IDL::traits. Narrowing is a cast, without a request.
#pragma once

#include <perigee/orb/object.h>

#include <string_view>
#include <type_traits>

namespace CORBA {
inline namespace perigee_v1 {

/// Base of local interfaces. Applications implement them in C++ classes, derived from
/// `IDL::traits<L>::base_type`, and make objects by `CORBA::make_reference`. Their references
/// cannot be marshalled: MARSHAL, OMG minor 4.
class LocalObject : public virtual Object {
 protected:
  LocalObject() = default;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::stub {

/// The members of IDL::traits of every local interface.
template <typename T>
struct local_interface_traits {
  using value_type = CORBA::object_reference<T>;
  using ref_type = CORBA::object_reference<T>;
  using weak_ref_type = CORBA::weak_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using base_type = T;
  using is_local = std::true_type;
  using is_abstract = std::false_type;

  [[nodiscard]] static constexpr std::string_view repository_id() noexcept { return T::_type_id; }

  template <typename Formatter = IDL::formatter<value_type, char>>
  [[nodiscard]] static IDL::written<value_type, Formatter> write(const value_type& value) noexcept {
    return {value};
  }

  /// The same object as a T, or nil if it is not a T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::object_reference<U>& object) {
    return ref_type(perigee::dynamic_counted_cast<T>(object._shared()));
  }
};

}  // namespace perigee::stub
