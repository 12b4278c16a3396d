// Compares the names of all declarations with the names of generated classes.
#include "idlc/backends/cpp11/value_clashes.h"

#include <map>
#include <string>
#include <utility>

namespace perigee::idlc::cpp11 {

namespace {

/// Valuetypes and the names that they need are in modules or at file level.
class Names final {
 public:
  void add(const Declarations& all) {
    for (const Declaration* declared : all) {
      declared_.emplace(declared->scoped_name, declared);
      if (const auto* module = as<Module>(declared)) add(module->contents);
    }
  }
  void check(const Declarations& all) {
    for (const Declaration* declared : all) {
      if (declared->is_imported) continue;
      const auto* value = as<ValueType>(declared);
      if (value != nullptr && !value->is_abstract && !value->is_holder) {
        check(*value, value->scoped_name + "_init", "the factory");
        check(*value, "::OBV_" + value->scoped_name.substr(2), "the class for the state");
      }
      if (const auto* module = as<Module>(declared)) check(module->contents);
    }
  }
  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  void check(const ValueType& value, const std::string& name, const std::string& use) {
    const auto found = declared_.find(name);
    if (found == declared_.end()) return;
    diagnostics_.push_back(
        {Severity::error,
         value.location,
         "'" + name + "' is also " + use + " of the valuetype '" + value.scoped_name + "'",
         "rename one of them",
         {}});
  }

  std::map<std::string, const Declaration*> declared_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

std::vector<Diagnostic> value_clashes(const Model& model) {
  Names names;
  names.add(model.definitions);
  names.check(model.definitions);
  return names.take();
}

}  // namespace perigee::idlc::cpp11
