// Makes TypeCodes at run time: the create_…_tc operations of CORBA::ORB.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CORBA {
class IDLType;  // <perigee/repository.h>

inline namespace perigee_v1 {

/// A member of a struct or an exception. `type_def` is the definition of the type in an Interface
/// Repository. Only operations of the repository use it; a TypeCodeFactory ignores it.
class StructMember {
 public:
  StructMember() = default;
  explicit StructMember(std::string name, object_reference<TypeCode> type,
                        object_reference<IDLType> type_def = nullptr)
      : name_(std::move(name)), type_(std::move(type)), type_def_(std::move(type_def)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string& name() noexcept { return name_; }
  void name(std::string value) noexcept { name_ = std::move(value); }
  [[nodiscard]] const object_reference<TypeCode>& type() const noexcept { return type_; }
  [[nodiscard]] object_reference<TypeCode>& type() noexcept { return type_; }
  void type(object_reference<TypeCode> value) noexcept { type_ = std::move(value); }
  [[nodiscard]] const object_reference<IDLType>& type_def() const noexcept { return type_def_; }
  [[nodiscard]] object_reference<IDLType>& type_def() noexcept { return type_def_; }
  void type_def(object_reference<IDLType> value) noexcept { type_def_ = std::move(value); }

  friend bool operator==(const StructMember&, const StructMember&) = default;

  /// Calls the visitor with the name and the value of each member. Generated code uses it.
  static constexpr std::string_view _type_name = "CORBA::StructMember";
  template <typename Self, typename Visitor>
  static void _visit(Self& value, Visitor&& visit_member) {
    visit_member("name", value.name_);
    visit_member("type", value.type_);
    visit_member("type_def", value.type_def_);
  }

 private:
  std::string name_;
  object_reference<TypeCode> type_;
  object_reference<IDLType> type_def_;
};
using StructMemberSeq = std::vector<StructMember>;

/// A member of a union. The label is a value of the discriminator's type; an octet 0 marks the
/// default member. A member with several labels is listed once for each label. `type_def` as for a
/// StructMember.
class UnionMember {
 public:
  UnionMember() = default;
  explicit UnionMember(std::string name, Any label, object_reference<TypeCode> type,
                       object_reference<IDLType> type_def = nullptr)
      : name_(std::move(name)),
        label_(std::move(label)),
        type_(std::move(type)),
        type_def_(std::move(type_def)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string& name() noexcept { return name_; }
  void name(std::string value) noexcept { name_ = std::move(value); }
  [[nodiscard]] const Any& label() const noexcept { return label_; }
  [[nodiscard]] Any& label() noexcept { return label_; }
  void label(Any value) noexcept { label_ = std::move(value); }
  [[nodiscard]] const object_reference<TypeCode>& type() const noexcept { return type_; }
  [[nodiscard]] object_reference<TypeCode>& type() noexcept { return type_; }
  void type(object_reference<TypeCode> value) noexcept { type_ = std::move(value); }
  [[nodiscard]] const object_reference<IDLType>& type_def() const noexcept { return type_def_; }
  [[nodiscard]] object_reference<IDLType>& type_def() noexcept { return type_def_; }
  void type_def(object_reference<IDLType> value) noexcept { type_def_ = std::move(value); }

  friend bool operator==(const UnionMember&, const UnionMember&) = default;

  /// Calls the visitor with the name and the value of each member. Generated code uses it.
  static constexpr std::string_view _type_name = "CORBA::UnionMember";
  template <typename Self, typename Visitor>
  static void _visit(Self& value, Visitor&& visit_member) {
    visit_member("name", value.name_);
    visit_member("label", value.label_);
    visit_member("type", value.type_);
    visit_member("type_def", value.type_def_);
  }

 private:
  std::string name_;
  Any label_;
  object_reference<TypeCode> type_;
  object_reference<IDLType> type_def_;
};
using UnionMemberSeq = std::vector<UnionMember>;
using EnumMemberSeq = std::vector<std::string>;

/// A state member of a valuetype. Only its name, type and visibility are part of a TypeCode.
/// `type_def` as for a StructMember.
class ValueMember {
 public:
  ValueMember() = default;
  explicit ValueMember(std::string name, std::string id, std::string defined_in,
                       std::string version, object_reference<TypeCode> type,
                       object_reference<IDLType> type_def, Visibility access)
      : name_(std::move(name)),
        id_(std::move(id)),
        defined_in_(std::move(defined_in)),
        version_(std::move(version)),
        type_(std::move(type)),
        type_def_(std::move(type_def)),
        access_(access) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string& name() noexcept { return name_; }
  void name(std::string value) noexcept { name_ = std::move(value); }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] std::string& id() noexcept { return id_; }
  void id(std::string value) noexcept { id_ = std::move(value); }
  [[nodiscard]] const std::string& defined_in() const noexcept { return defined_in_; }
  [[nodiscard]] std::string& defined_in() noexcept { return defined_in_; }
  void defined_in(std::string value) noexcept { defined_in_ = std::move(value); }
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  [[nodiscard]] std::string& version() noexcept { return version_; }
  void version(std::string value) noexcept { version_ = std::move(value); }
  [[nodiscard]] const object_reference<TypeCode>& type() const noexcept { return type_; }
  [[nodiscard]] object_reference<TypeCode>& type() noexcept { return type_; }
  void type(object_reference<TypeCode> value) noexcept { type_ = std::move(value); }
  [[nodiscard]] const object_reference<IDLType>& type_def() const noexcept { return type_def_; }
  [[nodiscard]] object_reference<IDLType>& type_def() noexcept { return type_def_; }
  void type_def(object_reference<IDLType> value) noexcept { type_def_ = std::move(value); }
  [[nodiscard]] Visibility access() const noexcept { return access_; }
  [[nodiscard]] Visibility& access() noexcept { return access_; }
  void access(Visibility value) noexcept { access_ = value; }

  friend bool operator==(const ValueMember&, const ValueMember&) = default;

  /// Calls the visitor with the name and the value of each member. Generated code uses it.
  static constexpr std::string_view _type_name = "CORBA::ValueMember";
  template <typename Self, typename Visitor>
  static void _visit(Self& value, Visitor&& visit_member) {
    visit_member("name", value.name_);
    visit_member("id", value.id_);
    visit_member("defined_in", value.defined_in_);
    visit_member("version", value.version_);
    visit_member("type", value.type_);
    visit_member("type_def", value.type_def_);
    visit_member("access", value.access_);
  }

 private:
  std::string name_;
  std::string id_;
  std::string defined_in_;
  std::string version_;
  object_reference<TypeCode> type_;
  object_reference<IDLType> type_def_;
  Visibility access_ = PRIVATE_MEMBER;
};
using ValueMemberSeq = std::vector<ValueMember>;

/// Makes TypeCodes. Has no state, so any thread may use it. Errors: BAD_TYPECODE (OMG minor 2) for
/// impossible types of members, elements and bases; BAD_PARAM (OMG minors 17 to 20) for members of
/// the same name, labels of the same value or of a wrong type, and impossible discriminator types;
/// IMP_LIMIT for too many parts. Obtained as the initial reference `TypeCodeFactory`; the ORB is
/// also a TypeCodeFactory. Source: CORBA 3.0, 4.11.3.
class PERIGEE_API TypeCodeFactory : public virtual LocalObject {
 public:
  TypeCodeFactory() = default;
  ~TypeCodeFactory() override;
  using _ref_type = object_reference<TypeCodeFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/TypeCodeFactory:1.0";
  using TypeCodeRef = object_reference<TypeCode>;

  [[nodiscard]] TypeCodeRef create_struct_tc(const std::string& id, const std::string& name,
                                             const StructMemberSeq& members) const;
  [[nodiscard]] TypeCodeRef create_exception_tc(const std::string& id, const std::string& name,
                                                const StructMemberSeq& members) const;
  [[nodiscard]] TypeCodeRef create_union_tc(const std::string& id, const std::string& name,
                                            const TypeCodeRef& discriminator_type,
                                            const UnionMemberSeq& members) const;
  [[nodiscard]] TypeCodeRef create_enum_tc(const std::string& id, const std::string& name,
                                           const EnumMemberSeq& members) const;
  [[nodiscard]] TypeCodeRef create_alias_tc(const std::string& id, const std::string& name,
                                            const TypeCodeRef& original_type) const;
  [[nodiscard]] TypeCodeRef create_interface_tc(const std::string& id,
                                                const std::string& name) const;
  [[nodiscard]] TypeCodeRef create_local_interface_tc(const std::string& id,
                                                      const std::string& name) const;
  [[nodiscard]] TypeCodeRef create_abstract_interface_tc(const std::string& id,
                                                         const std::string& name) const;
  [[nodiscard]] TypeCodeRef create_native_tc(const std::string& id, const std::string& name) const;
  /// `concrete_base` may be nil.
  [[nodiscard]] TypeCodeRef create_value_tc(const std::string& id, const std::string& name,
                                            ValueModifier type_modifier,
                                            const TypeCodeRef& concrete_base,
                                            const ValueMemberSeq& members) const;
  [[nodiscard]] TypeCodeRef create_value_box_tc(const std::string& id, const std::string& name,
                                                const TypeCodeRef& boxed_type) const;
  [[nodiscard]] TypeCodeRef create_string_tc(std::uint32_t bound) const;
  [[nodiscard]] TypeCodeRef create_wstring_tc(std::uint32_t bound) const;
  /// Raises BAD_PARAM unless `digits` is from 1 to 31, and `scale` from 0 to `digits`.
  [[nodiscard]] TypeCodeRef create_fixed_tc(std::uint16_t digits, std::int16_t scale) const;
  [[nodiscard]] TypeCodeRef create_sequence_tc(std::uint32_t bound,
                                               const TypeCodeRef& element_type) const;
  [[nodiscard]] TypeCodeRef create_array_tc(std::uint32_t length,
                                            const TypeCodeRef& element_type) const;
  /// A placeholder for the struct, union or valuetype with that id. Use it only inside that type.
  /// It is valid when that type has been created.
  [[nodiscard]] TypeCodeRef create_recursive_tc(const std::string& id) const;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::TypeCodeFactory>
    : perigee::stub::local_interface_traits<CORBA::TypeCodeFactory> {};
}  // namespace perigee_v1
}  // namespace IDL
