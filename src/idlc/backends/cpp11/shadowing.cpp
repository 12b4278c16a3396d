// Looks for constants, typedefs and interfaces that have the same name as a parameter in IDL, and
// for names that the library may have. Generated code begins its own names with an underscore,
// which IDL names cannot do.
#include "idlc/backends/cpp11/shadowing.h"

#include "idlc/backends/cpp11/client.h"

#include <algorithm>
#include <set>
#include <string>

namespace perigee::idlc::cpp11 {

namespace {

class Walk final {
 public:
  void declarations(const Declarations& all) {
    for (const Declaration* declared : all) {
      if (declared->kind == DeclarationKind::constant ||
          declared->kind == DeclarationKind::type_definition ||
          declared->kind == DeclarationKind::interface)
        names_.insert(declared->name);
      if (const auto* structure = as<Struct>(declared)) members(structure->members);
      if (const auto* exception = as<Exception>(declared)) members(exception->members);
      if (const auto* value = as<ValueType>(declared))
        for (const StateMember& state : value->state) parameters_.insert(state.member.name);
      if (const auto* factory = as<Factory>(declared))
        for (const Parameter& parameter : factory->parameters) parameters_.insert(parameter.name);
      if (const auto* operation = as<Operation>(declared))
        for (const Parameter& parameter : operation->parameters) parameters_.insert(parameter.name);
      declarations(nested_declarations(*declared));
    }
  }
  void parameters(const std::vector<std::string>& names) {
    parameters_.insert(names.begin(), names.end());
  }
  [[nodiscard]] bool is_any_shadowed() const {
    return std::ranges::any_of(names_,
                               [&](const std::string& name) { return parameters_.contains(name); });
  }

 private:
  // Members are also parameters of constructors.
  void members(const std::vector<Member>& all) {
    for (const Member& member : all) parameters_.insert(member.name);
  }

  std::set<std::string> names_;
  std::set<std::string> parameters_;
};

/// Files of the interface repository declare CORBA types that the library also has, in an inline
/// namespace.
bool adds_to_library(const Model& model) {
  return std::ranges::any_of(model.definitions, [](const Declaration* declared) {
    return declared->kind == DeclarationKind::module && declared->name == "CORBA" &&
           !declared->is_imported;
  });
}

bool needs_shadowing(const Model& model, const std::vector<std::string>& parameters) {
  if (adds_to_library(model)) return true;
  Walk walk;
  walk.parameters(parameters);
  walk.declarations(model.definitions);
  return walk.is_any_shadowed();
}

}  // namespace

void begin_shadowing(Writer& writer, const Model& model,
                     const std::vector<std::string>& parameters) {
  if (!needs_shadowing(model, parameters)) return;
  writer.separate();
  writer.write(R"(
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // names that IDL allows twice
)");
  writer.separate();
}

void end_shadowing(Writer& writer, const Model& model, const std::vector<std::string>& parameters) {
  if (!needs_shadowing(model, parameters)) return;
  writer.separate();
  writer.write("#pragma GCC diagnostic pop");
}

}  // namespace perigee::idlc::cpp11
