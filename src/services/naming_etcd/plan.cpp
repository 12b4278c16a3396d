// Makes the transactions of etcd that change names: one function for each kind of change.
#include "services/naming_etcd/plan.h"

#include <utility>

namespace perigee::naming::etcd {

namespace {

using Outcome = ChangeResult::Outcome;
using Kind = Change::Kind;

// etcd allows 128 operations in a transaction. Each removal counts as two.
constexpr std::size_t swept_max = 60;

StoreError error_of(StoreError::Kind kind, std::string text) {
  return {kind, "etcd: " + std::move(text)};
}

StoreError uncertain() {
  return error_of(StoreError::Kind::uncertain,
                  "the change got no answer, and another program has changed the name since; look "
                  "at the name before you try again");
}

/// The result of an earlier attempt whose mark is in the names: a program between this store and
/// etcd may have sent the attempt twice, and etcd has refused the repetition.
std::optional<ChangeResult> marked_result(const Mirror& mirror, const Progress& progress) {
  const Change& change = progress.change;
  if (change.kind == Kind::make_context) {
    const ContextRecord* const context = mirror.find_context(progress.tried_number);
    if (context == nullptr || context->mark != progress.mark) return std::nullopt;
    return ChangeResult{Outcome::done, progress.tried_number};
  }
  const Entry* const entry = mirror.find(change.context, change.name);
  if (entry == nullptr || !entry->record || entry->record->mark != progress.mark)
    return std::nullopt;
  return ChangeResult{Outcome::done, entry->record->target.context};
}

/// The result of an earlier attempt without an answer. std::nullopt: it has changed nothing yet.
/// A later attempt expects the same state, so at most one attempt changes anything.
std::optional<std::expected<ChangeResult, StoreError>> earlier_result(const Mirror& mirror,
                                                                      const Progress& progress) {
  const Change& change = progress.change;
  const Entry* const entry = mirror.find(change.context, change.name);
  switch (change.kind) {
    case Kind::make_context:  // its mark is not there
    case Kind::remove_expired:
      return std::nullopt;
    case Kind::destroy_context:
      if (mirror.find_context(change.context) != nullptr) return std::nullopt;
      return ChangeResult{};
    case Kind::unbind:  // the binding is gone, as the client wants it
      if (entry == nullptr) return ChangeResult{};
      break;
    default:
      break;
  }
  const Revision present = entry == nullptr ? 0 : entry->modified;
  if (present == progress.tried) return std::nullopt;
  return std::unexpected(uncertain());
}

class Planner {
 public:
  Planner(const Keys& keys, const Mirror& mirror, const PlanLimits& limits, Progress& progress)
      : keys_(keys), mirror_(mirror), limits_(limits), progress_(progress) {}

  Plan make() {
    plan_.transaction.reads = keys_.changed();
    if (progress_.change.kind == Kind::remove_expired)
      remove_expired();
    else if (require_context())
      make_change();
    if (plan_.writes()) put(keys_.changed(), "1");
    return std::move(plan_);
  }

 private:
  bool require_context() {
    const bool exists = mirror_.find_context(change_.context) != nullptr;
    compare(exists ? Compare::Kind::exists : Compare::Kind::absent, keys_.context(change_.context));
    if (!exists) plan_.result.outcome = Outcome::no_context;
    return exists;
  }

  void make_change() {
    switch (change_.kind) {
      case Kind::bind:
        return bind();
      case Kind::rebind:
        return rebind();
      case Kind::unbind:
        return unbind();
      case Kind::renew:
        return renew();
      case Kind::make_context:
        make_context();
        return;
      case Kind::bind_new_context:
        return bind_new_context();
      case Kind::destroy_context:
        return destroy_context();
      case Kind::remove_expired:
        return;
    }
  }

  /// The binding of the name, which the transaction expects to be unchanged.
  const Entry* expect_binding() {
    const Entry* const entry = mirror_.find(change_.context, change_.name);
    progress_.tried = entry == nullptr ? 0 : entry->modified;
    compare(Compare::Kind::modified_at, binding_key(), progress_.tried);
    return entry;
  }
  [[nodiscard]] bool is_free(const Entry* entry) const {
    if (entry == nullptr) return true;
    return entry->record && entry->record->expires != never &&
           entry->record->expires <= change_.now;
  }

  void bind() {
    if (!is_free(expect_binding())) return end_with(Outcome::already_bound);
    put_binding(change_.target, change_.expires);
  }
  void rebind() {
    const Entry* const entry = expect_binding();
    const bool is_context = change_.target.kind != TargetKind::object;
    if (!is_free(entry) && entry->record &&
        (entry->record->target.kind != TargetKind::object) != is_context)
      return end_with(Outcome::wrong_sort);
    put_binding(change_.target, change_.expires);
  }
  void unbind() {
    if (is_free(expect_binding())) return end_with(Outcome::not_bound);
    plan_.transaction.operations.push_back(
        {.kind = Operation::Kind::remove, .key = binding_key(), .value = {}, .end = {}});
  }
  void renew() {
    const Entry* const entry = expect_binding();
    if (is_free(entry)) return end_with(Outcome::not_bound);
    if (!entry->record) return fail(StoreError::Kind::corrupt, "the binding is damaged");
    if (entry->record->expires == never) return;  // confirmed: the binding has no lease
    put_binding(entry->record->target, change_.expires);
  }

  /// Whether the mirror stays within its limit, or does not grow: at the limit, a binding can be
  /// renewed and replaced by a smaller one.
  [[nodiscard]] bool has_room(const Target& target) const {
    const Entry* const replaced = mirror_.find(change_.context, change_.name);
    const std::size_t freed = replaced == nullptr ? 0 : size_of_binding(change_.name, *replaced);
    const std::size_t added = size_of_binding(change_.name, target);
    const std::size_t kept = mirror_.size() - freed;
    return added <= freed || (added <= limits_.size_max && kept <= limits_.size_max - added);
  }
  void put_binding(Target target, WallTime expires) {
    if (!has_room(target))
      return fail(StoreError::Kind::full, "the names would take more than " +
                                              std::to_string(limits_.size_max) +
                                              " octets of memory; unbind names");
    put(binding_key(), encode(BindingRecord{std::move(target), expires, progress_.mark}));
  }

  /// Adds the operations that make a context. 0: the plan has another result.
  ContextNumber make_context() {
    if (!mirror_.last()) {
      fail(StoreError::Kind::corrupt,
           "the key '" + keys_.last() + "' is missing or damaged; restore a backup");
      return 0;
    }
    LastRecord last = *mirror_.last();
    compare(Compare::Kind::modified_at, keys_.last(), mirror_.last_modified());
    if (last.contexts >= limits_.contexts_max) {
      end_with(Outcome::too_many);
      return 0;
    }
    ++last.contexts;
    plan_.result.made = progress_.tried_number = ++last.number;
    put(keys_.context(last.number), encode(ContextRecord{progress_.mark}));
    put(keys_.last(), encode(last));
    return last.number;
  }
  void bind_new_context() {
    if (!is_free(expect_binding())) return end_with(Outcome::already_bound);
    if (const ContextNumber made = make_context(); made != 0)
      put_binding({TargetKind::own_context, made, {}}, never);
  }

  void destroy_context() {
    if (const auto* const valid = mirror_.find_valid(change_.context, change_.now)) {
      compare(Compare::Kind::modified_at, keys_.binding(change_.context, valid->first),
              valid->second.modified);
      return end_with(Outcome::not_empty);
    }
    if (!mirror_.last())
      return fail(StoreError::Kind::corrupt,
                  "the key '" + keys_.last() + "' is missing or damaged; restore a backup");
    const KeyRange names = keys_.bindings_of(change_.context);
    plan_.transaction.compares.push_back(
        {Compare::Kind::modified_before, names.begin, names.end, mirror_.revision() + 1});
    compare(Compare::Kind::modified_at, keys_.last(), mirror_.last_modified());
    auto& operations = plan_.transaction.operations;
    operations.push_back(
        {.kind = Operation::Kind::remove, .key = names.begin, .value = {}, .end = names.end});
    operations.push_back({.kind = Operation::Kind::remove,
                          .key = keys_.context(change_.context),
                          .value = {},
                          .end = {}});
    LastRecord last = *mirror_.last();
    --last.contexts;
    put(keys_.last(), encode(last));
  }

  /// Another naming service may remove the same bindings: each removal has a condition of its own.
  void remove_expired() {
    const auto expired = mirror_.expired(swept_max, change_.now);
    if (expired.empty()) {
      plan_.known = ChangeResult{};
      return;
    }
    for (const auto& [key, revision] : expired)
      plan_.transaction.operations.push_back({.kind = Operation::Kind::remove_if_unchanged,
                                              .key = keys_.binding(key.context, key.name),
                                              .value = {},
                                              .end = {},
                                              .revision = revision});
    plan_.result.has_more = expired.size() == swept_max;
  }

  void compare(Compare::Kind kind, std::string key, Revision revision = 0) {
    plan_.transaction.compares.push_back({kind, std::move(key), {}, revision});
  }
  void put(std::string key, std::string value) {
    plan_.transaction.operations.push_back({.kind = Operation::Kind::put,
                                            .key = std::move(key),
                                            .value = std::move(value),
                                            .end = {}});
  }
  /// The transaction confirms the outcome, and changes nothing.
  void end_with(Outcome outcome) {
    plan_.result = {outcome};
    plan_.transaction.operations.clear();
  }
  void fail(StoreError::Kind kind, std::string text) {
    plan_.transaction.operations.clear();
    plan_.known = std::unexpected(error_of(kind, std::move(text)));
  }
  [[nodiscard]] std::string binding_key() const {
    return keys_.binding(change_.context, change_.name);
  }

  const Keys& keys_;
  const Mirror& mirror_;
  const PlanLimits& limits_;
  Progress& progress_;
  const Change& change_ = progress_.change;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Keys& keys, const Mirror& mirror, const PlanLimits& limits,
               Progress& progress) {
  if (auto result = marked_result(mirror, progress)) return {std::move(result), {}, {}};
  if (progress.may_be_made)
    if (auto result = earlier_result(mirror, progress)) return {std::move(result), {}, {}};
  return Planner(keys, mirror, limits, progress).make();
}

Transaction creation_of_tree(const Keys& keys, std::uint64_t identity) {
  const auto put = [](std::string key, std::string value) {
    return Operation{
        .kind = Operation::Kind::put, .key = std::move(key), .value = std::move(value), .end = {}};
  };
  return {{{Compare::Kind::absent, keys.store(), {}, 0}},
          {put(keys.store(), encode(StoreRecord{identity})), put(keys.last(), encode(LastRecord{})),
           put(keys.context(root_context), encode(ContextRecord{})), put(keys.changed(), "1")},
          keys.changed()};
}

}  // namespace perigee::naming::etcd
