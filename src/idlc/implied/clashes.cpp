// Compares the inherited operations of implied interfaces.
#include "idlc/implied/clashes.h"

#include "idlc/frontend/lexer.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace perigee::idlc {
namespace {

class Clashes final {
 public:
  void add(const Async& async) { asyncs_[async.client] = &async; }
  /// Call this for all operations first.
  void add_origins(const std::vector<ImpliedOperation>& operations) {
    for (const ImpliedOperation& each : operations) origins_[each.node] = each.origin;
  }

  /// `handler`: the handler that `origin` implies. A single base cannot bring a new clash.
  void look_at(const Interface& origin, const Interface& handler) {
    if (handler.bases.size() < 2) return;
    std::unordered_map<std::string, const Declaration*> inherited;  // by lower case
    for (const Interface* base : all_bases(handler)) {
      for (const Declaration* each : base->contents) {
        const auto [known, is_new] = inherited.emplace(lower_case(each->name), each);
        if (!is_new) report(origin, handler, *known->second, *each);
      }
    }
  }

  /// Two bases of `async.client` may have coroutines of the same abstract interface.
  void look_at(const Async& async) {
    if (async.client->bases.size() < 2) return;
    std::set<std::pair<const Declaration*, Half>> inherited;
    for (const Interface* base : all_bases(*async.client))
      for (const AsyncOperation& each : asyncs_.at(base)->operations)
        if (!inherited.emplace(each.origin, each.half).second) report(*async.origin, *each.origin);
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

  /// Each pair is reported once, for the first interface that inherits both.
  void report(const Interface& origin, const Interface& handler, const Declaration& first,
              const Declaration& second) {
    const Declaration& one = *origins_.at(&first);
    const Declaration& other = *origins_.at(&second);
    if (!reported_.emplace(&one, &other).second) return;
    Diagnostic diagnostic;
    diagnostic.location = origin.location;
    diagnostic.text = "'" + handler.name + "', which '" + origin.name + "' implies, inherits '" +
                      second.name + "' from two bases";
    diagnostic.hint = "do without asynchronous calls and servants of '" + origin.name + "'";
    if (&one == &other) {  // an operation of an abstract base
      diagnostic.hint = common_base(origin, one) + ", or " + diagnostic.hint;
      diagnostic.notes.push_back({one.location, "both are implied by '" + one.name + "'"});
    } else {
      diagnostic.hint = "rename '" + one.name + "' or '" + other.name + "', or " + diagnostic.hint;
      diagnostic.notes.push_back({one.location, "one is implied by '" + one.name + "'"});
      diagnostic.notes.push_back({other.location, "the other is implied by '" + other.name + "'"});
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
  for (const Ami& ami : implied.ami)
    if (ami.poller != nullptr) clashes.look_at(*ami.origin, *ami.poller);
  for (const Amh& amh : implied.amh) clashes.look_at(*amh.origin, *amh.handler);
  for (const Async& async : implied.async) clashes.add(async);
  for (const Async& async : implied.async) clashes.look_at(async);
  return clashes.take();
}

}  // namespace perigee::idlc
