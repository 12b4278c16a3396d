// The module DynamicAny: values of types that the program learns at run time. Include this header;
// the library is libperigee_dynamic. DynAny itself is in dyn_any.h, the factory in
// dyn_any_factory.h.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/typecode.h>
#include <perigee/dynamic/dyn_any.h>
#include <perigee/dynamic/dyn_any_factory.h>
#include <perigee/orb/any.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace DynamicAny {
inline namespace perigee_v1 {

using DynAnyRef = CORBA::object_reference<DynAny>;

/// A decimal number. Source: CORBA 3.0, 9.2.4.
class PERIGEE_API DynFixed : public virtual DynAny {
 public:
  using _ref_type = CORBA::object_reference<DynFixed>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynFixed:1.0";
  ~DynFixed() override;

  /// The number as text, with all digits after the point: "-12.30".
  [[nodiscard]] virtual std::string get_value() = 0;
  /// Reads "-12.3", "7", ".5" or "1.5d", with or without spaces around it. False if digits other
  /// than 0 were cut off after the point. Raises TypeMismatch if the text is not a number, and
  /// InvalidValue if it has too many digits in front of the point.
  virtual bool set_value(const std::string& value) = 0;
};

/// An enumerator. Source: CORBA 3.0, 9.2.5.
class PERIGEE_API DynEnum : public virtual DynAny {
 public:
  using _ref_type = CORBA::object_reference<DynEnum>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynEnum:1.0";
  ~DynEnum() override;

  [[nodiscard]] virtual std::string get_as_string() = 0;
  /// Raises InvalidValue if the enum has no such enumerator.
  virtual void set_as_string(const std::string& value) = 0;
  /// The index of the enumerator, from 0. It is an index even if the enumerators have values.
  [[nodiscard]] virtual std::uint32_t get_as_ulong() = 0;
  /// Raises InvalidValue if no enumerator has this index.
  virtual void set_as_ulong(std::uint32_t value) = 0;
};

using FieldName = std::string;

/// The name and the value of a member. The name may be empty: then only the order counts.
template <typename Value>
class NamedMember {
 public:
  NamedMember() = default;
  NamedMember(FieldName id, Value value) : id_(std::move(id)), value_(std::move(value)) {}
  [[nodiscard]] const FieldName& id() const noexcept { return id_; }
  [[nodiscard]] FieldName& id() noexcept { return id_; }
  void id(FieldName id) noexcept { id_ = std::move(id); }
  [[nodiscard]] const Value& value() const noexcept { return value_; }
  [[nodiscard]] Value& value() noexcept { return value_; }
  void value(Value value) noexcept { value_ = std::move(value); }

 private:
  FieldName id_;
  Value value_;
};
using NameValuePair = NamedMember<CORBA::Any>;
using NameValuePairSeq = std::vector<NameValuePair>;
using NameDynAnyPair = NamedMember<DynAnyRef>;
using NameDynAnyPairSeq = std::vector<NameDynAnyPair>;

/// The operations that structs and valuetypes share.
class PERIGEE_API DynMembers : public virtual DynAny {
 public:
  ~DynMembers() override;

  /// The name of the member at the current position; may be empty. Raises TypeMismatch if the type
  /// has no members, and InvalidValue if the position is -1.
  [[nodiscard]] virtual FieldName current_member_name() = 0;
  /// The kind of the member's type. Raises the same exceptions.
  [[nodiscard]] virtual CORBA::TCKind current_member_kind() = 0;
  /// All members, in the order of the IDL. Raises InvalidValue for the null value, and NO_IMPLEMENT
  /// if the TypeCode does not describe the state of the value (see DynValue).
  [[nodiscard]] virtual NameValuePairSeq get_members() = 0;
  /// Sets all members, in the order of the IDL. Sets the current position to 0, or to -1 if there
  /// are no members. A null value becomes a value. Raises InvalidValue if the number of members is
  /// wrong; TypeMismatch if a member has a wrong type or a name that is neither empty nor right.
  virtual void set_members(const NameValuePairSeq& value) = 0;
  [[nodiscard]] virtual NameDynAnyPairSeq get_members_as_dyn_any() = 0;
  /// Copies the values. Raises the exceptions of `set_members`, and BAD_PARAM for nil.
  virtual void set_members_as_dyn_any(const NameDynAnyPairSeq& value) = 0;
};

/// A struct or an exception. Source: CORBA 3.0, 9.2.6.
class PERIGEE_API DynStruct : public virtual DynMembers {
 public:
  using _ref_type = CORBA::object_reference<DynStruct>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynStruct:1.0";
  ~DynStruct() override;
};

/// A union. Component 0 is the discriminator; component 1 is the active member, if there is one.
/// Source: CORBA 3.0, 9.2.7.
class PERIGEE_API DynUnion : public virtual DynAny {
 public:
  using _ref_type = CORBA::object_reference<DynUnion>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynUnion:1.0";
  ~DynUnion() override;

  /// The discriminator as a component. A change of its value has the effect of `set_discriminator`.
  [[nodiscard]] virtual DynAnyRef get_discriminator() = 0;
  /// Copies the value. If it selects another member, that member gets the default value of its
  /// type, and the former member is destroyed. Sets the current position to 1, or to 0 if no member
  /// is active. Raises TypeMismatch, and BAD_PARAM for nil.
  virtual void set_discriminator(const DynAnyRef& discriminator) = 0;
  /// Selects the member of the `default` label. Sets the current position to 0. Raises TypeMismatch
  /// if there is no such label.
  virtual void set_to_default_member() = 0;
  /// Sets the discriminator to a value that selects no member, and the current position to 0.
  /// Raises TypeMismatch if every value selects a member.
  virtual void set_to_no_active_member() = 0;
  [[nodiscard]] virtual bool has_no_active_member() = 0;
  [[nodiscard]] virtual CORBA::TCKind discriminator_kind() = 0;
  /// The active member. Raises InvalidValue if there is none; so do the next two operations.
  [[nodiscard]] virtual DynAnyRef member() = 0;
  [[nodiscard]] virtual FieldName member_name() = 0;
  [[nodiscard]] virtual CORBA::TCKind member_kind() = 0;
};

/// The operations that sequences and arrays share.
class PERIGEE_API DynElements : public virtual DynAny {
 public:
  ~DynElements() override;

  [[nodiscard]] virtual AnySeq get_elements() = 0;
  /// Sets all elements, and the current position to 0 (-1 if there are none). Raises TypeMismatch
  /// if an element has a wrong type; InvalidValue if there are more elements than the bound of a
  /// sequence, or if their number is not the length of the array.
  virtual void set_elements(const AnySeq& value) = 0;
  [[nodiscard]] virtual DynAnySeq get_elements_as_dyn_any() = 0;
  /// Copies the values. Raises the exceptions of `set_elements`, and BAD_PARAM for nil.
  virtual void set_elements_as_dyn_any(const DynAnySeq& value) = 0;
};

/// A sequence. An optional member is a sequence of at most one element. Source: CORBA 3.0, 9.2.8.
class PERIGEE_API DynSequence : public virtual DynElements {
 public:
  using _ref_type = CORBA::object_reference<DynSequence>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynSequence:1.0";
  ~DynSequence() override;

  [[nodiscard]] virtual std::uint32_t get_length() = 0;
  /// New elements get the default value of their type. If the current position was -1, it becomes
  /// the position of the first new element. If the element at the current position is removed, the
  /// position becomes -1. Raises InvalidValue beyond the bound, IMP_LIMIT beyond 1,048,576
  /// elements.
  virtual void set_length(std::uint32_t length) = 0;
};

/// An array. An array of several dimensions has arrays as elements. Source: CORBA 3.0, 9.2.9.
class PERIGEE_API DynArray : public virtual DynElements {
 public:
  using _ref_type = CORBA::object_reference<DynArray>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynArray:1.0";
  ~DynArray() override;
};

/// A valuetype or a boxed value, or null. The components of a valuetype are its state members:
/// first those of its concrete base. A DynAny without changes keeps the value itself: `get_val` and
/// `to_any` give the same object. After a change they give a new object. Source: CORBA 3.0, 9.2.10.
class PERIGEE_API DynValueCommon : public virtual DynAny {
 public:
  using _ref_type = CORBA::object_reference<DynValueCommon>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynValueCommon:1.0";
  ~DynValueCommon() override;

  [[nodiscard]] virtual bool is_null() = 0;
  /// The current position becomes -1.
  virtual void set_to_null() = 0;
  /// If the value is null, replaces it by a value with default members.
  virtual void set_to_value() = 0;
};

/// A valuetype. The type of a custom valuetype does not describe its members: its DynAny has no
/// components. The same holds for a value whose type is neither the TypeCode's nor truncatable to
/// it. Source: CORBA 3.0, 9.2.11.
class PERIGEE_API DynValue : public virtual DynValueCommon, public virtual DynMembers {
 public:
  using _ref_type = CORBA::object_reference<DynValue>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynValue:1.0";
  ~DynValue() override;
};

/// A boxed value, whose only component is the value inside. Source: CORBA 3.0, 9.2.12.
class PERIGEE_API DynValueBox : public virtual DynValueCommon {
 public:
  using _ref_type = CORBA::object_reference<DynValueBox>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynValueBox:1.0";
  ~DynValueBox() override;

  /// Raises InvalidValue for null.
  [[nodiscard]] virtual CORBA::Any get_boxed_value() = 0;
  /// Null becomes a boxed value. Raises TypeMismatch.
  virtual void set_boxed_value(const CORBA::Any& boxed) = 0;
  /// Raises InvalidValue for null.
  [[nodiscard]] virtual DynAnyRef get_boxed_value_as_dyn_any() = 0;
  /// Copies the value. Raises TypeMismatch, and BAD_PARAM for nil.
  virtual void set_boxed_value_as_dyn_any(const DynAnyRef& boxed) = 0;
};

}  // namespace perigee_v1
}  // namespace DynamicAny

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<DynamicAny::DynFixed> : perigee::stub::local_interface_traits<DynamicAny::DynFixed> {
};
template <>
struct traits<DynamicAny::DynEnum> : perigee::stub::local_interface_traits<DynamicAny::DynEnum> {};
template <>
struct traits<DynamicAny::DynStruct>
    : perigee::stub::local_interface_traits<DynamicAny::DynStruct> {};
template <>
struct traits<DynamicAny::DynUnion> : perigee::stub::local_interface_traits<DynamicAny::DynUnion> {
};
template <>
struct traits<DynamicAny::DynSequence>
    : perigee::stub::local_interface_traits<DynamicAny::DynSequence> {};
template <>
struct traits<DynamicAny::DynArray> : perigee::stub::local_interface_traits<DynamicAny::DynArray> {
};
template <>
struct traits<DynamicAny::DynValueCommon>
    : perigee::stub::local_interface_traits<DynamicAny::DynValueCommon> {};
template <>
struct traits<DynamicAny::DynValue> : perigee::stub::local_interface_traits<DynamicAny::DynValue> {
};
template <>
struct traits<DynamicAny::DynValueBox>
    : perigee::stub::local_interface_traits<DynamicAny::DynValueBox> {};
}  // namespace perigee_v1
}  // namespace IDL
