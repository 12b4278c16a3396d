// Compares the inherited operations of implied interfaces.
#include "idlc/implied/clashes.h"

#include "idlc/frontend/lexer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perigee::idlc {
namespace {

class Clashes final {
 public:
  void add(const Async& async) { asyncs_[async.client] = &async; }
  /// Call this for all operations first.
  void add_origins(const std::vector<ImpliedOperation>& operations) {
    for (const ImpliedOperation& each : operations) origins_[each.node] = each.origin;
  }

  /// `made`: the handler, poller or stub that `origin` implies. A single base cannot bring a new
  /// clash.
  void look_at(const Interface& origin, const Interface& made) {
    if (made.bases.size() < 2) return;
    std::unordered_map<std::string, Inherited> inherited;  // by lower case
    for (const Interface* base : all_bases(made)) {
      for (const Declaration* each : base->contents) {
        const auto [known, is_new] =
            inherited.emplace(lower_case(each->name), Inherited{each, base});
        if (!is_new && is_clash(known->second, {each, base}) &&
            !is_hidden(made, known->second, {each, base}))
          report(origin, made, *known->second.declaration, *each);
      }
    }
  }

  /// Two bases of `async.client` may have coroutines of the same abstract interface.
  void look_at(const Async& async) {
    if (async.client->bases.size() < 2) return;
    std::set<std::pair<const Declaration*, Half>> own;
    for (const AsyncOperation& each : async.operations) own.emplace(each.origin, each.half);
    std::set<std::pair<const Declaration*, Half>> inherited;
    for (const Interface* base : all_bases(*async.client))
      for (const AsyncOperation& each : asyncs_.at(base)->operations)
        if (!inherited.emplace(each.origin, each.half).second &&
            !own.contains({each.origin, each.half}))
          report(*async.origin, *each.origin);
  }

  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

 private:
  /// A remedy for bases that have the same abstract base.
  static std::string common_base(const Interface& origin, const Declaration& operation) {
    return "let the bases of '" + origin.name + "' derive from one interface that derives from '" +
           operation.parent->name + "'";
  }

  /// Each operation of an abstract interface is reported once.
  void report(const Interface& origin, const Declaration& operation) {
    if (!reported_.emplace(&operation, &operation).second) return;
    Diagnostic diagnostic;
    diagnostic.location = origin.location;
    diagnostic.text = "two bases of '" + origin.name + "' have coroutines for '" + operation.name +
                      "' of the abstract interface '" + operation.parent->name + "'";
    diagnostic.hint =
        common_base(origin, operation) + ", or do without coroutines of '" + origin.name + "'";
    diagnostic.notes.push_back({operation.location, "'" + operation.name + "' is declared here"});
    diagnostics_.push_back(std::move(diagnostic));
  }

  struct Inherited {
    const Declaration* declaration;
    const Interface* owner;
  };

  /// Whether `made`, or a base that derives from both owners, declares the operation of an abstract
  /// interface again. This declaration hides the two.
  [[nodiscard]] bool is_hidden(const Interface& made, const Inherited& one,
                               const Inherited& other) const {
    const Declaration& origin = origin_of(*one.declaration);
    if (&origin != &origin_of(*other.declaration)) return false;
    std::vector<const Interface*> hiding = all_bases(made);
    hiding.push_back(&made);
    return std::ranges::any_of(hiding, [&](const Interface* each) {
      return derives(*each, *one.owner) && derives(*each, *other.owner) &&
             std::ranges::any_of(each->contents, [&](const Declaration* own) {
               return lower_case(own->name) == lower_case(one.declaration->name) &&
                      &origin_of(*own) == &origin;
             });
    });
  }

  /// The front end has compared the declarations of the IDL file with each other. A declaration of
  /// a derived interface hides those of its bases.
  [[nodiscard]] bool is_clash(const Inherited& one, const Inherited& other) const {
    if (!is_implied(*one.declaration) && !is_implied(*other.declaration)) return false;
    return !derives(*one.owner, *other.owner) && !derives(*other.owner, *one.owner);
  }
  static bool derives(const Interface& interface, const Interface& base) {
    const std::vector<const Interface*> bases = all_bases(interface);
    return std::ranges::find(bases, &base) != bases.end();
  }
  [[nodiscard]] bool is_implied(const Declaration& declaration) const {
    return origins_.contains(&declaration);
  }
  [[nodiscard]] const Declaration& origin_of(const Declaration& declaration) const {
    return is_implied(declaration) ? *origins_.at(&declaration) : declaration;
  }
  [[nodiscard]] std::string note_of(const std::string& which,
                                    const Declaration& declaration) const {
    const std::string name = "'" + origin_of(declaration).name + "'";
    return which + (is_implied(declaration) ? " is implied by " : " is ") + name;
  }

  /// Each pair is reported once, for the first interface that inherits both.
  void report(const Interface& origin, const Interface& made, const Declaration& first,
              const Declaration& second) {
    const Declaration& one = origin_of(first);
    const Declaration& other = origin_of(second);
    if (!reported_.emplace(&one, &other).second) return;
    Diagnostic diagnostic;
    diagnostic.location = origin.location;
    diagnostic.text = "'" + made.name + "', which '" + origin.name + "' implies, inherits '" +
                      second.name + "' from two bases";
    diagnostic.hint = "do without asynchronous calls and servants of '" + origin.name + "'";
    if (&one == &other) {  // an operation of an abstract base
      diagnostic.hint = common_base(origin, one) + ", or " + diagnostic.hint;
      diagnostic.notes.push_back({one.location, "both are implied by '" + one.name + "'"});
    } else {
      diagnostic.hint = "rename '" + one.name + "' or '" + other.name + "', or " + diagnostic.hint;
      diagnostic.notes.push_back({one.location, note_of("one", first)});
      diagnostic.notes.push_back({other.location, note_of("the other", second)});
    }
    diagnostics_.push_back(std::move(diagnostic));
  }

  std::map<const Declaration*, const Declaration*> origins_;
  std::unordered_map<const Interface*, const Async*> asyncs_;  // by client
  std::set<std::pair<const Declaration*, const Declaration*>> reported_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

std::vector<Diagnostic> inherited_clashes(const ImpliedIdl& implied) {
  Clashes clashes;
  for (const Ami& ami : implied.ami) clashes.add_origins(ami.operations);
  for (const Amh& amh : implied.amh) clashes.add_origins(amh.operations);
  for (const Ami& ami : implied.ami) clashes.look_at(*ami.origin, *ami.handler);
  for (const Ami& ami : implied.ami) clashes.look_at(*ami.origin, *ami.stub);
  for (const Ami& ami : implied.ami)
    if (ami.poller != nullptr) clashes.look_at(*ami.origin, *ami.poller);
  for (const Amh& amh : implied.amh) clashes.look_at(*amh.origin, *amh.handler);
  for (const Async& async : implied.async) clashes.add(async);
  for (const Async& async : implied.async) clashes.look_at(async);
  return clashes.take();
}

}  // namespace perigee::idlc
