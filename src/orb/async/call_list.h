// Lists of asynchronous calls, whose links are in the calls.
#pragma once

#include <cstddef>
#include <utility>

namespace perigee::orb {

/// The links of a call in its list. A call is in one list at most.
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

/// A queue of calls in the order of arrival. A call may be in a CallList at the same time. Call has
/// `Call* next_in_queue`. The queue allocates no memory.
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

}  // namespace perigee::orb
