// One definition of the Interface Repository, as data. The store checks the rules.
#pragma once

#include <perigee/repository/InterfaceRepositoryC.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace perigee::repository {

using Kind = CORBA::DefinitionKind;
struct Definition;

/// A member of a struct, an exception or a union, or a parameter of an operation. `label` is for
/// unions, `mode` for parameters.
struct Part {
  std::string name;
  Definition* type = nullptr;
  CORBA::Any label = {};
  CORBA::ParameterMode mode = CORBA::ParameterMode::PARAM_IN;
};

/// An initializer of a valuetype.
struct Creator {
  std::string name;
  std::vector<Part> parameters;
  std::vector<Definition*> exceptions;
};

/// The properties that the write operations of a kind change. The fields that a kind does not use
/// keep their first values. Pointers do not own; the store owns all definitions.
struct Details {
  /// Constant, alias, boxed value, sequence, array, attribute, member of a value: the type.
  /// Operation: the result. Union: the discriminator.
  Definition* type = nullptr;
  std::vector<Part> parts;                      ///< struct, union, exception, operation
  std::vector<std::string> names;               ///< enum: enumerators; operation: contexts
  std::vector<Definition*> bases;               ///< interface: bases; value: abstract bases
  std::vector<Definition*> supported;           ///< value: interfaces
  Definition* base_value = nullptr;             ///< value: the concrete base
  std::vector<Definition*> exceptions;          ///< operation; attribute: of reading
  std::vector<Definition*> writing_exceptions;  ///< attribute
  std::vector<Creator> creators;                ///< value
  CORBA::Any value = {};                        ///< constant
  std::uint32_t bound = 0;  ///< string, wstring, sequence (0: none); array: the length
  std::uint16_t digits = 0;
  std::int16_t scale = 0;
  CORBA::PrimitiveKind primitive = CORBA::PrimitiveKind::pk_null;
  bool is_readonly = false;  ///< attribute
  bool is_oneway = false;    ///< operation
  CORBA::Visibility access = CORBA::PRIVATE_MEMBER;
  bool is_abstract = false;
  bool is_custom = false;
  bool is_truncatable = false;
};

/// How much of the repository's limits a definition uses.
struct Size {
  std::size_t parts = 0;   ///< members, parameters, bases, exceptions, enumerators, contexts
  std::size_t octets = 0;  ///< of names, ids and versions, and of encoded constants and labels
};

/// Types without a name have no container, no name and no repository id.
struct Definition : Details {
  std::uint64_t key = 0;  ///< the object id of the CORBA object
  Kind kind = Kind::dk_none;
  std::string id;
  std::string name;
  std::string version;
  Definition* container = nullptr;
  std::vector<Definition*> contents;  ///< in the order of their creation
  /// The contents by their names in lower case: names that differ only in case clash.
  std::unordered_map<std::string, Definition*> names_inside;
  /// The definitions in the store that use this one, with the number of uses. Primitive types have
  /// none: they are never changed or destroyed.
  std::unordered_map<Definition*, std::size_t> users;
  Size size;  ///< counted in the total of the store

  /// The TypeCode at the state `known_state` of the store.
  CORBA::object_reference<CORBA::TypeCode> known_type = nullptr;
  std::uint64_t known_state = 0;
  std::size_t known_parts = 0;  ///< types in the TypeCode, each as often as it is written out
  std::size_t known_depth = 0;  ///< types inside each other in the TypeCode, this one included
};

/// @name Groups of kinds.
/// @{
[[nodiscard]] bool is_interface(Kind kind) noexcept;
/// TypedefDef of the standard: types with a name, except for interfaces and valuetypes.
[[nodiscard]] bool is_typedef(Kind kind) noexcept;
/// IDLType of the standard.
[[nodiscard]] bool is_type(Kind kind) noexcept;
[[nodiscard]] bool is_container(Kind kind) noexcept;
/// Whether a definition of the kind `content` may be inside a definition of the kind `container`.
[[nodiscard]] bool may_contain(Kind container, Kind content) noexcept;
/// Whether a search for `limit` finds definitions of this kind.
[[nodiscard]] bool matches(Kind kind, Kind limit) noexcept;
/// @}

/// "::Stock::Quoter"; empty for the repository and for types without a name.
[[nodiscard]] std::string absolute_name(const Definition& definition);

/// All definitions that this one uses: types, exceptions, bases. Without its contents.
[[nodiscard]] std::vector<Definition*> uses_of(const Details& definition);

/// Encodes the constant and the labels to measure them.
[[nodiscard]] Size size_of(const Definition& definition);

/// Whether an interface or a valuetype is among its own bases, at any level.
[[nodiscard]] bool is_own_base(const Definition& definition);

/// The definitions whose contents an interface or a valuetype inherits, all levels, each once.
[[nodiscard]] std::vector<const Definition*> all_bases(const Definition& definition);

}  // namespace perigee::repository
