// Determines which interfaces are chosen for AMI, AMH and coroutines.
#include "idlc/implied/clashes.h"
#include "idlc/implied/implied.h"
#include "idlc/implied/maker.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <variant>

namespace perigee::idlc {
namespace {

/// `@CORBA(ami=true)`. A declaration may have several annotations of this name. The last
/// annotation with the parameter decides.
bool has_corba_ami(const Declaration& declaration) {
  bool is_chosen = false;
  for (const Annotation& annotation : declaration.annotations) {
    if (annotation.name != "CORBA") continue;
    const auto ami = std::ranges::find(annotation.parameters, "ami", &AnnotationParameter::name);
    if (ami != annotation.parameters.end()) is_chosen = ami->value == Value{true};
  }
  return is_chosen;
}

bool wants_ami(const Interface& interface) {
  return interface.annotation("perigee::ami") != nullptr || has_corba_ami(interface);
}

bool wants_pollers(const Interface& interface) {
  return interface.annotation("perigee::ami_polling") != nullptr;
}

/// Whether the interface, or one of its operations or attributes, has the annotation.
bool has_anywhere(const Interface& interface, std::string_view annotation) {
  const auto is_annotated = [&](const Declaration* each) {
    return each->annotation(annotation) != nullptr;
  };
  return is_annotated(&interface) || std::ranges::any_of(interface.contents, is_annotated);
}

bool wants_amh(const Interface& interface) { return has_anywhere(interface, "perigee::amh"); }
bool wants_async(const Interface& interface) { return has_anywhere(interface, "perigee::async"); }

/// Collects interfaces, each after its bases.
class Choice final {
 public:
  Choice(bool all, std::function<bool(const Interface&)> is_annotated, std::string word)
      : all_(all), is_annotated_(std::move(is_annotated)), word_(std::move(word)) {}

  void look_at(const Declarations& declarations, std::vector<Diagnostic>& diagnostics) {
    for (const Declaration* each : declarations) {
      if (const auto* module = as<Module>(each)) look_at(module->contents, diagnostics);
      if (const auto* interface = as<Interface>(each)) look_at(*interface, diagnostics);
    }
  }

  /// Also chooses these interfaces, without warnings about local and abstract ones.
  void choose_also(std::function<bool(const Interface&)> is_chosen) {
    is_also_chosen_ = std::move(is_chosen);
  }

  std::vector<const Interface*> chosen;

 private:
  void look_at(const Interface& interface, std::vector<Diagnostic>& diagnostics) {
    const bool is_annotated = is_annotated_(interface);
    if (interface.is_local || interface.is_abstract) {
      if (is_annotated && !interface.is_imported) diagnostics.push_back(no_effect(interface));
      return;
    }
    const bool is_chosen =
        is_annotated || is_also_chosen_(interface) || (all_ && !interface.is_imported);
    if (interface.is_defined && is_chosen) add(interface);
  }

  [[nodiscard]] Diagnostic no_effect(const Interface& interface) const {
    Diagnostic diagnostic;
    diagnostic.severity = Severity::warning;
    diagnostic.location = interface.location;
    diagnostic.text = word_ + " has no effect on " + (interface.is_local ? "local" : "abstract") +
                      " interface '" + interface.name + "'";
    diagnostic.hint = "annotate the interfaces that derive from it";
    if (interface.is_local) diagnostic.hint = "calls of local objects do not pass through the ORB";
    return diagnostic;
  }

  void add(const Interface& interface) {
    if (!known_.insert(&interface).second) return;
    for (const Interface* base : concrete_bases(interface)) add(*base);
    chosen.push_back(&interface);
  }

  const bool all_;
  const std::function<bool(const Interface&)> is_annotated_;
  std::function<bool(const Interface&)> is_also_chosen_ = [](const Interface&) { return false; };
  const std::string word_;
  std::unordered_set<const Interface*> known_;
};

}  // namespace

ImpliedIdl imply(Model& model, const ImpliedOptions& options) {
  ImpliedIdl implied;
  Choice polling(options.ami_polling, wants_pollers, "ami_polling");
  Choice ami(options.ami || options.ami_polling, wants_ami, "ami");
  ami.choose_also(wants_pollers);  // `polling` warns
  Choice amh(options.amh, wants_amh, "amh");
  Choice async(options.async, wants_async, "async");
  polling.look_at(model.definitions, implied.diagnostics);
  ami.look_at(model.definitions, implied.diagnostics);
  amh.look_at(model.definitions, implied.diagnostics);
  async.look_at(model.definitions, implied.diagnostics);
  Maker maker(model);
  implied.ami = imply_ami(maker, ami.chosen, polling.chosen);
  implied.amh = imply_amh(maker, amh.chosen, options.amh);
  implied.async = imply_async(maker, async.chosen, options.async);
  std::ranges::move(inherited_clashes(implied), std::back_inserter(implied.diagnostics));
  return implied;
}

bool ImpliedIdl::ok() const {
  return std::ranges::none_of(diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::error;
  });
}

}  // namespace perigee::idlc
