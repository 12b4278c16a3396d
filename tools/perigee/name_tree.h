// The names of a context and of its inner contexts as JSON: `perigee name export` and `import`.
#pragma once

#include "naming_calls.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::tool {

/// All names that begin in the context. A context that occurs again is written as the name of its
/// first occurrence ("same_as"), so contexts that contain each other have a finite text. The
/// reference of a context that cannot be listed is kept ("context_reference"). Throws
/// NamingFailure, also for more than `bindings_max` bindings in all contexts, and raises CORBA
/// exceptions.
nlohmann::json export_tree(CORBA::ORB& orb, const NamingContextRef& context,
                           std::size_t bindings_max);

/// The contents of the file, or of standard input for "-". Throws NamingFailure with the place of
/// the first mistake.
nlohmann::json read_tree(const std::string& file);

enum class OnExisting : std::uint8_t { is_an_error, replace };

struct ImportCounts {
  std::size_t objects = 0;
  std::size_t contexts = 0;
};

/// Makes the names of the tree, which `read_tree` has returned. Contexts that exist are used.
/// Throws NamingFailure, and raises CORBA exceptions; the names before the failure stay.
ImportCounts import_tree(CORBA::ORB& orb, const NamingContextRef& context,
                         const nlohmann::json& tree, OnExisting existing);

}  // namespace perigee::tool
