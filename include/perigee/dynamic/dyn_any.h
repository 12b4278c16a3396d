// DynamicAny::DynAny: a value of any type that a program takes apart and puts together without the
// C++ class of the type. Structs, unions and other kinds of values have interfaces of their own:
// see dynamic_any.h.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/any.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/sequences.h>
#include <perigee/orb/typecode.h>
#include <perigee/orb/value.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A user exception of the module DynamicAny. It has no members. The text is for readers of logs,
/// and is the end of `what()`.
#define PERIGEE_DYNAMIC_ANY_EXCEPTION(NAME)                              \
  class PERIGEE_API NAME final : public CORBA::UserException {           \
   public:                                                               \
    NAME() = default;                                                    \
    explicit NAME(std::string text) noexcept : text_(std::move(text)) {} \
    ~NAME() override;                                                    \
    [[nodiscard]] const char* _rep_id() const noexcept override;         \
    [[nodiscard]] const char* _name() const noexcept override;           \
    [[noreturn]] void _raise() const override;                           \
    void _encode(perigee::cdr::Encoder& encoder) const override;         \
                                                                         \
   protected:                                                            \
    void _describe(std::string& text) const override;                    \
                                                                         \
   private:                                                              \
    std::string text_;                                                   \
  };

namespace perigee::dynamic {
class Node;  // a DynAny's value and components
}

namespace DynamicAny {
inline namespace perigee_v1 {

/// A value with its type. DynAnyFactory makes DynAnys. `IDL::traits<DynStruct>::narrow` and similar
/// calls give the interface of the value's kind.
///
/// Components: the members of structs, exceptions and valuetypes; the discriminator and the active
/// member of unions; the elements of sequences and arrays; the value in a boxed value. A component
/// is a DynAny that shares its value with the DynAny from which it was obtained: a change of one is
/// a change of the other. Each DynAny has a current position: the index of a component, or -1.
///
/// The operations `insert_…` and `get_…` act on a DynAny without components, or on the component at
/// the current position. They raise TypeMismatch if that component is of another type, and
/// InvalidValue if the DynAny may have components and the current position is -1.
///
/// Lifetime: the last reference frees a DynAny. `destroy` frees it earlier; then all operations on
/// it and on its components raise OBJECT_NOT_EXIST. So do operations on a component that was
/// removed, for example by `set_length`.
/// Threads: one thread at a time may use a DynAny and its components.
/// Limits: IMP_LIMIT for access to the components of a value that has more than 1,048,576 of them,
/// and for components that are nested more than 128 levels deep.
/// Programs do not implement DynAnys.
/// Source: CORBA 3.0, 9.2.3.
class PERIGEE_API DynAny : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<DynAny>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynAny:1.0";

  /// The value is impossible for the type, or there is no component at the current position.
  PERIGEE_DYNAMIC_ANY_EXCEPTION(InvalidValue)
  /// The type of a value differs from the expected type, or the type does not have the operation.
  PERIGEE_DYNAMIC_ANY_EXCEPTION(TypeMismatch)

  ~DynAny() override;

  [[nodiscard]] CORBA::object_reference<CORBA::TypeCode> type();
  /// Copies the value of another DynAny. Components that both values have stay valid. Sets the
  /// current position to 0, or to -1 if the value has no components. Raises TypeMismatch unless the
  /// types are equivalent, and BAD_PARAM for nil.
  void assign(const _ref_type& dyn_any);
  /// The same with the value of an any.
  void from_any(const CORBA::Any& value);
  /// A copy of the value. Raises MARSHAL and BAD_PARAM if the value cannot be encoded, for example
  /// because it has a changed struct with a local object.
  [[nodiscard]] CORBA::Any to_any();
  /// Whether the types are equivalent and the values are equal. References are compared by
  /// `_is_equivalent`, TypeCodes by `equivalent`. Aliases and positions do not count.
  [[nodiscard]] bool equal(const _ref_type& dyn_any);
  /// Ends the DynAny and its components. Does nothing if this DynAny is a component itself.
  void destroy();
  /// A new DynAny with a copy of the value. It is not a component.
  [[nodiscard]] _ref_type copy();

  /// @name Values without components. `insert_string` and `insert_wstring` raise InvalidValue if
  /// the text is longer than the bound, or has a NUL inside.
  /// @{
  void insert_boolean(bool value);
  void insert_octet(std::uint8_t value);
  void insert_char(char value);
  void insert_short(std::int16_t value);
  void insert_ushort(std::uint16_t value);
  void insert_long(std::int32_t value);
  void insert_ulong(std::uint32_t value);
  void insert_float(float value);
  void insert_double(double value);
  void insert_string(const std::string& value);
  /// A reference to any interface. Does not ask the object whether it supports the type.
  void insert_reference(const CORBA::object_reference<CORBA::Object>& value);
  void insert_typecode(const CORBA::object_reference<CORBA::TypeCode>& value);
  void insert_longlong(std::int64_t value);
  void insert_ulonglong(std::uint64_t value);
  void insert_longdouble(long double value);
  void insert_wchar(wchar_t value);
  void insert_wstring(const std::wstring& value);
  /// Sets the contents of a DynAny, or of a current component, whose type is `any`.
  void insert_any(const CORBA::Any& value);
  /// The same as `insert_any(value->to_any())`.
  void insert_dyn_any(const _ref_type& value);
  /// Sets a valuetype or boxed value: in this DynAny if it is a DynValueCommon of the type, else in
  /// the current component. Also sets the value of an abstract interface, if the class of `value`
  /// supports an abstract interface.
  void insert_val(const CORBA::valuetype_reference<CORBA::ValueBase>& value);
  /// Sets an object, a value or nil in an abstract interface. Does not check whether the object or
  /// value supports the abstract interface of the TypeCode.
  void insert_abstract(const CORBA::abstract_reference<CORBA::AbstractBase>& value);
  /// IDL 4's int8. Not an operation of the standard.
  void insert_int8(std::int8_t value);

  [[nodiscard]] bool get_boolean();
  [[nodiscard]] std::uint8_t get_octet();
  [[nodiscard]] char get_char();
  [[nodiscard]] std::int16_t get_short();
  [[nodiscard]] std::uint16_t get_ushort();
  [[nodiscard]] std::int32_t get_long();
  [[nodiscard]] std::uint32_t get_ulong();
  [[nodiscard]] float get_float();
  [[nodiscard]] double get_double();
  [[nodiscard]] std::string get_string();
  [[nodiscard]] CORBA::object_reference<CORBA::Object> get_reference();
  [[nodiscard]] CORBA::object_reference<CORBA::TypeCode> get_typecode();
  [[nodiscard]] std::int64_t get_longlong();
  [[nodiscard]] std::uint64_t get_ulonglong();
  [[nodiscard]] long double get_longdouble();
  [[nodiscard]] wchar_t get_wchar();
  [[nodiscard]] std::wstring get_wstring();
  [[nodiscard]] CORBA::Any get_any();
  /// A new DynAny with the contents of an any. Raises InvalidValue if the contents have a type
  /// without DynAnys.
  [[nodiscard]] _ref_type get_dyn_any();
  /// The value of a valuetype or an abstract interface. Null if the abstract interface holds an
  /// object.
  [[nodiscard]] CORBA::valuetype_reference<CORBA::ValueBase> get_val();
  [[nodiscard]] CORBA::abstract_reference<CORBA::AbstractBase> get_abstract();
  [[nodiscard]] std::int8_t get_int8();
  /// @}

  /// @name Whole sequences and arrays of basic types: of this DynAny, else of the current
  /// component. An insertion sets the current position of that sequence or array to 0, or to -1 if
  /// it is empty. It raises InvalidValue if there are more elements than the bound of a sequence,
  /// or if their number is not the length of the array.
  /// @{
  void insert_boolean_seq(const CORBA::BooleanSeq& value);
  void insert_octet_seq(const CORBA::OctetSeq& value);
  void insert_char_seq(const CORBA::CharSeq& value);
  void insert_short_seq(const CORBA::ShortSeq& value);
  void insert_ushort_seq(const CORBA::UShortSeq& value);
  void insert_long_seq(const CORBA::LongSeq& value);
  void insert_ulong_seq(const CORBA::ULongSeq& value);
  void insert_float_seq(const CORBA::FloatSeq& value);
  void insert_double_seq(const CORBA::DoubleSeq& value);
  void insert_longlong_seq(const CORBA::LongLongSeq& value);
  void insert_ulonglong_seq(const CORBA::ULongLongSeq& value);
  void insert_longdouble_seq(const CORBA::LongDoubleSeq& value);
  void insert_wchar_seq(const CORBA::WCharSeq& value);

  [[nodiscard]] CORBA::BooleanSeq get_boolean_seq();
  [[nodiscard]] CORBA::OctetSeq get_octet_seq();
  [[nodiscard]] CORBA::CharSeq get_char_seq();
  [[nodiscard]] CORBA::ShortSeq get_short_seq();
  [[nodiscard]] CORBA::UShortSeq get_ushort_seq();
  [[nodiscard]] CORBA::LongSeq get_long_seq();
  [[nodiscard]] CORBA::ULongSeq get_ulong_seq();
  [[nodiscard]] CORBA::FloatSeq get_float_seq();
  [[nodiscard]] CORBA::DoubleSeq get_double_seq();
  [[nodiscard]] CORBA::LongLongSeq get_longlong_seq();
  [[nodiscard]] CORBA::ULongLongSeq get_ulonglong_seq();
  [[nodiscard]] CORBA::LongDoubleSeq get_longdouble_seq();
  [[nodiscard]] CORBA::WCharSeq get_wchar_seq();
  /// @}

  /// @name Components and the current position.
  /// @{
  /// Sets the current position. False if there is no such component; then the position is -1.
  bool seek(std::int32_t index);
  /// The same as `seek(0)`.
  void rewind();
  /// Advances the current position by one. False if there is no further component; then the
  /// position is -1.
  bool next();
  /// The number of direct components.
  [[nodiscard]] std::uint32_t component_count();
  /// The component at the current position; nil if the position is -1. Raises TypeMismatch if
  /// values of this type have no components.
  [[nodiscard]] _ref_type current_component();
  /// @}

 protected:
  DynAny() = default;

 private:
  /// The value. Virtual functions for all operations would make the library twice as large.
  [[nodiscard]] virtual perigee::dynamic::Node& _node() noexcept = 0;
};
using DynAnySeq = std::vector<CORBA::object_reference<DynAny>>;
using AnySeq = CORBA::AnySeq;

}  // namespace perigee_v1
}  // namespace DynamicAny

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<DynamicAny::DynAny> : perigee::stub::local_interface_traits<DynamicAny::DynAny> {};
}  // namespace perigee_v1
}  // namespace IDL
