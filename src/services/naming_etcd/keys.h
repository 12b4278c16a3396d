// The keys of a name tree in etcd. All keys begin with a prefix, so that several trees can share a
// cluster:
//
//   <prefix>store                          the version and the identity of the tree
//   <prefix>last                           the last number of a context, and the number of contexts
//   <prefix>changed                        each change writes it: its revision is the newest one
//   <prefix>c/<context>                    a context; 16 hexadecimal digits
//   <prefix>b/<context>/<id> 00 01 <kind>  a binding. In ids, 00 is written 00 ff, so that the
//                                          order of keys is the order of names
#pragma once

#include <perigee/services/naming/store.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace perigee::naming::etcd {

/// A half-open range of keys, as etcd has it.
struct KeyRange {
  std::string begin;
  std::string end;
};

struct ContextKey {
  ContextNumber context = 0;
  friend bool operator==(const ContextKey&, const ContextKey&) = default;
};
struct BindingKey {
  ContextNumber context = 0;
  Component name;
  friend bool operator==(const BindingKey&, const BindingKey&) = default;
};
enum class SingleKey : std::uint8_t { store, last, changed };
using Key = std::variant<SingleKey, ContextKey, BindingKey>;

/// A value: any thread.
class Keys {
 public:
  /// A prefix without a '/' at its end gets one.
  explicit Keys(std::string prefix);

  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  [[nodiscard]] std::string store() const { return prefix_ + "store"; }
  [[nodiscard]] std::string last() const { return prefix_ + "last"; }
  [[nodiscard]] std::string changed() const { return prefix_ + "changed"; }
  [[nodiscard]] std::string context(ContextNumber context) const;
  [[nodiscard]] std::string binding(ContextNumber context, const Component& name) const;
  [[nodiscard]] KeyRange bindings_of(ContextNumber context) const;
  [[nodiscard]] KeyRange all() const;
  /// The opposite of the functions above. std::nullopt for a key of another program.
  [[nodiscard]] std::optional<Key> parse(std::string_view key) const;

 private:
  std::string prefix_;
};

}  // namespace perigee::naming::etcd
