// Valuetypes in the C++11 mapping: CORBA::ValueBase, references to values, value factories.
// Included by generated client headers that use valuetypes.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace perigee::cdr {
class Encoder;
class Decoder;
}  // namespace perigee::cdr

namespace perigee::value {

class Copying;

/// The facts of a valuetype that are sent with its values: a constant in generated code.
struct Description {
  std::string_view id;
  /// The concrete base that receivers may truncate the value to; null if there is none.
  const Description* truncatable_base = nullptr;
  /// Whether the program writes the state itself. Then the state is always divided into chunks.
  bool is_custom = false;
};

}  // namespace perigee::value

namespace CORBA {
inline namespace perigee_v1 {

class ValueBase;
template <typename T>
class servant_reference;
template <typename T>
class weak_valuetype_reference;

/// A counted reference to a value. Null is the null value; using it raises INV_OBJREF. Several
/// threads may use copies, but not the same valuetype_reference. Values have no locks of their own.
///
/// The counts do not detect cycles. Values that refer to each other in a cycle exist until the
/// program breaks the cycle, for example by setting one of the members to null.
template <typename T>
class valuetype_reference {
 public:
  using element_type = T;
  using value_type = T;

  valuetype_reference() noexcept = default;
  valuetype_reference(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit valuetype_reference(perigee::counted_ptr<T> value) noexcept : value_(std::move(value)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  valuetype_reference(  // NOLINT(google-explicit-constructor)
      const valuetype_reference<U>& other) noexcept
      : value_(other._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  valuetype_reference(  // NOLINT(google-explicit-constructor)
      valuetype_reference<U>&& other) noexcept
      : value_(std::move(other)._shared()) {}
  /// A servant that is also a value, because its valuetype supports the servant's interface.
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  valuetype_reference(  // NOLINT(google-explicit-constructor)
      const servant_reference<U>& servant) noexcept
      : value_(servant._shared()) {}

  [[nodiscard]] T* operator->() const {
    if (!value_) _raise_nil_reference();
    return value_.get();
  }
  [[nodiscard]] T& operator*() const { return *operator->(); }
  [[nodiscard]] T* get() const noexcept { return value_.get(); }
  explicit operator bool() const noexcept { return value_ != nullptr; }
  void reset() noexcept { value_.reset(); }
  void swap(valuetype_reference& other) noexcept { value_.swap(other.value_); }
  friend void swap(valuetype_reference& a, valuetype_reference& b) noexcept { a.swap(b); }
  [[nodiscard]] weak_valuetype_reference<T> weak_reference() const noexcept {
    return weak_valuetype_reference<T>(*this);
  }

  [[nodiscard]] const perigee::counted_ptr<T>& _shared() const& noexcept { return value_; }
  [[nodiscard]] perigee::counted_ptr<T> _shared() && noexcept { return std::move(value_); }

  /// Whether both refer to the same value. The state is not compared.
  template <typename U>
  friend bool operator==(const valuetype_reference& a, const valuetype_reference<U>& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const valuetype_reference& a, std::nullptr_t) noexcept {
    return !a.value_;
  }

 private:
  perigee::counted_ptr<T> value_;
};

/// Does not keep the value alive. `lock()` returns null if the value no longer exists.
template <typename T>
class weak_valuetype_reference {
 public:
  weak_valuetype_reference() noexcept = default;
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_valuetype_reference(  // NOLINT(google-explicit-constructor)
      const valuetype_reference<U>& strong) noexcept
      : value_(strong._shared()) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_valuetype_reference(  // NOLINT(google-explicit-constructor)
      const weak_valuetype_reference<U>& other) noexcept
      : value_(other._shared()) {}
  [[nodiscard]] valuetype_reference<T> lock() const noexcept {
    return valuetype_reference<T>(value_.lock());
  }
  [[nodiscard]] bool expired() const noexcept { return value_.expired(); }
  void reset() noexcept { value_.reset(); }
  void swap(weak_valuetype_reference& other) noexcept { value_.swap(other.value_); }
  friend void swap(weak_valuetype_reference& a, weak_valuetype_reference& b) noexcept { a.swap(b); }
  [[nodiscard]] const perigee::weak_counted_ptr<T>& _shared() const noexcept { return value_; }

 private:
  perigee::weak_counted_ptr<T> value_;
};

/// Base of all values. `CORBA::make_reference` makes values.
///
/// Source: CORBA 3.0, 4.4 "ValueBase Operations"; OMG IDL to C++11 mapping, 6.18 "Valuetypes".
class PERIGEE_API ValueBase : public virtual perigee::counted_from_this {
 public:
  using _ref_type = valuetype_reference<ValueBase>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/ValueBase:1.0";
  /// The last references to many values may be released at once, for example in a long list. Then
  /// the destructors do not run inside each other.
  using _destroyed_in_turn = void;

  virtual ~ValueBase();
  ValueBase& operator=(const ValueBase&) = delete;

  /// A deep copy: a new value of the same class, and new values of all values that it refers to.
  /// The copies share values, and form cycles, like the originals. References to objects are copied
  /// as references. Values inside a struct, union, sequence or array in an any are copied only if
  /// the any was received and they form no cycle. Otherwise the copy shares them.
  ///
  /// No thread may change the values meanwhile. Raises NO_IMPLEMENT if the class of one of the
  /// values does not override `_shallow_copy`. Source: CORBA 3.0, 4.4.1.
  [[nodiscard]] virtual valuetype_reference<ValueBase> _copy_value() const;
  /// A new value of the same class with the same state, whose references still lead to the original
  /// values. Generated classes without operations override this function. A class of the program
  /// overrides it with `return CORBA::make_reference<PurseValue>(*this);`. Null: values of this
  /// class cannot be copied.
  [[nodiscard]] virtual valuetype_reference<ValueBase> _shallow_copy() const;

  /// A reference to this value. Null if `make_reference` has not finished the value, or if it is
  /// being destroyed.
  [[nodiscard]] valuetype_reference<ValueBase> _this_value() noexcept {
    return valuetype_reference<ValueBase>(counted(*this));
  }

  /// @name For generated code.
  /// @{
  [[nodiscard]] virtual const perigee::value::Description& _description() const noexcept = 0;
  /// Writes the state, without the tag and the repository ids in front of it. May fail the encoder.
  virtual void _marshal(perigee::cdr::Encoder& encoder) const = 0;
  /// Reads the state. If the decoder fails, or has failed before, all references of the state to
  /// other values are null afterwards.
  virtual void _unmarshal(perigee::cdr::Decoder& decoder) = 0;
  /// Replaces the references of the state to other values by references to their copies.
  virtual void _copy_references(perigee::value::Copying& copying);
  /// @}

 protected:
  ValueBase() noexcept;
  ValueBase(const ValueBase& other) noexcept;
};

/// A counted reference to a value factory.
template <typename T>
using valuefactory_reference = object_reference<T>;

/// Base of all value factories. An ORB that receives a value asks the factory that was registered
/// for the value's type. `CORBA::make_reference` makes factories.
///
/// The ORB may call a factory on several threads at once.
class PERIGEE_API ValueFactoryBase : public virtual perigee::counted_from_this {
 public:
  using _ref_type = valuefactory_reference<ValueFactoryBase>;

  virtual ~ValueFactoryBase();
  ValueFactoryBase(const ValueFactoryBase&) = delete;
  ValueFactoryBase& operator=(const ValueFactoryBase&) = delete;

  /// A new value, whose state the ORB then reads. Null: the message is refused with MARSHAL.
  virtual valuetype_reference<ValueBase> create_for_unmarshal() = 0;

  /// The repository id of the valuetype that the factory makes. Generated classes override this
  /// function. Without that, the id is empty.
  [[nodiscard]] virtual std::string _obv_repository_id() const;
  /// Whether both are the same factory.
  [[nodiscard]] bool _is_equivalent(
      const valuefactory_reference<ValueFactoryBase>& other) const noexcept {
    return other.get() == this;
  }

 protected:
  ValueFactoryBase() noexcept;
};
using ValueFactory = valuefactory_reference<ValueFactoryBase>;

/// Another name of IDL::traits, for programs that were written for TAOX11.
template <typename T>
using valuetype_traits = IDL::traits<T>;

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::value {

struct Expected;

/// The casts between the class T of a valuetype and ValueBase. The generated source of the IDL file
/// that defines the valuetype instantiates them. The generated header of an IDL file that only
/// declares the valuetype has an `extern template`, so this file can marshal references to the
/// valuetype.
template <typename T>
struct Casts {
  static const CORBA::ValueBase* base_of(const T* value) noexcept;
  static counted_ptr<CORBA::ValueBase> base_of(const counted_ptr<T>& value) noexcept;
  static counted_ptr<T> derived(const counted_ptr<CORBA::ValueBase>& value) noexcept;
  static const Expected& expected() noexcept;
};

}  // namespace perigee::value

namespace CORBA {
inline namespace perigee_v1 {

/// The text of a value: only its repository id, unlike the text "Stock::Quote{…}" of a struct.
[[nodiscard]] PERIGEE_API std::string _text_of_value(const ValueBase* value);
template <typename T>
std::string _text_of(const valuetype_reference<T>& value) {
  return _text_of_value(perigee::value::Casts<T>::base_of(value.get()));
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::value {

/// The members of IDL::traits of every valuetype and boxed value.
template <typename T>
struct value_traits : stub::output_traits<CORBA::valuetype_reference<T>> {
  using value_type = CORBA::valuetype_reference<T>;
  using ref_type = CORBA::valuetype_reference<T>;
  using weak_ref_type = CORBA::weak_valuetype_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using base_type = T;

  [[nodiscard]] static constexpr std::string_view repository_id() noexcept { return T::_type_id; }

  /// The same value as a T, or null if it is not a T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::valuetype_reference<U>& value) {
    return ref_type(dynamic_counted_cast<T>(value._shared()));
  }
  /// Null if an object reference is held.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::abstract_reference<U>& held) {
    return ref_type(dynamic_counted_cast<T>(held._shared()));
  }
  [[nodiscard]] static ref_type narrow(std::nullptr_t) noexcept { return nullptr; }

  /// Makes a value of class `Implementation`, which is a T.
  template <typename Implementation = T, typename... Arguments>
    requires std::is_base_of_v<T, Implementation>
  [[nodiscard]] static ref_type make_reference(Arguments&&... arguments) {
    return ref_type(make_counted<Implementation>(std::forward<Arguments>(arguments)...));
  }
};

/// The members of IDL::traits of every class of value factories.
template <typename T>
struct factory_traits {
  using value_type = CORBA::valuefactory_reference<T>;
  using ref_type = CORBA::valuefactory_reference<T>;
  using weak_ref_type = CORBA::weak_reference<T>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;
  using base_type = T;
  using is_local = std::true_type;
  using is_abstract = std::false_type;

  /// The same factory as a T, or nil if it is not a T.
  template <typename U>
  [[nodiscard]] static ref_type narrow(const CORBA::valuefactory_reference<U>& factory) {
    return ref_type(dynamic_counted_cast<T>(factory._shared()));
  }
  [[nodiscard]] static ref_type narrow(std::nullptr_t) noexcept { return nullptr; }
};

/// The data about the declared type of a value that a decoder needs.
struct Expected {
  std::string_view id;
  bool (*accepts)(const CORBA::ValueBase& value);
  /// Makes a value of the type `id` if no factory is registered: a boxed value, or a value in an
  /// any. Null for other types.
  counted_ptr<CORBA::ValueBase> (*make)(const Expected& expected);
  const void* context = nullptr;  ///< for `make`
};

template <typename T>
bool is_a([[maybe_unused]] const CORBA::ValueBase& value) {
  if constexpr (std::is_base_of_v<T, CORBA::ValueBase>)
    return true;
  else
    return dynamic_cast<const T*>(&value) != nullptr;
}
template <typename T>
counted_ptr<CORBA::ValueBase> make(const Expected& /*expected*/) {
  return make_counted<T>();
}
template <typename T>
constexpr Expected expected() noexcept {
  if constexpr (requires { typename T::_boxed_type; })
    return {T::_type_id, &is_a<T>, &make<T>};
  else
    return {T::_type_id, &is_a<T>, nullptr};
}
template <typename T>
inline constexpr Expected expected_of = expected<T>();

template <typename T>
const CORBA::ValueBase* Casts<T>::base_of(const T* value) noexcept {
  return value;
}
template <typename T>
counted_ptr<CORBA::ValueBase> Casts<T>::base_of(const counted_ptr<T>& value) noexcept {
  return value;
}
template <typename T>
counted_ptr<T> Casts<T>::derived(const counted_ptr<CORBA::ValueBase>& value) noexcept {
  return dynamic_counted_cast<T>(value);
}
template <typename T>
const Expected& Casts<T>::expected() noexcept {
  return expected_of<T>;
}

/// Encodes a value, or null. A value that the message has already is encoded as an indirection.
PERIGEE_API void encode(cdr::Encoder& encoder, const CORBA::ValueBase* value);
/// Decodes a value of the expected type, or null. Errors: `no_value_factory`; `bad_value` (also if
/// the value is of another type). Raises the exceptions of the factory.
PERIGEE_API counted_ptr<CORBA::ValueBase> decode(cdr::Decoder& decoder, const Expected& expected);

}  // namespace perigee::value

namespace CORBA {
inline namespace perigee_v1 {

template <typename T>
perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                  const valuetype_reference<T>& value) {
  perigee::value::encode(encoder, perigee::value::Casts<T>::base_of(value.get()));
  return encoder;
}
template <typename T>
perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, valuetype_reference<T>& value) {
  using Casts = perigee::value::Casts<T>;
  value =
      valuetype_reference<T>(Casts::derived(perigee::value::decode(decoder, Casts::expected())));
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA

template <typename T>
struct perigee::stub::is_written<CORBA::valuetype_reference<T>> : std::true_type {};

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::ValueBase> : perigee::value::value_traits<CORBA::ValueBase> {};
template <>
struct traits<CORBA::ValueFactoryBase> : perigee::value::factory_traits<CORBA::ValueFactoryBase> {};

/// Classes of the program that implement valuetypes or value factories.
template <typename T>
  requires(requires { sizeof(T); } && std::is_base_of_v<CORBA::ValueBase, T>)
struct traits<T> : perigee::value::value_traits<T> {};
template <typename T>
  requires(requires { sizeof(T); } && std::is_base_of_v<CORBA::ValueFactoryBase, T>)
struct traits<T> : perigee::value::factory_traits<T> {};
}  // namespace perigee_v1
}  // namespace IDL

/// Hashes the identity of the value, like ==.
template <typename T>
struct std::hash<CORBA::valuetype_reference<T>> {
  std::size_t operator()(const CORBA::valuetype_reference<T>& value) const noexcept {
    return std::hash<const void*>()(value.get());
  }
};
