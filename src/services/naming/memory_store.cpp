// The store without a file. Ordered maps: names that clients choose cannot make a look-up slow.
#include "services/naming/random_identity.h"
#include <perigee/services/naming/store.h>

#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace perigee::naming {

namespace {

using Outcome = ChangeResult::Outcome;

struct Stored {
  Target target;
  WallTime expires = never;
};
using Bindings = std::map<Component, Stored>;

bool has_ended(WallTime expires, WallTime now) { return expires != never && expires <= now; }
bool is_context(const Target& target) { return target.kind != TargetKind::object; }

/// The octets of a binding that count towards the limit: its octets, and a share for the nodes of
/// the map.
std::size_t size_of(const Component& name, const Target& target) {
  constexpr std::size_t node_size = sizeof(Bindings::value_type) + 48;
  return node_size + name.id.size() + name.kind.size() + target.reference.size();
}

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const MemoryStoreOptions& options)
      : identity_(random_identity()), options_(options) {
    contexts_[root_context];
  }

  [[nodiscard]] std::uint64_t identity() const noexcept override { return identity_; }

  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) override {
    const std::lock_guard lock(mutex_);
    const auto bindings = contexts_.find(context);
    if (bindings == contexts_.end()) return std::nullopt;
    const auto found = bindings->second.find(name);
    if (found == bindings->second.end()) return std::nullopt;
    return Binding{name, found->second.target, found->second.expires};
  }

  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) override {
    const std::lock_guard lock(mutex_);
    std::vector<Binding> page;
    const auto found = contexts_.find(context);
    if (found == contexts_.end()) return page;
    const Bindings& bindings = found->second;
    auto at = after == nullptr ? bindings.begin() : bindings.upper_bound(*after);
    for (; at != bindings.end() && page.size() < count; ++at) {
      const auto& [name, stored] = *at;
      if (has_ended(stored.expires, now)) continue;
      page.push_back({name, {stored.target.kind, stored.target.context, {}}, stored.expires});
    }
    return page;
  }

  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) override {
    const std::lock_guard lock(mutex_);
    return contexts_.contains(context);
  }

  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) override {
    const std::lock_guard lock(mutex_);
    return !leases_.empty() && std::get<WallTime>(*leases_.begin()) <= now;
  }

  void change(Change change, Done done) override {
    std::unique_lock lock(mutex_);
    auto result = apply(change);
    lock.unlock();
    done(std::move(result));
  }

 private:
  std::expected<ChangeResult, StoreError> apply(Change& change) {
    const auto found = contexts_.find(change.context);
    if (found == contexts_.end()) return ChangeResult{Outcome::no_context};
    Bindings& bindings = found->second;
    switch (change.kind) {
      case Change::Kind::bind:
        return bind(bindings, change, is_free(bindings, change));
      case Change::Kind::rebind:
        return rebind(bindings, change);
      case Change::Kind::unbind:
        return unbind(bindings, change);
      case Change::Kind::renew:
        return renew(bindings, change);
      case Change::Kind::make_context:
        if (has_all_contexts()) return ChangeResult{Outcome::too_many};
        return ChangeResult{Outcome::done, make_context()};
      case Change::Kind::bind_new_context:
        return bind_new_context(bindings, change);
      case Change::Kind::destroy_context:
        return destroy(found, change.now);
      case Change::Kind::remove_expired:
        return remove_expired(change.now);
    }
    return ChangeResult{};
  }

  static bool is_free(const Bindings& bindings, const Change& change) {
    const auto found = bindings.find(change.name);
    return found == bindings.end() || has_ended(found->second.expires, change.now);
  }

  std::expected<ChangeResult, StoreError> bind(Bindings& bindings, Change& change, bool may) {
    if (!may) return ChangeResult{Outcome::already_bound};
    const std::size_t added = size_of(change.name, change.target);
    const auto replaced = bindings.find(change.name);
    const std::size_t removed =
        replaced == bindings.end() ? 0 : size_of(replaced->first, replaced->second.target);
    if (added > options_.size_max || size_ - removed > options_.size_max - added)
      return std::unexpected(
          StoreError{StoreError::Kind::full, "the names in memory would take more than " +
                                                 std::to_string(options_.size_max) +
                                                 " octets; keep the names in a file"});
    remove(change.context, bindings, replaced);
    if (change.expires != never) leases_.emplace(change.expires, change.context, change.name);
    bindings.emplace(std::move(change.name), Stored{std::move(change.target), change.expires});
    size_ += added;
    return ChangeResult{};
  }

  std::expected<ChangeResult, StoreError> rebind(Bindings& bindings, Change& change) {
    const auto found = bindings.find(change.name);
    if (found != bindings.end() && !has_ended(found->second.expires, change.now) &&
        is_context(found->second.target) != is_context(change.target))
      return ChangeResult{Outcome::wrong_sort};
    return bind(bindings, change, true);
  }

  ChangeResult unbind(Bindings& bindings, const Change& change) {
    if (is_free(bindings, change)) return {Outcome::not_bound};
    remove(change.context, bindings, bindings.find(change.name));
    return {};
  }

  ChangeResult renew(Bindings& bindings, const Change& change) {
    if (is_free(bindings, change)) return {Outcome::not_bound};
    WallTime& expires = bindings.find(change.name)->second.expires;
    if (expires == never) return {};
    leases_.erase({expires, change.context, change.name});
    if (change.expires != never) leases_.emplace(change.expires, change.context, change.name);
    expires = change.expires;
    return {};
  }

  [[nodiscard]] bool has_all_contexts() const { return contexts_.size() >= options_.contexts_max; }

  ContextNumber make_context() {
    const ContextNumber made = ++last_;
    contexts_[made];
    return made;
  }

  std::expected<ChangeResult, StoreError> bind_new_context(Bindings& bindings, Change& change) {
    if (!is_free(bindings, change)) return ChangeResult{Outcome::already_bound};
    if (has_all_contexts()) return ChangeResult{Outcome::too_many};
    change.target = {TargetKind::own_context, last_ + 1, {}};
    auto bound = bind(bindings, change, true);
    if (bound) bound->made = make_context();
    return bound;
  }

  ChangeResult destroy(std::map<ContextNumber, Bindings>::iterator context, WallTime now) {
    Bindings& bindings = context->second;
    for (const auto& [name, stored] : bindings)
      if (!has_ended(stored.expires, now)) return {Outcome::not_empty};
    while (!bindings.empty()) remove(context->first, bindings, bindings.begin());
    contexts_.erase(context);
    return {};
  }

  ChangeResult remove_expired(WallTime now) {
    while (!leases_.empty() && std::get<WallTime>(*leases_.begin()) <= now) {
      const auto [expires, context, name] = *leases_.begin();
      Bindings& bindings = contexts_.find(context)->second;
      remove(context, bindings, bindings.find(name));
    }
    return {};
  }

  void remove(ContextNumber context, Bindings& bindings, Bindings::iterator at) {
    if (at == bindings.end()) return;
    size_ -= size_of(at->first, at->second.target);
    if (at->second.expires != never) leases_.erase({at->second.expires, context, at->first});
    bindings.erase(at);
  }

  const std::uint64_t identity_;
  const MemoryStoreOptions options_;
  std::mutex mutex_;  // guards the members below
  std::map<ContextNumber, Bindings> contexts_;
  std::set<std::tuple<WallTime, ContextNumber, Component>> leases_;  // of the bindings in contexts_
  ContextNumber last_ = root_context;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<Store> make_memory_store(const MemoryStoreOptions& options) {
  return std::make_unique<MemoryStore>(options);
}

}  // namespace perigee::naming
