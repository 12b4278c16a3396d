// The descriptions of definitions: the results of describe, describe_interface and describe_value.
#pragma once

#include "repository/conversion.h"

namespace perigee::repository {

/// The description that `Contained::describe` puts into its any, for the kind of the definition.
[[nodiscard]] CORBA::Any description(const Access& access, Definition& definition);

/// The same, but an any without a value if a TypeCode of the description cannot be made.
[[nodiscard]] CORBA::Any possible_description(const Access& access, Definition& definition);

[[nodiscard]] CORBA::AttributeDescription attribute_description(const Access& access,
                                                                const Definition& attribute);
[[nodiscard]] CORBA::ExtAttributeDescription ext_attribute_description(const Access& access,
                                                                       const Definition& attribute);
[[nodiscard]] CORBA::OperationDescription operation_description(const Access& access,
                                                                const Definition& operation);
[[nodiscard]] CORBA::ValueMember value_member(const Access& access, const Definition& member);

/// @name The operations, attributes and members of an interface or a valuetype and of all its
/// bases.
/// @{
[[nodiscard]] CORBA::OpDescriptionSeq all_operations(const Access& access,
                                                     const Definition& definition);
[[nodiscard]] CORBA::AttrDescriptionSeq all_attributes(const Access& access,
                                                       const Definition& definition);
[[nodiscard]] CORBA::ExtAttrDescriptionSeq all_ext_attributes(const Access& access,
                                                              const Definition& definition);
[[nodiscard]] CORBA::ValueMemberSeq all_members(const Access& access, const Definition& definition);
/// @}

}  // namespace perigee::repository
