// The registry of connections, and the dispatching of parked requests.
#include "engine/connection/connection.h"
#include "engine/connection/home.h"
#include "engine/connection/thread_frame.h"

#include <array>
#include <utility>

namespace perigee::engine {

void Home::add(Connection& connection) noexcept {
  connection.add_reference();
  size_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  connection.next_ = first_;
  (first_ != nullptr ? first_->previous_ : last_) = &connection;
  first_ = &connection;
}

void Home::remove(Connection& connection) noexcept {
  const Place place = place_of(connection.transport());
  {
    const std::lock_guard lock(mutex_);
    (connection.previous_ != nullptr ? connection.previous_->next_ : first_) = connection.next_;
    (connection.next_ != nullptr ? connection.next_->previous_ : last_) = connection.previous_;
    connection.next_ = connection.previous_ = nullptr;
  }
  size_.fetch_sub(1, std::memory_order_relaxed);
  connection.drop_reference();
  owner_.connection_ended(place);
}

void Home::for_each(function_ref<void(Connection&)> action) noexcept {
  visit([](Connection&) { return true; }, action);
}

// Visits connections in chunks, with a reference to each, since `action` may end connections. Each
// connection remembers the number of its last visit. Visited connections move to the end of the
// list, so that each chunk begins at the first connection.
void Home::visit(function_ref<bool(Connection&)> wanted,
                 function_ref<void(Connection&)> action) noexcept {
  const std::lock_guard visiting(visiting_);
  std::array<Connection*, 64> chunk;
  std::uint64_t number = 0;
  for (;;) {
    std::size_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      if (number == 0) number = ++visits_;
      Connection* each = first_;
      for (; each != nullptr && each->visit_ < number && count < chunk.size(); each = each->next_) {
        each->visit_ = number;
        if (!wanted(*each)) continue;
        each->add_reference();
        chunk[count++] = each;
      }
      if (each != nullptr) move_to_back_before(*each);
    }
    for (std::size_t index = 0; index < count; ++index) {
      action(*chunk[index]);
      chunk[index]->drop_reference();
    }
    if (count < chunk.size()) return;
  }
}

// Expects mutex_ to be held.
void Home::move_to_back_before(Connection& first) noexcept {
  if (&first == first_) return;
  Connection* const last = std::exchange(first.previous_, nullptr);
  last->next_ = nullptr;
  last_->next_ = first_;
  first_->previous_ = std::exchange(last_, last);
  first_ = &first;
}

// Connections beyond the chunk wait for the next look. The service thread sends the held replies of
// a reader only if the reader has begun no upcall since the last look. A reader that is busy with
// short upcalls sends its replies itself.
bool Home::look_at_lent_roles() noexcept {
  struct Lent {
    Connection* connection;
    bool stays;
  };
  bool any_upcall = false;
  std::array<Lent, 64> chunk;
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Connection* each = first_; each != nullptr && count < chunk.size(); each = each->next_) {
      const Connection::Upcall upcall = each->look_at_upcall();
      const bool stays = upcall == Connection::Upcall::stays;
      const bool holds = each->io_.holds_output();
      if (upcall != Connection::Upcall::none || holds) any_upcall = true;
      const bool must_send = each->held_since_last_look(holds) && count < chunk.size() / 2;
      if (!stays && !must_send) continue;
      each->add_reference();
      chunk[count++] = {each, stays};
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    Connection& connection = *chunk[index].connection;
    connection.uncork();
    if (chunk[index].stays) connection.call_for_lent_role();
    connection.drop_reference();
  }
  return any_upcall;
}

// Does nothing on a loop of one thread, which sends held requests itself at the end of a turn. A
// thread that holds a request back after the last look finds the supervisor's ticks switched off,
// and starts them again.
bool Home::send_held() noexcept {
  if (loop_.single_threaded()) return false;
  bool any = false;
  visit([](Connection& connection) { return connection.io_.holds_output(); },
        [&any](Connection& connection) {
          any = true;
          connection.uncork();
        });
  return any;
}

void Home::resume_parked() noexcept {
  if (parked_.resume()) dispatch_parked();
}

void Home::lend_parked(ThreadFrame& frame) noexcept {
  if (std::exchange(frame.parked_lent, true)) return;
  parked_.done(frame.parked_number);
  end_parked_turn();
}

// With several threads, the next parked request may be taken when a two-way upcall begins, or when
// the upcall of a oneway ends. With one thread, it may be taken when any upcall begins: only nested
// turns can overtake the request. Until the request is admitted, it counts as parked: otherwise a
// dedicated reader could overtake it.
void Home::handle_event(const Event& /*event*/) noexcept {
  if (!parked_role_.take_or_note()) return;
  const FrameLevel level(settings().read_buffer_size);
  auto request = level ? parked_.take() : std::nullopt;
  if (!request) return end_parked_turn();
  ThreadFrame& frame = *level;
  frame.parked_number = request->number;
  static_cast<Connection&>(*request->owner).handle_parked(request->message, frame);
  lend_parked(frame);
}

void Home::end_parked_turn() noexcept {
  bool more = false;
  while (parked_role_.release() == ReadRole::Release::again) more = true;
  if (more || parked_.any_due()) dispatch_parked();
}

}  // namespace perigee::engine
