// CORBA::Object and references to objects in the C++11 mapping. Needs no ORB header to compile.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perigee::orb {
class Reference;  // IOR, binding and policies behind an object reference; private to the ORB
}

namespace IDL {
inline namespace perigee_v1 {
/// Types and functions of an IDL type: specialised in the library and by generated code.
template <typename T>
struct traits;

/// Writes a type to a stream. Defined in <perigee/orb/write.h>. Programs may specialise it, for
/// `char` or, as programs for TAOX11 do, for all streams: `formatter<T, Stream>`.
template <typename T, typename Char = char>
struct formatter;

/// `os << IDL::traits<T>::write<Formatter>(value)`: use it only in this expression.
template <typename T, typename Formatter>
struct written {
  const T& value;
};
}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::output {
/// Calls `formatter(os, value)` if the formatter has this operator, else `formatter.write(…)`.
template <typename Formatter, typename Stream, typename T>
void apply(Formatter& formatter, Stream& os, const T& value) {
  if constexpr (requires { formatter(os, value); })
    formatter(os, value);
  else
    formatter.write(os, value);
}

/// Writes by the formatter of the type. Defined in <perigee/orb/write.h>.
template <typename T>
struct formatter_of;
}  // namespace perigee::output

/// For source that was written for TAOX11 and specialises IDL::formatter inside TAOX11_NAMESPACE:
/// define this macro as `perigee::taox11`. A specialisation of this template counts as one of
/// IDL::formatter.
namespace perigee::taox11::IDL {
template <typename T, typename Stream>
struct formatter;
using ::IDL::traits;
}  // namespace perigee::taox11::IDL

namespace CORBA {
class InterfaceDef;  // <perigee/repository.h>

inline namespace perigee_v1 {

/// Another name of IDL::traits, for programs that were written for TAOX11.
template <typename T>
using object_traits = IDL::traits<T>;

class ORB;
class Object;
class Policy;
class Request;  // <perigee/dynamic/request.h>
using PolicyType = std::uint32_t;
/// Whether new policies are added to the present policies, or replace all of them.
enum class SetOverrideType : std::uint32_t { SET_OVERRIDE, ADD_OVERRIDE };
template <typename T>
class weak_reference;
template <typename T>
class abstract_reference;

[[noreturn]] PERIGEE_API void _raise_nil_reference();

/// A counted reference to an interface's stub (or to a local object). Null is the nil reference;
/// using it raises INV_OBJREF. Several threads may use copies, but not the same object_reference.
/// All references to a stub share its ownership.
template <typename T>
class object_reference {
 public:
  using element_type = T;

  object_reference() noexcept = default;
  object_reference(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit object_reference(perigee::counted_ptr<T> object) noexcept : object_(std::move(object)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  object_reference(  // NOLINT(google-explicit-constructor)
      const object_reference<U>& other) noexcept
      : object_(other._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  object_reference(object_reference<U>&& other) noexcept  // NOLINT(google-explicit-constructor)
      : object_(std::move(other)._shared()) {}

  [[nodiscard]] T* operator->() const {
    if (!object_) _raise_nil_reference();
    return object_.get();
  }
  [[nodiscard]] T& operator*() const { return *operator->(); }
  [[nodiscard]] T* get() const noexcept { return object_.get(); }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { object_.reset(); }
  void swap(object_reference& other) noexcept { object_.swap(other.object_); }
  friend void swap(object_reference& a, object_reference& b) noexcept { a.swap(b); }
  [[nodiscard]] CORBA::weak_reference<T> weak_reference() const noexcept {
    return CORBA::weak_reference<T>(*this);
  }

  [[nodiscard]] const perigee::counted_ptr<T>& _shared() const& noexcept { return object_; }
  [[nodiscard]] perigee::counted_ptr<T> _shared() && noexcept { return std::move(object_); }

  template <typename U>
  friend bool operator==(const object_reference& a, const object_reference<U>& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const object_reference& a, std::nullptr_t) noexcept { return !a.object_; }

 private:
  perigee::counted_ptr<T> object_;
};

/// Does not keep the stub alive. `lock()` returns nil if the stub no longer exists.
template <typename T>
class weak_reference {
 public:
  weak_reference() noexcept = default;
  weak_reference(const object_reference<T>& strong) noexcept  // NOLINT(google-explicit-constructor)
      : object_(strong._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_reference(  // NOLINT(google-explicit-constructor)
      const object_reference<U>& strong) noexcept
      : object_(strong._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_reference(  // NOLINT(google-explicit-constructor)
      const weak_reference<U>& other) noexcept
      : object_(other._shared()) {}
  [[nodiscard]] object_reference<T> lock() const noexcept {
    return object_reference<T>(object_.lock());
  }
  [[nodiscard]] bool expired() const noexcept { return object_.expired(); }
  void reset() noexcept { object_.reset(); }
  void swap(weak_reference& other) noexcept { object_.swap(other.object_); }
  friend void swap(weak_reference& a, weak_reference& b) noexcept { a.swap(b); }
  friend bool operator==(const weak_reference& a, std::nullptr_t) noexcept { return a.expired(); }
  [[nodiscard]] const perigee::weak_counted_ptr<T>& _shared() const noexcept { return object_; }

 private:
  perigee::weak_counted_ptr<T> object_;
};

/// Another name of weak_reference, for programs that were written for TAOX11.
template <typename T>
using weak_object_reference = weak_reference<T>;

/// Base of all stubs and of local objects.
///
/// A stub shares its Reference with the stubs from which it was narrowed. Any thread.
class PERIGEE_API Object {
 public:
  using _ref_type = object_reference<Object>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Object:1.0";

  /// Makes a stub of a reference. For generated code and the ORB.
  explicit Object(perigee::counted_ptr<perigee::orb::Reference> reference) noexcept;
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// Sends a request to the object, unless the answer is known locally.
  virtual bool _is_a(const std::string& repository_id) const;
  virtual bool _non_existent() const;
  /// Whether both references certainly denote the same object. Compares the references, and sends
  /// no request.
  [[nodiscard]] virtual bool _is_equivalent(const object_reference<Object>& other) const;
  /// The same number for equivalent references, from 0 to `maximum`.
  [[nodiscard]] virtual std::uint32_t _hash(std::uint32_t maximum) const;
  /// The repository id of the most derived interface. Asks the object.
  virtual std::string _repository_id() const;
  /// The repository id that the reference has. Sends no request. Gives the id of CORBA::Object if
  /// the reference has none, and for local objects. TAOX11 has this function.
  [[nodiscard]] std::string _interface_repository_id() const;
  /// The component that the object belongs to, or nil. Asks the object. An object whose server does
  /// not know this operation belongs to no component.
  [[nodiscard]] object_reference<Object> _get_component() const;
  /// The definition of the object's interface in an Interface Repository. Asks the object. Include
  /// <perigee/repository.h> to use it (docs/interface_repository.md). Raises INTF_REPOS if the
  /// server has no repository (OMG minor 1), or if the repository does not know the interface (OMG
  /// minor 2). Raises NO_IMPLEMENT (OMG minor 8) for local objects. Source: CORBA 3.0, 4.3.2.
  template <typename Definition = InterfaceDef>
  [[nodiscard]] object_reference<Definition> _get_interface() const {
    return IDL::traits<Definition>::unchecked_narrow(_interface_definition());
  }
  /// The same as an Object, for programs without the stubs of the repository.
  [[nodiscard]] object_reference<Object> _interface_definition() const;
  /// The ORB that made the reference. Include <perigee/orb/orb.h> to use it. Local objects raise
  /// NO_IMPLEMENT, OMG minor 8.
  [[nodiscard]] object_reference<ORB> _get_orb() const;

  /// A dynamic call of the operation: `object->_request("get_quote")`. Include
  /// <perigee/dynamic/request.h> to use it (docs/dynamic.md). See Request::create.
  template <typename Made = Request>
  [[nodiscard]] object_reference<Made> _request(std::string operation) const {
    return Made::create(*this, std::move(operation));
  }

  /// @name Policies of calls through this reference (docs/policies.md; <perigee/orb/policy.h>).
  /// Local objects raise NO_IMPLEMENT, OMG minor 8. Source: CORBA 3.0, 4.3.8.
  /// @{
  /// A new reference to the same object. `set_add` says whether these policies are added to the
  /// present ones or replace them. This reference is unchanged. Raises InvalidPolicies, and
  /// BAD_PARAM (OMG minor 30).
  [[nodiscard]] object_reference<Object> _set_policy_overrides(
      const std::vector<object_reference<Policy>>& policies, SetOverrideType set_add) const;
  /// The policies of these types that were set for this reference; all of them if `types` is empty.
  [[nodiscard]] std::vector<object_reference<Policy>> _get_policy_overrides(
      const std::vector<PolicyType>& types) const;
  /// The policy that a call by this thread would obey: the policy of the reference, else of the
  /// thread, else of the ORB. It is nil if none of them has such a policy. Raises INV_POLICY (OMG
  /// minor 2) for types that are not client policies.
  [[nodiscard]] object_reference<Policy> _get_client_policy(PolicyType type) const;
  /// The same as `_get_client_policy`, since servers publish no policies that would change the
  /// result.
  [[nodiscard]] object_reference<Policy> _get_policy(PolicyType type) const;
  /// Connects, and asks the object whether it exists. Raises the exceptions of a call, and
  /// OBJECT_NOT_EXIST. Returns true and an empty list, since servers publish no policies that could
  /// be inconsistent.
  bool _validate_connection(std::vector<object_reference<Policy>>& inconsistent_policies) const;
  /// @}

  /// The reference; null for local objects. For the ORB and generated code.
  [[nodiscard]] const perigee::counted_ptr<perigee::orb::Reference>& _reference() const noexcept {
    return reference_;
  }

 protected:
  /// For local objects, and for base classes of a stub. The most derived class of a stub sets the
  /// reference.
  Object() noexcept;
  /// Whether this C++ object implements the interface. Each stub knows its own bases.
  [[nodiscard]] virtual bool _implements(std::string_view repository_id) const noexcept;

 private:
  perigee::counted_ptr<perigee::orb::Reference> reference_;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::stub {

/// Whether `object` supports the interface. Looks at its class, then at its reference's type id,
/// and then asks the object.
PERIGEE_API bool supports(const CORBA::Object& object, std::string_view repository_id);

/// The write functions of IDL::traits<T>. To call them, include <perigee/orb/write.h>.
template <typename T>
struct output_traits {
  template <typename Formatter = perigee::output::formatter_of<T>>
  [[nodiscard]] static IDL::written<T, Formatter> write(const T& value) noexcept {
    return {value};
  }
  /// Writes a value, and returns the stream.
  template <typename Stream, typename Formatter = perigee::output::formatter_of<T>>
  static Stream& write_on(Stream& os, const T& value, Formatter formatter = {}) {
    perigee::output::apply(formatter, os, value);
    return os;
  }
};

/// The members of IDL::traits of every interface.
template <typename T>
struct interface_traits : output_traits<CORBA::object_reference<T>> {
  using value_type = CORBA::object_reference<T>;
  using ref_type = CORBA::object_reference<T>;
  using weak_ref_type = CORBA::weak_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::false_type;

  [[nodiscard]] static constexpr std::string_view repository_id() noexcept { return T::_type_id; }

  /// The same object as a T, or nil if it does not support T. May ask the object (`_is_a`).
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::object_reference<U>& object) {
    if (!object) return nullptr;
    if (auto same = perigee::dynamic_counted_cast<T>(object._shared()))
      return ref_type(std::move(same));
    if (!object->_reference() || !supports(*object, T::_type_id)) return nullptr;
    return unchecked_narrow(object);
  }
  /// Nil if a value is held.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::abstract_reference<U>& held) {
    return narrow(held._to_object());
  }
  [[nodiscard]] static ref_type narrow(std::nullptr_t) noexcept { return nullptr; }
  /// The same object as a T, without a check. The caller must know that it supports T.
  template <typename U>
  [[nodiscard]] static ref_type unchecked_narrow(const CORBA::object_reference<U>& object) {
    if (!object) return nullptr;
    return ref_type(perigee::make_counted<T>(object->_reference()));
  }
};

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Object> : perigee::stub::interface_traits<CORBA::Object> {
  static ref_type _stub(perigee::counted_ptr<perigee::orb::Reference> reference) {
    return ref_type(perigee::make_counted<CORBA::Object>(std::move(reference)));
  }
  static const CORBA::Object* _object(const ref_type& object) noexcept { return object.get(); }
};
}  // namespace perigee_v1
}  // namespace IDL

/// Hashes the identity of the stub, like ==.
template <typename T>
struct std::hash<CORBA::object_reference<T>> {
  std::size_t operator()(const CORBA::object_reference<T>& object) const noexcept {
    return std::hash<const void*>()(object.get());
  }
};
