// Finds the interfaces that are a CORBA::AbstractBase.
#pragma once

#include "idlc/frontend/model.h"

#include <string_view>

namespace perigee::idlc::cpp11 {

/// Whether `interface` is also a CORBA::AbstractBase, although no base in IDL says so.
[[nodiscard]] bool adds_abstract_base(const Interface& interface);
/// The test for the repository id `_id` of CORBA::AbstractBase.
inline constexpr std::string_view abstract_base_test =
    "::perigee::stub::same(_id, ::CORBA::AbstractBase::_type_id)";

}  // namespace perigee::idlc::cpp11
