// IDL texts that the compiler contains, so that `#include <orb.idl>` works without an installed
// file.
#pragma once

#include <optional>
#include <string_view>

namespace perigee::idlc {

/// The path of orb.idl in diagnostics, and in the files of the model.
inline constexpr std::string_view orb_idl_path = "<builtin>/orb.idl";

/// The text of the built-in file of that name ("orb.idl"), if there is one.
std::optional<std::string_view> builtin_file(std::string_view name);

/// Whether the library has a C++ type for an enum or exception of orb.idl. None of these exceptions
/// can be marshalled.
bool has_library_type(std::string_view scoped_name);

/// Whether the library has the class of a struct that files of the Interface Repository declare.
/// Only the operators of this struct are generated.
bool has_library_class(std::string_view scoped_name);

}  // namespace perigee::idlc
