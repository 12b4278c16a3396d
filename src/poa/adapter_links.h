// The links of one adapter in the tree of adapters: its parent, its path, its children, and the
// children that an adapter activator is making. Calls no activator.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/octets.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::poa {

/// Parent and path do not change. The other members are guarded by the mutex of the adapter.
///
/// Invariants: no child is null; each child that is being made has the id of a thread.
template <typename Node>
class AdapterLinks {
 public:
  using Lock = std::unique_lock<std::mutex>;  ///< a lock of the adapter's mutex

  /// `path`: the encoded names of the adapters below the Root POA, as in a persistent object key.
  AdapterLinks(const counted_ptr<Node>& parent, Octets path)
      : parent_(parent), path_(std::move(path)) {}

  [[nodiscard]] counted_ptr<Node> parent() const noexcept { return parent_.lock(); }
  [[nodiscard]] const Octets& path() const noexcept { return path_; }

  /// @name Children
  /// @{
  [[nodiscard]] bool contains(std::string_view name) const noexcept {
    return children_.find(name) != children_.end();
  }
  /// Null if there is none.
  [[nodiscard]] counted_ptr<Node> find(std::string_view name) const noexcept {
    const auto found = children_.find(name);
    return found == children_.end() ? nullptr : found->second;
  }
  /// Null if there are no children.
  [[nodiscard]] counted_ptr<Node> first() const noexcept {
    return children_.empty() ? nullptr : children_.begin()->second;
  }
  /// The child whose name comes next; null if there is none.
  [[nodiscard]] counted_ptr<Node> after(std::string_view name) const noexcept {
    const auto next = children_.upper_bound(name);
    return next == children_.end() ? nullptr : next->second;
  }
  [[nodiscard]] std::vector<counted_ptr<Node>> all() const {
    std::vector<counted_ptr<Node>> all;
    for (const auto& [name, child] : children_) all.push_back(child);
    return all;
  }
  void add(const std::string& name, const counted_ptr<Node>& child) {
    children_.emplace(name, child);
  }
  /// Does nothing if the name belongs to another child by now.
  void remove(const std::string& name, const Node* child) noexcept {
    const auto found = children_.find(name);
    if (found != children_.end() && found->second.get() == child) children_.erase(found);
  }
  /// @}

  /// @name Children that an activator is making
  /// @{
  [[nodiscard]] bool is_being_made(std::string_view name) const noexcept {
    return being_made_.find(name) != being_made_.end();
  }
  [[nodiscard]] bool is_being_made_elsewhere(std::string_view name) const noexcept {
    const auto making = being_made_.find(name);
    return making != being_made_.end() && making->second != std::this_thread::get_id();
  }
  /// Whether the calling thread is inside the adapter activator of this adapter.
  [[nodiscard]] bool makes_child() const noexcept {
    return std::ranges::any_of(being_made_, [](const auto& making) {
      return making.second == std::this_thread::get_id();
    });
  }
  /// Waits until no other thread makes the child.
  void wait_until_made(Lock& lock, std::string_view name) {
    made_.wait(lock, [this, name] { return !is_being_made_elsewhere(name); });
  }
  void begin_making(const std::string& name) {
    being_made_.emplace(name, std::this_thread::get_id());
  }
  void end_making(const std::string& name) noexcept {
    being_made_.erase(name);
    made_.notify_all();
  }
  /// @}

  [[nodiscard]] bool check_invariants() const noexcept {
    return std::ranges::all_of(children_, [](const auto& each) { return bool(each.second); }) &&
           std::ranges::all_of(
               being_made_, [](const auto& making) { return making.second != std::thread::id(); });
  }

 private:
  const weak_counted_ptr<Node> parent_;
  const Octets path_;
  std::map<std::string, counted_ptr<Node>, std::less<>> children_;
  std::map<std::string, std::thread::id, std::less<>> being_made_;
  std::condition_variable made_;
};

}  // namespace perigee::poa
