// Where asynchronous calls stand: lists that they link themselves into, and a table by request id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perigee::orb {

/// A call's place in the one list that it is in, if it is in one.
template <typename Call>
class CallLink {
 public:
  [[nodiscard]] bool linked() const noexcept { return linked_; }

 private:
  template <typename T>
  friend class CallList;
  Call* previous_ = nullptr;
  Call* next_ = nullptr;
  bool linked_ = false;
};

/// Calls in the order in which they came. Call has `CallLink<Call> link`.
template <typename Call>
class CallList {
 public:
  CallList() noexcept = default;
  CallList(CallList&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        last_(std::exchange(other.last_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  CallList& operator=(CallList&&) = delete;

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Call* first() const noexcept { return first_; }

  void push_back(Call& call) noexcept {
    call.link.previous_ = std::exchange(last_, &call);
    call.link.next_ = nullptr;
    call.link.linked_ = true;
    (call.link.previous_ != nullptr ? call.link.previous_->link.next_ : first_) = &call;
    ++size_;
  }
  void erase(Call& call) noexcept {
    auto& link = call.link;
    (link.previous_ != nullptr ? link.previous_->link.next_ : first_) = link.next_;
    (link.next_ != nullptr ? link.next_->link.previous_ : last_) = link.previous_;
    link = {};
    --size_;
  }
  /// Null if it is empty.
  Call* pop_front() noexcept {
    Call* const call = first_;
    if (call != nullptr) erase(*call);
    return call;
  }

 private:
  Call* first_ = nullptr;
  Call* last_ = nullptr;
  std::size_t size_ = 0;
};

/// Calls that wait for somebody, in the order in which they came, whatever list they are in
/// besides. Call has `Call* next_in_queue`. Takes no memory.
template <typename Call>
class CallQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void push_back(Call& call) noexcept {
    call.next_in_queue = nullptr;
    (first_ != nullptr ? last_->next_in_queue : first_) = &call;
    last_ = &call;
  }
  /// Null if it is empty.
  Call* pop_front() noexcept {
    Call* const call = first_;
    if (call != nullptr) first_ = call->next_in_queue;
    return call;
  }

 private:
  Call* first_ = nullptr;
  Call* last_ = nullptr;
};

/// Calls by `request_id`, which are even. An id has one place, and is not used while another call
/// stands there: so finding and removing a call is one step, however many there are. Ids that
/// follow each other have places beside each other.
///
/// Invariant: at most half of the places are taken, each by a call that belongs there.
template <typename Call>
class CallTable {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Makes room for one more; the only function that takes memory.
  void reserve_one() {
    if ((size_ + 1) * 2 > places_.size()) grow();
  }
  /// Whether a call with this id can be inserted, if there is room.
  [[nodiscard]] bool has_place(std::uint32_t request_id) const noexcept {
    return places_.empty() || places_[index_of(request_id)] == nullptr;
  }
  /// There is room, and a place for its id.
  void insert(Call& call) noexcept {
    places_[index_of(call.request_id)] = &call;
    ++size_;
  }
  /// Null if there is none.
  [[nodiscard]] Call* find(std::uint32_t request_id) const noexcept {
    if (places_.empty()) return nullptr;
    Call* const call = places_[index_of(request_id)];
    return call != nullptr && call->request_id == request_id ? call : nullptr;
  }
  /// The call is in the table.
  void erase(const Call& call) noexcept {
    places_[index_of(call.request_id)] = nullptr;
    --size_;
  }

 private:
  static constexpr std::size_t places_min = 64;

  [[nodiscard]] std::size_t index_of(std::uint32_t request_id) const noexcept {
    return (request_id >> 1) & (places_.size() - 1);
  }
  // Those that had places of their own have them among more, too.
  void grow() {
    std::vector<Call*> old(places_.empty() ? places_min : places_.size() * 2);
    old.swap(places_);
    for (Call* const call : old)
      if (call != nullptr) places_[index_of(call->request_id)] = call;
  }

  std::vector<Call*> places_;  // their number is a power of two
  std::size_t size_ = 0;
};

}  // namespace perigee::orb
