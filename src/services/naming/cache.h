// The bindings that were resolved last, with their references, so that `resolve` needs no store.
#pragma once

#include "base/keyed_hash.h"
#include <perigee/orb/object.h>
#include <perigee/services/naming/store.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace perigee::naming {

/// A binding whose reference can be given to clients.
struct Resolved {
  CORBA::object_reference<CORBA::Object> object;
  TargetKind kind = TargetKind::object;
  ContextNumber context = 0;  ///< of an own context
  WallTime expires = never;
};

/// Any thread. A reader takes `generation` before it reads the store. If a change has removed any
/// binding since then, `put` does nothing: the reader may have read the state before the change.
///
/// Bindings live in two maps. When the young map is full it becomes the old map, and the bindings
/// of the old map that were not used meanwhile are dropped.
class Cache {
 public:
  explicit Cache(std::size_t bindings_max) noexcept : half_(bindings_max / 2) {}

  [[nodiscard]] std::optional<Resolved> find(ContextNumber context, const Component& name);
  [[nodiscard]] std::uint64_t generation() const;
  void put(ContextNumber context, const Component& name, const Resolved& resolved,
           std::uint64_t generation);
  void remove(ContextNumber context, const Component& name);
  void clear();

 private:
  struct Key {
    ContextNumber context = 0;
    Component name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// Look-ups use the caller's component, without a copy.
  struct KeyView {
    ContextNumber context = 0;
    const Component& name;
  };
  struct Hash {
    using is_transparent = void;
    static std::size_t of(ContextNumber context, const Component& name) noexcept {
      return keyed_hash(name.id) ^ (keyed_hash(name.kind) * 0x9e3779b97f4a7c15U) ^
             (context * 0xbf58476d1ce4e5b9U);
    }
    std::size_t operator()(const Key& key) const noexcept { return of(key.context, key.name); }
    std::size_t operator()(const KeyView& key) const noexcept { return of(key.context, key.name); }
  };
  struct Equal {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const noexcept {
      return a.context == b.context && a.name == b.name;
    }
  };
  using Map = std::unordered_map<Key, Resolved, Hash, Equal>;

  void insert(Key key, Resolved resolved);

  const std::size_t half_;
  mutable std::mutex mutex_;  // guards the members below
  Map young_;
  Map old_;
  std::uint64_t generation_ = 0;
};

}  // namespace perigee::naming
