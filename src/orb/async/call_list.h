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

/// Calls by `request_id`, which are even. Open addressing: ids that follow each other stand beside
/// each other, so that a look-up is mostly one comparison.
///
/// Invariant: at most half of the places are taken; between a call and the place where its id
/// belongs there is no empty one.
template <typename Call>
class CallTable {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Makes room for one more; the only function that takes memory.
  void reserve_one() {
    if ((size_ + 1) * 2 > places_.size()) grow();
  }
  /// There is room, and no call with its id.
  void insert(Call& call) noexcept {
    place_of(call.request_id) = &call;
    ++size_;
  }
  /// Null if there is none.
  [[nodiscard]] Call* find(std::uint32_t request_id) noexcept {
    return places_.empty() ? nullptr : place_of(request_id);
  }
  /// The call is in the table.
  void erase(const Call& call) noexcept {
    std::size_t hole = index_of(call.request_id);
    while (places_[hole] != &call) hole = next(hole);
    places_[hole] = nullptr;
    --size_;
    for (std::size_t i = next(hole); places_[i] != nullptr; i = next(i)) {
      const std::size_t home = index_of(places_[i]->request_id);
      const bool stays = ((i - home) & mask()) < ((i - hole) & mask());
      if (stays) continue;
      places_[hole] = std::exchange(places_[i], nullptr);
      hole = i;
    }
  }

 private:
  static constexpr std::size_t places_min = 64;

  [[nodiscard]] std::size_t mask() const noexcept { return places_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t index) const noexcept { return (index + 1) & mask(); }
  [[nodiscard]] std::size_t index_of(std::uint32_t request_id) const noexcept {
    return (request_id >> 1) & mask();
  }
  // The call's place, or the empty one where it would stand.
  [[nodiscard]] Call*& place_of(std::uint32_t request_id) noexcept {
    std::size_t index = index_of(request_id);
    while (places_[index] != nullptr && places_[index]->request_id != request_id)
      index = next(index);
    return places_[index];
  }
  void grow() {
    std::vector<Call*> old(places_.empty() ? places_min : places_.size() * 2);
    old.swap(places_);
    for (Call* const call : old)
      if (call != nullptr) place_of(call->request_id) = call;
  }

  std::vector<Call*> places_;
  std::size_t size_ = 0;
};

}  // namespace perigee::orb
