// Which names are taken, so that implied ones can step aside.
#pragma once

#include "idlc/frontend/model.h"

#include <string>
#include <unordered_set>

namespace perigee::idlc {

/// All names of a model. IDL's names clash whatever their case.
class TakenNames final {
 public:
  explicit TakenNames(const Model& model);

  /// `prefix` and `rest` with `more` between them as often as it takes, in the scope; from now on
  /// the name is taken. The scope is "" or like "::Stock".
  std::string take(const std::string& scope, const std::string& prefix, const std::string& more,
                   const std::string& rest);
  /// The same, for a name inside the interface: free in its bases, too.
  std::string take(const Interface& interface, const std::string& prefix, const std::string& more,
                   const std::string& rest);

 private:
  void add(const Declarations& declarations);

  std::unordered_set<std::string> names_;
};

/// The scope of what is declared beside it: "" at file level.
std::string scope_of(const Declaration& declaration);

}  // namespace perigee::idlc
