// The base of local interfaces, and their IDL::traits. Narrowing is a cast, without a request.
#pragma once

#include <perigee/orb/object.h>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

/// Base of local interfaces. Applications implement them in C++ classes, derived from
/// `IDL::traits<L>::base_type`, and make objects by `CORBA::make_reference`. Their references
/// cannot be marshalled: MARSHAL, OMG minor 4.
class LocalObject : public virtual Object, public virtual perigee::counted_from_this {
 public:
  using _ref_type = object_reference<LocalObject>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/LocalObject:1.0";

  /// A reference to this object; nil in its constructor and destructor. TAOX11 has the same
  /// function.
  [[nodiscard]] _ref_type _lock() noexcept { return _ref_type(counted(*this)); }

 protected:
  LocalObject() = default;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::stub {

/// The members of IDL::traits of every local interface.
template <typename T>
struct local_interface_traits : output_traits<CORBA::object_reference<T>> {
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

  /// The same object as a T, or nil if it is not a T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::object_reference<U>& object) {
    return ref_type(perigee::dynamic_counted_cast<T>(object._shared()));
  }
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::abstract_reference<U>& held) {
    return ref_type(perigee::dynamic_counted_cast<T>(held._shared()));
  }
  [[nodiscard]] static ref_type narrow(std::nullptr_t) noexcept { return nullptr; }

  /// Makes an object of a class that implements T.
  template <typename Implementation, typename... Arguments>
    requires std::is_base_of_v<T, Implementation>
  [[nodiscard]] static ref_type make_reference(Arguments&&... arguments) {
    return ref_type(perigee::make_counted<Implementation>(std::forward<Arguments>(arguments)...));
  }
};

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::LocalObject> : perigee::stub::local_interface_traits<CORBA::LocalObject> {};

/// Classes of the program that implement local interfaces.
template <typename T>
  requires(requires { sizeof(T); } && std::is_base_of_v<CORBA::LocalObject, T>)
struct traits<T> : perigee::stub::local_interface_traits<T> {};
}  // namespace perigee_v1
}  // namespace IDL
