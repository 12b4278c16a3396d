// Abstract interfaces in the C++11 mapping: CORBA::AbstractBase, and references that hold either an
// object reference or a value. Included by generated client headers that use abstract interfaces.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>
#include <perigee/orb/value.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

template <typename T>
class weak_abstract_reference;

/// A counted reference to an abstract interface: an object of a derived interface, or a value of a
/// valuetype that supports the abstract interface. `operator->` calls the object or the value. A
/// null reference is nil: `operator->` raises INV_OBJREF. Several threads may use copies, but not
/// the same abstract_reference.
///
/// References to derived interfaces, and to valuetypes that support T, convert to this class.
/// Source: CORBA 3.0, chapter 6 "Abstract Interface Semantics".
template <typename T>
class abstract_reference {
 public:
  using element_type = T;

  abstract_reference() noexcept = default;
  abstract_reference(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit abstract_reference(perigee::counted_ptr<T> held) noexcept : held_(std::move(held)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  abstract_reference(  // NOLINT(google-explicit-constructor)
      const abstract_reference<U>& other) noexcept
      : held_(other._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  abstract_reference(  // NOLINT(google-explicit-constructor)
      const object_reference<U>& object) noexcept
      : held_(object._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  abstract_reference(  // NOLINT(google-explicit-constructor)
      const valuetype_reference<U>& value) noexcept
      : held_(value._shared()) {}
  /// Refers to a servant that is also a value of a valuetype that supports T.
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  abstract_reference(  // NOLINT(google-explicit-constructor)
      const servant_reference<U>& servant) noexcept
      : held_(servant._shared()) {}

  [[nodiscard]] T* operator->() const {
    if (!held_) _raise_nil_reference();
    return held_.get();
  }
  [[nodiscard]] T& operator*() const { return *operator->(); }
  [[nodiscard]] T* get() const noexcept { return held_.get(); }
  explicit operator bool() const noexcept { return held_ != nullptr; }
  void reset() noexcept { held_.reset(); }
  void swap(abstract_reference& other) noexcept { held_.swap(other.held_); }
  friend void swap(abstract_reference& a, abstract_reference& b) noexcept { a.swap(b); }
  [[nodiscard]] weak_abstract_reference<T> weak_reference() const noexcept {
    return weak_abstract_reference<T>(*this);
  }

  /// The object reference, or nil if a value is held. Sends no request.
  [[nodiscard]] object_reference<Object> _to_object() const noexcept {
    return object_reference<Object>(perigee::dynamic_counted_cast<Object>(held_));
  }
  /// The value, or null if an object reference is held.
  [[nodiscard]] valuetype_reference<ValueBase> _to_value() const noexcept {
    return valuetype_reference<ValueBase>(perigee::dynamic_counted_cast<ValueBase>(held_));
  }

  [[nodiscard]] const perigee::counted_ptr<T>& _shared() const noexcept { return held_; }

  /// Whether both refer to the same stub or value. To compare objects, use `_is_equivalent` of
  /// `_to_object()`.
  template <typename U>
  friend bool operator==(const abstract_reference& a, const abstract_reference<U>& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const abstract_reference& a, std::nullptr_t) noexcept { return !a.held_; }

 private:
  perigee::counted_ptr<T> held_;
};

/// Does not keep the stub or value alive. `lock()` returns nil if it no longer exists.
template <typename T>
class weak_abstract_reference {
 public:
  weak_abstract_reference() noexcept = default;
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_abstract_reference(  // NOLINT(google-explicit-constructor)
      const abstract_reference<U>& strong) noexcept
      : held_(strong._shared()) {}
  [[nodiscard]] abstract_reference<T> lock() const noexcept {
    return abstract_reference<T>(held_.lock());
  }
  [[nodiscard]] bool expired() const noexcept { return held_.expired(); }
  void reset() noexcept { held_.reset(); }
  void swap(weak_abstract_reference& other) noexcept { held_.swap(other.held_); }
  friend void swap(weak_abstract_reference& a, weak_abstract_reference& b) noexcept { a.swap(b); }

 private:
  perigee::weak_counted_ptr<T> held_;
};

/// Base class of all abstract interfaces. In IDL, its name is `CORBA::AbstractBase`. The stub of a
/// derived interface is also an Object. A value of a valuetype that supports an abstract interface
/// is also a ValueBase.
class PERIGEE_API AbstractBase {
 public:
  using _ref_type = abstract_reference<AbstractBase>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/AbstractBase:1.0";

  virtual ~AbstractBase();
  AbstractBase& operator=(const AbstractBase&) = delete;

  /// A reference to this object. Nil if this is a value. Sends no request. Any thread.
  [[nodiscard]] object_reference<Object> _to_object();
  /// A reference to this value. Null if this is an object. Any thread.
  [[nodiscard]] valuetype_reference<ValueBase> _to_value() noexcept;

 protected:
  AbstractBase() noexcept;
  AbstractBase(const AbstractBase& other) noexcept;
};

/// The text of the object or of the value, or "nil".
[[nodiscard]] PERIGEE_API std::string _text_of_abstract(const AbstractBase* held);
template <typename T>
std::string _text_of(const abstract_reference<T>& reference) {
  return _text_of_abstract(reference.get());
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::abstract {

/// The object behind a stub of an abstract interface. Raises INV_OBJREF for a value.
[[nodiscard]] PERIGEE_API const CORBA::Object& target_of(const CORBA::AbstractBase& held);

/// The stub of an object that is known only by an abstract interface.
template <typename T>
class Stub final : public virtual T, public virtual CORBA::Object {
 public:
  explicit Stub(counted_ptr<orb::Reference> target) noexcept : CORBA::Object(std::move(target)) {}
};

template <typename T>
CORBA::abstract_reference<T> make_stub(counted_ptr<orb::Reference> target) {
  return CORBA::abstract_reference<T>(counted_ptr<T>(make_counted<Stub<T>>(std::move(target))));
}

/// The members of IDL::traits of every abstract interface.
template <typename T>
struct interface_traits : stub::output_traits<CORBA::abstract_reference<T>> {
  using value_type = CORBA::abstract_reference<T>;
  using ref_type = CORBA::abstract_reference<T>;
  using weak_ref_type = CORBA::weak_abstract_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using base_type = T;
  using is_local = std::false_type;
  using is_abstract = std::true_type;

  [[nodiscard]] static constexpr std::string_view repository_id() noexcept { return T::_type_id; }

  /// The same object as a T, or nil if it does not support T. May ask the object (`_is_a`).
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::object_reference<U>& object) {
    if (!object) return nullptr;
    if (auto same = dynamic_counted_cast<T>(object._shared())) return ref_type(std::move(same));
    if (!object->_reference() || !stub::supports(*object, T::_type_id)) return nullptr;
    return unchecked_narrow(object);
  }
  /// The same value as a T, or nil if its valuetype does not support T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::valuetype_reference<U>& value) {
    return ref_type(dynamic_counted_cast<T>(value._shared()));
  }
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::abstract_reference<U>& held) {
    if (auto same = dynamic_counted_cast<T>(held._shared())) return ref_type(std::move(same));
    return narrow(held._to_object());
  }
  [[nodiscard]] static ref_type narrow(std::nullptr_t) noexcept { return nullptr; }
  /// The same object as a T, without a check. The caller must know that it supports T.
  template <typename U>
  [[nodiscard]] static ref_type unchecked_narrow(const CORBA::object_reference<U>& object) {
    return object ? make_stub<T>(object->_reference()) : nullptr;
  }
};

/// An object reference or a value. Both members are null for a nil reference.
struct Decoded {
  counted_ptr<orb::Reference> object;
  counted_ptr<CORBA::ValueBase> value;
};

/// Encodes an object reference or a value. If `held` is null, encodes a nil reference. A local
/// object fails the encoder. Source: CORBA 3.0, 15.3.7 "Abstract Interfaces".
PERIGEE_API void encode(cdr::Encoder& encoder, const CORBA::AbstractBase* held);
/// Errors: those of object references, and those of values. `bad_value` if the class of the value
/// does not support the expected interface.
PERIGEE_API Decoded decode(cdr::Decoder& decoder, const value::Expected& expected);

}  // namespace perigee::abstract

namespace CORBA {
inline namespace perigee_v1 {

template <typename T>
perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                  const abstract_reference<T>& reference) {
  perigee::abstract::encode(encoder, reference.get());
  return encoder;
}
template <typename T>
perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder,
                                  abstract_reference<T>& reference) {
  auto decoded = perigee::abstract::decode(decoder, perigee::value::expected_of<T>);
  if (decoded.object)
    reference = perigee::abstract::make_stub<T>(std::move(decoded.object));
  else
    reference = abstract_reference<T>(perigee::dynamic_counted_cast<T>(decoded.value));
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA

template <typename T>
struct perigee::stub::is_written<CORBA::abstract_reference<T>> : std::true_type {};

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::AbstractBase> : perigee::abstract::interface_traits<CORBA::AbstractBase> {};
}  // namespace perigee_v1
}  // namespace IDL

/// Hashes the identity of the stub or value, like ==.
template <typename T>
struct std::hash<CORBA::abstract_reference<T>> {
  std::size_t operator()(const CORBA::abstract_reference<T>& reference) const noexcept {
    return std::hash<const void*>()(reference.get());
  }
};
