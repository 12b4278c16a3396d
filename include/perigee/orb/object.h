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

/// How a type is written to a stream; defined in <perigee/orb/write.h>, to be specialised by users.
template <typename T, typename Char = char>
struct formatter;

/// `os << IDL::traits<T>::write<Formatter>(value)`: only for use in that expression.
template <typename T, typename Formatter>
struct written {
  const T& value;
};
}  // namespace perigee_v1
}  // namespace IDL

namespace CORBA {
inline namespace perigee_v1 {

class Object;
class Policy;
using PolicyType = std::uint32_t;
/// Whether policies come beside those that are set, or in their place.
enum class SetOverrideType : std::uint32_t { SET_OVERRIDE, ADD_OVERRIDE };
template <typename T>
class weak_reference;

[[noreturn]] PERIGEE_API void _raise_nil_reference();

/// A counted reference to an interface's stub (or to a local object). Null is the nil reference;
/// using it raises INV_OBJREF. Copies may be used by several threads, one object_reference may not.
/// Stubs are owned by all their references, none of which is the last by design.
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

/// Does not keep the stub alive. `lock()` gives nil once it is gone.
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
  [[nodiscard]] const perigee::weak_counted_ptr<T>& _shared() const noexcept { return object_; }

 private:
  perigee::weak_counted_ptr<T> object_;
};

/// Base of all stubs and of local objects.
///
/// A stub shares its Reference with the stubs it was narrowed from. Any thread.
class PERIGEE_API Object {
 public:
  using _ref_type = object_reference<Object>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Object:1.0";

  /// A stub on a reference. For generated code and the ORB.
  explicit Object(perigee::counted_ptr<perigee::orb::Reference> reference) noexcept;
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// Asks the object, unless the answer is known here.
  virtual bool _is_a(const std::string& repository_id) const;
  virtual bool _non_existent() const;
  /// Whether both certainly denote one object: compares references, never asks.
  [[nodiscard]] virtual bool _is_equivalent(const object_reference<Object>& other) const;
  /// The same for equivalent references, below `maximum`+1.
  [[nodiscard]] virtual std::uint32_t _hash(std::uint32_t maximum) const;
  /// The most derived interface's repository id, as the object itself says.
  virtual std::string _repository_id() const;

  /// @name Policies of calls through this reference (docs/policies.md; <perigee/orb/policy.h>).
  /// Local objects raise NO_IMPLEMENT, OMG minor 8. Source: CORBA 3.0, 4.3.8.
  /// @{
  /// A new reference to the same object, with these policies besides or in place of this one's.
  /// This one stays as it is. Raises InvalidPolicies, and BAD_PARAM (OMG minor 30).
  [[nodiscard]] object_reference<Object> _set_policy_overrides(
      const std::vector<object_reference<Policy>>& policies, SetOverrideType set_add) const;
  /// What was set for this reference, of these types; all of it if `types` is empty.
  [[nodiscard]] std::vector<object_reference<Policy>> _get_policy_overrides(
      const std::vector<PolicyType>& types) const;
  /// What a call by this thread would obey: the reference's policy, else the thread's, else the
  /// ORB's; nil if there is none. Raises INV_POLICY (OMG minor 2) for what is no client's policy.
  [[nodiscard]] object_reference<Policy> _get_client_policy(PolicyType type) const;
  /// The same: servers publish nothing that the policies that there are would depend on.
  [[nodiscard]] object_reference<Policy> _get_policy(PolicyType type) const;
  /// Connects, and asks the object whether it is there: what a call would raise is raised here.
  /// True, with an empty list: no policy is inconsistent with the server's.
  bool _validate_connection(std::vector<object_reference<Policy>>& inconsistent_policies) const;
  /// @}

  /// For the ORB and generated code: null for local objects.
  [[nodiscard]] const perigee::counted_ptr<perigee::orb::Reference>& _reference() const noexcept {
    return reference_;
  }

 protected:
  /// A local object, or a base of a stub whose most derived class has the reference.
  Object() noexcept;
  /// Whether this C++ object already implements the interface (each stub knows its own bases).
  [[nodiscard]] virtual bool _implements(std::string_view repository_id) const noexcept;

 private:
  perigee::counted_ptr<perigee::orb::Reference> reference_;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::stub {

/// Whether `object` supports the interface: by what it is, by its reference's type id, else asked.
PERIGEE_API bool supports(const CORBA::Object& object, std::string_view repository_id);

/// What IDL::traits of every interface has.
template <typename T>
struct interface_traits {
  using value_type = CORBA::object_reference<T>;
  using ref_type = CORBA::object_reference<T>;
  using weak_ref_type = CORBA::weak_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using is_local = std::false_type;
  using is_abstract = std::false_type;

  [[nodiscard]] static constexpr std::string_view repository_id() noexcept { return T::_type_id; }

  template <typename Formatter = IDL::formatter<value_type, char>>
  [[nodiscard]] static IDL::written<value_type, Formatter> write(const value_type& value) noexcept {
    return {value};
  }

  /// The same object as a T, or nil if it does not support T. May ask the object (`_is_a`).
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::object_reference<U>& object) {
    if (!object) return nullptr;
    if (auto same = perigee::dynamic_counted_cast<T>(object._shared()))
      return ref_type(std::move(same));
    if (!object->_reference() || !supports(*object, T::_type_id)) return nullptr;
    return unchecked_narrow(object);
  }
  /// The same object as a T, without asking: for callers who know.
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

/// By identity of the stub, like ==.
template <typename T>
struct std::hash<CORBA::object_reference<T>> {
  std::size_t operator()(const CORBA::object_reference<T>& object) const noexcept {
    return std::hash<const void*>()(object.get());
  }
};
