// The members of interfaces and valuetypes, and how much memory they take.
#pragma once

#include "call/idl_type_codes.h"
#include <perigee/orb/any.h>
#include <perigee/repository/InterfaceRepositoryC.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::tool {

/// A constant inside an interface.
struct DescribedConstant {
  std::string name;
  TypeCodeRef type;
  CORBA::Any value;
};

/// The contents of an interface or a valuetype.
struct DescribedMembers {
  std::vector<std::string> bases;      ///< repository ids; valuetypes: the abstract bases
  std::vector<std::string> supported;  ///< of a valuetype
  CORBA::OpDescriptionSeq operations;  ///< with the inherited operations
  CORBA::ExtAttrDescriptionSeq attributes;
  std::vector<DescribedConstant> constants;
  CORBA::ExtInitializerSeq initializers;  ///< of a valuetype
};

struct MemberSize {
  std::size_t members = 0;  ///< members, and their parameters, exceptions and bases
  std::size_t octets = 0;   ///< of texts, TypeCodes and constant values
};

/// Does not count the constants, nor the TypeCodes of types and exceptions.
[[nodiscard]] MemberSize size_of(const DescribedMembers& members);
/// Does not count the TypeCode of the type.
[[nodiscard]] MemberSize size_of(const DescribedConstant& constant);
/// Counts each part of the type once.
[[nodiscard]] MemberSize size_of(const TypeCodeRef& type);

}  // namespace perigee::tool
