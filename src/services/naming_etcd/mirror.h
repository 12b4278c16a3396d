// A copy of the name tree of etcd in memory. Reads are answered from it.
#pragma once

#include "services/naming_etcd/keys.h"
#include "services/naming_etcd/messages.h"
#include "services/naming_etcd/records.h"
#include <perigee/services/naming/store.h>

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace perigee::naming::etcd {

/// The mirror's data about a binding. A damaged value has no record.
struct Entry {
  std::optional<BindingRecord> record;
  Revision modified = 0;
};

/// Octets of memory that a binding takes in the mirror: its name, its reference, and a share for
/// the nodes of maps. The limit for new bindings and the size of the mirror both count this number.
[[nodiscard]] std::size_t size_of_binding(const Component& name, const Target& target) noexcept;
[[nodiscard]] std::size_t size_of_binding(const Component& name, const Entry& entry) noexcept;

/// The size in octets at which a store gives up its copy: twice the limit for new bindings. Several
/// servers may bind at the same time, and another server may have a larger limit. The names above
/// the limit for new bindings are served and can be unbound.
[[nodiscard]] constexpr std::size_t copy_size_max(std::size_t size_max) noexcept {
  return size_max > std::numeric_limits<std::size_t>::max() / 2 ? size_max : 2 * size_max;
}

/// The text of the error for names that take more than `limit` octets.
[[nodiscard]] std::string too_large_text(std::size_t limit);

/// Not thread-safe: its owner has the guard.
class Mirror {
 public:
  explicit Mirror(Keys keys) : keys_(std::move(keys)) {}

  /// Makes the change of a key. Events of one key come in the order of their revisions. Ignores
  /// keys that are not of this tree.
  void apply(const Event& event);
  /// The newest revision of an event.
  [[nodiscard]] Revision revision() const noexcept { return revision_; }
  /// After a complete copy at this revision.
  void set_revision(Revision revision) noexcept { revision_ = std::max(revision_, revision); }

  [[nodiscard]] const Entry* find(ContextNumber context, const Component& name) const;
  [[nodiscard]] const ContextRecord* find_context(ContextNumber context) const;
  [[nodiscard]] std::vector<Binding> list(ContextNumber context, const Component* after,
                                          std::size_t count, WallTime now) const;
  /// A binding of the context whose lease has not ended. nullptr: there is none.
  [[nodiscard]] const std::pair<const Component, Entry>* find_valid(ContextNumber context,
                                                                    WallTime now) const;
  /// At most `count` bindings whose leases have ended.
  [[nodiscard]] std::vector<std::pair<BindingKey, Revision>> expired(std::size_t count,
                                                                     WallTime now) const;
  [[nodiscard]] bool has_expired(WallTime now) const;

  [[nodiscard]] const std::optional<LastRecord>& last() const noexcept { return last_; }
  [[nodiscard]] Revision last_modified() const noexcept { return last_modified_; }
  /// Whether no key of a tree exists.
  [[nodiscard]] bool is_empty() const noexcept {
    return contexts_.empty() && names_.empty() && !store_ && last_modified_ == 0;
  }
  /// Why these are not the names of a naming service, or their identity.
  [[nodiscard]] std::expected<StoreRecord, StoreError> store_record() const;
  /// Octets of names and references, with a share for the nodes of maps.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bindings() const noexcept { return bindings_; }

 private:
  using Bindings = std::map<Component, Entry>;

  void apply_single(SingleKey key, const Event& event);
  void apply_context(ContextNumber context, const Event& event);
  void apply_binding(const BindingKey& key, const Event& event);
  void remove(const BindingKey& key);

  Keys keys_;
  std::map<ContextNumber, ContextRecord> contexts_;
  std::map<ContextNumber, Bindings> names_;                          // without empty maps
  std::set<std::tuple<WallTime, ContextNumber, Component>> leases_;  // of the bindings in names_
  std::optional<LastRecord> last_;
  Revision last_modified_ = 0;
  std::optional<std::string> store_;
  Revision revision_ = 0;
  std::size_t size_ = 0;
  std::size_t bindings_ = 0;
};

}  // namespace perigee::naming::etcd
