// The data of a naming service: contexts, and their bindings. The interface of storage back ends,
// and two back ends: memory, and a file of SQLite. perigee-names has a third one for etcd. A store
// knows no ORB: references are octets.
#pragma once

#include <perigee/base/export.h>

#include <compare>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::naming {

/// The number of a context in its store. A store never uses a number again.
using ContextNumber = std::uint64_t;
/// The root context. It always exists.
inline constexpr ContextNumber root_context = 1;

/// A part of a name. Ordered by octets: first the id, then the kind.
struct Component {
  std::string id;
  std::string kind;
  friend auto operator<=>(const Component&, const Component&) = default;
};

enum class TargetKind : std::uint8_t {
  object = 0,
  foreign_context = 1,  ///< a context of another naming service
  own_context = 2,      ///< a context of this store
};

/// The target of a binding.
struct Target {
  TargetKind kind = TargetKind::object;
  ContextNumber context = 0;  ///< of an own context
  std::string reference;      ///< otherwise: an IOR as an encapsulation
  friend bool operator==(const Target&, const Target&) = default;
};

/// Milliseconds since 1970-01-01 UTC.
using WallTime = std::int64_t;
inline constexpr WallTime never = 0;  ///< the end of a binding without a lease

struct Binding {
  Component name;
  Target target;
  WallTime expires = never;
  friend bool operator==(const Binding&, const Binding&) = default;
};

/// Why a store cannot do its work. `text` is for operators: it has the file, the cause and a
/// remedy.
struct StoreError {
  enum class Kind : std::uint8_t {
    failed,       ///< an error of the system or of the database
    full,         ///< no space is left for the file, or the store has reached its limit
    read_only,    ///< the file or its folder cannot be written
    corrupt,      ///< the file is not a store, or is damaged
    newer,        ///< a later version of Perigee has written the file
    busy,         ///< another program uses the file, or too many changes wait
    unavailable,  ///< the servers of the store did not answer in time; nothing was changed
    uncertain,    ///< likewise, but the change may have been made
  };
  Kind kind = Kind::failed;
  std::string text;
};

/// One change. It is made as a whole or not at all.
struct Change {
  enum class Kind : std::uint8_t {
    bind,              ///< a new binding to `target`
    rebind,            ///< the same, or replaces a binding of the same sort (object or context)
    unbind,            ///< removes the binding
    renew,             ///< sets the end of a binding that has a lease
    make_context,      ///< makes a context without a name
    bind_new_context,  ///< makes a context and binds it
    destroy_context,   ///< removes `context`, which must be empty
    remove_expired,    ///< removes bindings whose leases have ended: all, or a part
  };
  Kind kind = Kind::bind;
  ContextNumber context = root_context;
  Component name;
  Target target;
  WallTime expires = never;  ///< of the binding
  WallTime now = 0;          ///< bindings that ended at this time or before count as removed
};

struct ChangeResult {
  enum class Outcome : std::uint8_t {
    done,
    already_bound,  ///< bind, bind_new_context
    not_bound,      ///< unbind, renew
    wrong_sort,     ///< rebind: the name has a binding of the other sort
    not_empty,      ///< destroy_context
    no_context,     ///< `context` does not exist
    too_many,       ///< make_context, bind_new_context: the store has as many contexts as it may
  };
  Outcome outcome = Outcome::done;
  ContextNumber made = 0;  ///< make_context, bind_new_context
  bool has_more = false;   ///< remove_expired: more such bindings may be left
};

/// Gets the result of a change, once, when the change is durable or has failed. May run inside
/// `Store::change` or later on a thread of the store. Must not throw, and must not wait for the
/// store.
using Done = std::move_only_function<void(std::expected<ChangeResult, StoreError>)>;

/// Learns of a binding that may differ from what `find` returned before. nullptr: all bindings may.
/// Runs on a thread of the store. Must not throw, and must not call the store.
using BindingChanged = std::function<void(ContextNumber, const Component*)>;

/// Keeps contexts and bindings. Any thread. Functions that read see all changes whose `Done` was
/// called.
class PERIGEE_API Store {
 public:
  virtual ~Store() = default;

  /// A number that other stores do not have: references to contexts contain it.
  [[nodiscard]] virtual std::uint64_t identity() const noexcept = 0;
  /// The binding, or none. Also returns bindings whose leases have ended.
  [[nodiscard]] virtual std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) = 0;
  /// At most `count` bindings in the order of their names: from the first one, or from the first
  /// one after `after`. Leaves out bindings that ended at `now` or before. The time does not
  /// depend on the position. References of objects are left out.
  [[nodiscard]] virtual std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                             const Component* after,
                                                                             std::size_t count,
                                                                             WallTime now) = 0;
  [[nodiscard]] virtual std::expected<bool, StoreError> exists(ContextNumber context) = 0;
  /// Whether bindings are left whose leases ended at `now` or before. Quick.
  [[nodiscard]] virtual std::expected<bool, StoreError> has_expired(WallTime now) = 0;
  /// A store that other programs change, too, calls the function when `find` returns something new,
  /// and when it can no longer tell what is new. Call it once, before the first change.
  virtual void on_binding_changed(const BindingChanged& /*changed*/) {}
  /// Makes the change. Changes of one thread happen in their order.
  virtual void change(Change change, Done done) = 0;

 protected:
  Store() = default;
};

struct MemoryStoreOptions {
  /// Octets of names and references together. A change beyond it fails with `full`.
  std::size_t size_max = std::size_t{1} << 30;
  std::size_t contexts_max = 1'000'000;  ///< with the root context
};

/// Keeps everything in memory: all names end with the process.
[[nodiscard]] PERIGEE_API std::unique_ptr<Store> make_memory_store(
    const MemoryStoreOptions& options = {});

struct SqliteStoreOptions {
  std::size_t waiting_max = 16'384;      ///< changes that wait; a further one fails with `busy`
  std::size_t group_max = 1'024;         ///< changes that are made durable together; 0 counts as 1
  std::size_t contexts_max = 1'000'000;  ///< with the root context
};

/// Opens the file, and makes it if it does not exist. Missing folders are made, too. The store is
/// the only user of the file until it is destroyed. A file of an earlier version is converted.
///
/// Each change is durable when its `Done` is called: it survives the end of the process and of the
/// system. A thread of the store writes the changes that wait as one group, and calls `Done`. The
/// destructor first makes the changes that wait. Errors: all kinds of StoreError.
[[nodiscard]] PERIGEE_API std::expected<std::unique_ptr<Store>, StoreError> open_sqlite_store(
    const std::string& path, const SqliteStoreOptions& options = {});

}  // namespace perigee::naming
