// CORBA::TypeCode in the C++11 mapping: describes a type at run time.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::cdr {
class Encoder;
class Decoder;
enum class TypeKind : std::uint32_t;
struct TypeNode;
}  // namespace perigee::cdr

namespace CORBA {
inline namespace perigee_v1 {

class Any;

/// The kinds tk_null, tk_long, …: <perigee/cdr/typecode.h> declares them, and <perigee/corba.h>
/// includes that header.
using TCKind = perigee::cdr::TypeKind;
using ValueModifier = std::int16_t;
using Visibility = std::int16_t;

/// @name Kinds of valuetypes, and the visibility of their state. Source: CORBA 3.0, 10.7.
/// @{
inline constexpr ValueModifier VM_NONE = 0;
inline constexpr ValueModifier VM_CUSTOM = 1;
inline constexpr ValueModifier VM_ABSTRACT = 2;
inline constexpr ValueModifier VM_TRUNCATABLE = 3;
inline constexpr Visibility PRIVATE_MEMBER = 0;
inline constexpr Visibility PUBLIC_MEMBER = 1;
/// @}

/// A type's description. Immutable, and cheap to copy through its references; any thread.
///
/// Operations that the kind does not have raise BadKind; an index beyond the members raises Bounds.
/// Source: CORBA 3.0, 4.11.
class PERIGEE_API TypeCode final {
 public:
  using _ref_type = object_reference<TypeCode>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/TypeCode:1.0";

  class BadKind;
  class Bounds;

  /// `owner` keeps the node alive; nullptr for constants.
  TypeCode(const perigee::cdr::TypeNode* node, std::shared_ptr<const void> owner) noexcept
      : node_(node), owner_(std::move(owner)) {}
  TypeCode(const TypeCode&) = delete;
  TypeCode& operator=(const TypeCode&) = delete;

  /// Whether all parts are equal, names included.
  [[nodiscard]] bool equal(const _ref_type& other) const;
  /// Whether both types have the same values. Aliases and names do not count.
  [[nodiscard]] bool equivalent(const _ref_type& other) const;
  /// The same type without names and member names.
  [[nodiscard]] _ref_type get_compact_typecode() const;
  [[nodiscard]] TCKind kind() const noexcept;

  /// Whether the id is that of CORBA::TypeCode or of CORBA::Object. TAOX11 has this function.
  [[nodiscard]] bool _is_a(std::string_view repository_id) const noexcept {
    return repository_id == _type_id || repository_id == "IDL:omg.org/CORBA/Object:1.0";
  }

  /// @name Interfaces, valuetypes, boxes, structs, unions, enums, aliases, exceptions, native
  /// types.
  /// @{
  [[nodiscard]] std::string id() const;
  [[nodiscard]] std::string name() const;
  /// @}

  /// @name Structs, unions, enums, exceptions, valuetypes.
  /// @{
  [[nodiscard]] std::uint32_t member_count() const;
  [[nodiscard]] std::string member_name(std::uint32_t index) const;
  /// Not for enums.
  [[nodiscard]] _ref_type member_type(std::uint32_t index) const;
  /// @}

  /// @name Unions.
  /// @{
  /// A value of the discriminator's type. For the default member, an octet 0.
  [[nodiscard]] Any member_label(std::uint32_t index) const;
  [[nodiscard]] _ref_type discriminator_type() const;
  /// -1 if there is no default member.
  [[nodiscard]] std::int32_t default_index() const;
  /// @}

  /// The bound of a string, sequence or map (0: none), the length of an array.
  [[nodiscard]] std::uint32_t length() const;
  /// The element type of a sequence, array or map; the type behind an alias or a value box.
  [[nodiscard]] _ref_type content_type() const;
  /// The key type of a map (IDL 4; not an OMG operation).
  [[nodiscard]] _ref_type key_type() const;

  [[nodiscard]] std::uint16_t fixed_digits() const;
  [[nodiscard]] std::int16_t fixed_scale() const;

  /// @name Valuetypes.
  /// @{
  [[nodiscard]] Visibility member_visibility(std::uint32_t index) const;
  [[nodiscard]] ValueModifier type_modifier() const;
  /// Nil if there is no concrete base.
  [[nodiscard]] _ref_type concrete_base_type() const;
  /// @}

  /// The type in the syntax of IDL.
  [[nodiscard]] std::string _text() const;
  /// For the ORB and generated code.
  [[nodiscard]] const perigee::cdr::TypeNode* _node() const noexcept { return node_; }
  [[nodiscard]] const std::shared_ptr<const void>& _owner() const noexcept { return owner_; }

 private:
  const perigee::cdr::TypeNode* node_;
  std::shared_ptr<const void> owner_;  // shared by the references to parts of one TypeCode
};

/// The TypeCode's kind does not have the operation.
class PERIGEE_API TypeCode::BadKind final : public UserException {
 public:
  ~BadKind() override;
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;
};

/// There is no member with that index.
class PERIGEE_API TypeCode::Bounds final : public UserException {
 public:
  ~Bounds() override;
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;
};

/// The type of the constants `_tc_…`. They convert to references to TypeCodes.
class PERIGEE_API TypeCodeConstant final {
 public:
  constexpr explicit TypeCodeConstant(const perigee::cdr::TypeNode* node) noexcept : node_(node) {}

  operator object_reference<TypeCode>() const;  // NOLINT(google-explicit-constructor)
  object_reference<TypeCode> operator->() const { return *this; }
  [[nodiscard]] const perigee::cdr::TypeNode* _node() const noexcept { return node_; }

 private:
  const perigee::cdr::TypeNode* node_;
};

/// TypeCodes are values: references are equal if their TypeCodes are equal (TypeCode::equal).
PERIGEE_API bool operator==(const object_reference<TypeCode>& a,
                            const object_reference<TypeCode>& b);

/// The type in the syntax of IDL; "nil" for a nil reference.
PERIGEE_API std::string _text_of(const object_reference<TypeCode>& type);
inline std::string _text_of(const TypeCodeConstant& type) {
  return _text_of(object_reference<TypeCode>(type));
}

/// A nil reference cannot be marshalled: it fails the encoder.
PERIGEE_API perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                              const object_reference<TypeCode>& type);
PERIGEE_API perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder,
                                              object_reference<TypeCode>& type);

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::TypeCode> {
  using value_type = CORBA::object_reference<CORBA::TypeCode>;
  using ref_type = CORBA::object_reference<CORBA::TypeCode>;
  using weak_ref_type = CORBA::weak_reference<CORBA::TypeCode>;
  using in_type = ref_type;
  using out_type = ref_type&;
  using inout_type = ref_type&;

  template <typename Formatter = perigee::output::formatter_of<value_type>>
  [[nodiscard]] static IDL::written<value_type, Formatter> write(const value_type& value) noexcept {
    return {value};
  }
};
}  // namespace perigee_v1
}  // namespace IDL

template <>
struct PERIGEE_API std::hash<CORBA::object_reference<CORBA::TypeCode>> {
  std::size_t operator()(const CORBA::object_reference<CORBA::TypeCode>& type) const noexcept;
};
