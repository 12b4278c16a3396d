// The names that are taken, so that implied names can avoid them.
#pragma once

#include "idlc/frontend/model.h"

#include <cstdint>
#include <string>
#include <unordered_set>

namespace perigee::idlc {

/// All names of a model. Two names in IDL clash even if they differ in case.
class TakenNames final {
 public:
  explicit TakenNames(const Model& model);

  /// Makes a free name in the scope: `prefix` and `rest`, with `more` repeated between them as
  /// often as needed. The name is taken from then on. The scope is "" or like "::Stock".
  std::string take(const std::string& scope, const std::string& prefix, const std::string& more,
                   const std::string& rest);
  enum class Hides : std::uint8_t {
    nothing,
    inherited,  ///< a declaration with the same name in a base
  };
  /// The same for a name inside the interface. The name must also be free in its bases, unless it
  /// hides inherited names.
  std::string take(const Interface& interface, const std::string& prefix, const std::string& more,
                   const std::string& rest, Hides hides = Hides::nothing);

 private:
  void add(const Declarations& declarations);

  std::unordered_set<std::string> names_;
};

/// The scope that contains the declaration: "" at file level.
std::string scope_of(const Declaration& declaration);

}  // namespace perigee::idlc
