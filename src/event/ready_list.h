// The handlers that asked to be called again: a list threaded through the handlers themselves, so
// that marking and unmarking cost nothing and never allocate. Private to event.
#pragma once

#include <perigee/event/reactor.h>

#include <cstddef>

namespace perigee::event {

/// Invariant: a handler is in the list exactly if its `next_` is not null. The last one's neighbour
/// is the list's own end mark.
class ReadyList {
 public:
  ReadyList() noexcept { end_.next_ = end_.previous_ = &end_; }
  ReadyList(const ReadyList&) = delete;
  ReadyList& operator=(const ReadyList&) = delete;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Puts `handler` at the end, unless it is in the list already.
  void push(EventHandler& handler) noexcept {
    if (handler.next_ != nullptr) return;
    handler.previous_ = end_.previous_;
    handler.next_ = &end_;
    end_.previous_->next_ = &handler;
    end_.previous_ = &handler;
    ++size_;
  }
  /// Takes the first one out. The list must not be empty.
  [[nodiscard]] EventHandler& pop() noexcept {
    ReadyLink& first = *end_.next_;
    erase(first);
    return static_cast<EventHandler&>(first);  // every link but the end mark is a handler's
  }
  /// Takes `handler` out if it is in the list.
  void erase(ReadyLink& handler) noexcept {
    if (handler.next_ == nullptr) return;
    handler.previous_->next_ = handler.next_;
    handler.next_->previous_ = handler.previous_;
    handler.previous_ = handler.next_ = nullptr;
    --size_;
  }

 private:
  ReadyLink end_;
  std::size_t size_ = 0;
};

}  // namespace perigee::event
