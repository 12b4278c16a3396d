// Sends and receives through the rings, and waits for the peer.
#include "transport/shared_memory/ring_transport.h"

#include "ipc/input_size.h"
#include <perigee/base/clock.h>
#include <perigee/event/handle_state.h>
#include <perigee/ipc/io.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace perigee::transport::shared_memory {
namespace {

using std::chrono::nanoseconds;

/// Octets that one side copies before it shows the other side its progress.
constexpr std::uint32_t piece_size = 64 * 1024;
/// The most that the first receive takes after the ring was empty. The header of a large message is
/// among these octets. So the caller can receive the rest where it belongs, without a further copy.
constexpr std::size_t first_size = 16 * 1024;
/// The room that a message gets in the ring. Larger messages are encoded elsewhere and copied.
constexpr std::size_t lent_min = 1024;
/// Octets that may stay unread in the socket. It has room for more than 200.
constexpr std::uint32_t wakes_max = 32;
/// An honest peer leaves fewer octets in the socket.
constexpr std::size_t flood_size = 1024;
constexpr nanoseconds unlimited = nanoseconds::max();
/// No sleep is longer. A hostile peer can move a sleeping thread to another futex, where no wake of
/// this process finds it.
constexpr nanoseconds sleep_max = std::chrono::seconds(5);

}  // namespace

class RingTransport::TimeLeft {
 public:
  /// Zero: no limit. The time begins with the first call of `left`.
  explicit TimeLeft(std::chrono::microseconds limit) noexcept : limit_(std::min(limit, longest)) {}

  /// Zero or less if the time has passed.
  [[nodiscard]] nanoseconds left() {
    if (limit_.count() == 0) return unlimited;
    const TimePoint now = steady_clock().now();
    if (end_ == TimePoint{}) end_ = now + limit_;
    return end_ - now;
  }

 private:
  static constexpr std::chrono::microseconds longest = std::chrono::hours(876'000);  // 100 years

  const std::chrono::microseconds limit_;
  TimePoint end_;  // not set before the first call
};

RingTransport::RingTransport(std::unique_ptr<Transport> socket, std::string peer,
                             const Shared& shared)
    : Transport({.opens = true,
                 .buffers = true,
                 .encodes_in_place = true,
                 .scatters = true,
                 .spins = true}),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      watcher_(shared.watcher),
      links_(shared.trust ? std::make_unique<RingLinks>(shared.trust) : nullptr) {}

RingTransport::RingTransport(std::unique_ptr<Transport> socket, std::string peer,
                             const Shared& shared, std::shared_ptr<RingQuota> quota)
    : RingTransport(std::move(socket), std::move(peer), shared) {
  quota_ = std::move(quota);
}

RingTransport::RingTransport(std::unique_ptr<Transport> socket, std::string peer,
                             const Shared& shared, Rings::Made made)
    : RingTransport(std::move(socket), std::move(peer), shared) {
  rings_ = std::move(made.rings);
  memory_ = std::move(made.memory);
}

// As with sockets, octets that stay unread reset the connection.
RingTransport::~RingTransport() {
  watch_.reset();
  if (!opened_.load()) return;
  if (receiver_.available() != 0) sender_.words().ended.store(aborted);
  end_output(closed);
  receiver_.words().receiver_gone.store(1);
  wake_peer(receiver_.words().sender_waits);
}

int RingTransport::output_error() const noexcept {
  const RingWords& words = sender_.words();
  if (words.receiver_gone.load() != 0 || words.ended.load() != Ended::open || interrupted_.load())
    return EPIPE;
  return peer_ended_.load() ? ECONNRESET : 0;
}

void RingTransport::publish() noexcept {
  sender_.publish();
  published_.store(sender_.written(), std::memory_order_relaxed);
  wake_peer(sender_.words().receiver_waits);
}

// If the socket is full, the peer has enough octets there to be woken.
[[gnu::always_inline]] inline void RingTransport::wake_peer(ipc::SharedWord& waits) noexcept {
  if (!wake(waits)) [[likely]]
    return;
  constexpr std::byte octet{};
  (void)ipc::io::send(readiness_fd(), {&octet, 1}, ipc::no_wait);
}

// A peer on another CPU receives a piece while this thread copies the next one. A peer on the same
// CPU runs when the ring is full: each change from process to process costs as much as a copy.
IoResult RingTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  if (const int error = output_error(); error != 0) return {0, IoStatus::failed, error};
  TimeLeft left(send_timeout_.load());
  std::size_t done = 0;
  std::size_t unpublished = 0;
  for (OctetSpan rest : segments) {
    while (!rest.empty()) {
      std::uint32_t room = sender_.room();
      if (room == 0) {
        if (std::exchange(unpublished, 0) != 0) publish();
        if (wait == Wait::no && done != 0) return {done, IoStatus::ok, 0};
        const IoResult result = await_room(wait, left);
        if (result.status == IoStatus::timed_out && done != 0) return {done, IoStatus::ok, 0};
        if (!result.ok()) return {done, result.status, result.code};
        room = sender_.room();
      }
      const std::size_t count = std::min<std::size_t>({rest.size(), room, piece_size});
      sender_.write(rest.first(count));
      rest = rest.subspan(count);
      done += count;
      unpublished += count;
      if (unpublished < piece_size || is_receiver_here()) continue;
      publish();
      unpublished = 0;
    }
  }
  if (unpublished != 0) publish();
  return {done, IoStatus::ok, 0};
}

// The ring is full.
IoResult RingTransport::await_room(Wait wait, TimeLeft& left) {
  ipc::SharedWord& waits = sender_.words().sender_waits;
  const auto can_go_on = [this] {
    return sender_.room() != 0 || sender_.broken() || output_error() != 0;
  };
  if (wait == Wait::no) {
    if (++sender_polls_ > wakes_max) {
      drain_all_but_one();
      sender_polls_ = 0;
    }
    waits.store(polls);
  }
  while (!can_go_on()) {
    if (wait == Wait::no) return {0, IoStatus::would_block, 0};
    if (send_wait_.until(place_of(sender_.words().receiver_cpu), can_go_on)) break;
    waits.store(sleeps);
    if (can_go_on()) break;
    const nanoseconds limit = left.left();
    if (limit.count() <= 0) return {0, IoStatus::timed_out, 0};
    sleep(waits, limit);
  }
  waits.store(waits_not);
  if (sender_.broken()) return {0, IoStatus::failed, EPROTO};
  const int error = output_error();
  return error == 0 ? IoResult{} : IoResult{0, IoStatus::failed, error};
}

// Another thread may be sending meanwhile. The peer can write any value to `written`: with that
// word, this function could return at once again and again although the ring is full.
void RingTransport::await_sendable(std::chrono::milliseconds limit) noexcept {
  RingWords& words = sender_.words();
  words.sender_waits.store(sleeps);
  const bool is_full = published_.load() - words.taken.load() == sender_.ring().size;
  if (is_full && output_error() == 0) sleep(words.sender_waits, limit);
}

MutableOctetSpan RingTransport::begin_direct(std::size_t hint) noexcept {
  const std::size_t wanted = std::max(hint, lent_min);
  if (sender_.room() < wanted || output_error() != 0) return {};
  lent_ = wanted;
  return {sender_.place(), lent_};
}

// The receiver can read all of the ring, also octets that are not published.
IoResult RingTransport::commit(std::size_t count) noexcept {
  std::memset(sender_.place() + count, 0, lent_ - count);
  if (count == 0) return {};
  if (const int error = output_error(); error != 0) {
    std::memset(sender_.place(), 0, count);
    return {0, IoStatus::failed, error};
  }
  sender_.advance(count);
  publish();
  return {count, IoStatus::ok, 0};
}

bool RingTransport::is_receiver_here() const noexcept {
  return place_of(sender_.words().receiver_cpu) == PeerPlace::same_cpu;
}

void RingTransport::end_output(Ended how) noexcept {
  std::uint32_t expected = Ended::open;
  (void)sender_.words().ended.compare_exchange_strong(expected, how);
  wake_peer(sender_.words().receiver_waits);
}

void RingTransport::shutdown_send() noexcept {
  if (opened_.load()) end_output(closed);
}

IoResult RingTransport::receive_scattered(MutableOctetSpan first, MutableOctetSpan second,
                                          Wait wait) {
  blocks_ = wait == Wait::yes;
  if (const std::uint32_t available = receiver_.available(); available != 0) [[likely]]
    return take(available, first, second);
  if (blocks_) return await_octets(first, second);
  drain_socket();
  note_receiver(polls);
  return look_again(first, second);
}

IoResult RingTransport::take(std::uint32_t available, MutableOctetSpan first,
                             MutableOctetSpan second) noexcept {
  std::size_t left = was_emptied_ ? first_size : available;
  std::size_t done = 0;
  for (MutableOctetSpan space : {first, second}) {
    while (!space.empty() && available != 0 && left != 0) {
      const std::uint32_t count = static_cast<std::uint32_t>(
          std::min<std::size_t>({space.size(), available, left, piece_size}));
      receiver_.read(space.first(count));
      taken_.store(receiver_.taken(), std::memory_order_relaxed);
      space = space.subspan(count);
      done += count;
      left -= count;
      available -= count;
      if (can_use_room(available)) wake_peer(receiver_.words().sender_waits);
    }
  }
  was_emptied_ = available == 0;
  return {done, IoStatus::ok, 0};
}

// Whether it is time to wake a sender that waits for room, if so many octets are left. A sender on
// another CPU goes on when half of the ring is free: a wake for each piece would cost more. A
// sender on the same CPU could not run meanwhile.
bool RingTransport::can_use_room(std::uint32_t available) const noexcept {
  if (available == 0) return true;
  if (available > receiver_.ring().size / 2) return false;
  return place_of(receiver_.words().sender_cpu) != PeerPlace::same_cpu;
}

// Octets that were sent before the end come first, so the ring is read last.
IoResult RingTransport::look_again(MutableOctetSpan first, MutableOctetSpan second) noexcept {
  int code = 0;
  const IoStatus state = input_state(code);
  if (const std::uint32_t available = receiver_.available(); available != 0)
    return take(available, first, second);
  if (receiver_.broken() || flooded_) return {0, IoStatus::failed, EPROTO};
  return {0, state, code};
}

IoStatus RingTransport::input_state(int& code) noexcept {
  if (interrupted_.load()) return IoStatus::end_of_stream;
  const std::uint32_t ended = receiver_.words().ended.load();
  if (ended == closed) return IoStatus::end_of_stream;
  if (ended == Ended::open && !peer_ended_.load()) return IoStatus::would_block;
  code = ECONNRESET;
  return IoStatus::failed;
}

// The peer wakes each wait once: it sets the word to `waits_not`.
void RingTransport::note_receiver(Waits waits) const noexcept {
  const std::uint32_t before = receiver_.words().receiver_waits.exchange(waits);
  if (noted_ == polls && before == waits_not) wakes_.fetch_add(1);
  noted_ = waits;
}

// `begin_watch` may come at any time: the word is written again if it came between both reads. If
// the word is `waits_not` already, there is nothing to write: `begin_watch` changes that value to
// `polls` itself. All accesses are sequentially consistent, so a `begin_watch` that is not seen
// here sees the word as this function leaves it.
void RingTransport::note_idle_receiver() const noexcept {
  if (!watched_.load()) {
    ipc::SharedWord& waits = receiver_.words().receiver_waits;
    if (waits.load() != waits_not) waits.store(waits_not);
    noted_ = waits_not;
    if (!watched_.load()) return;
  }
  note_receiver(polls);
}

bool RingTransport::begin_watch() noexcept {
  watched_.store(true);
  if (!opened_.load()) return false;
  std::uint32_t expected = waits_not;
  if (receiver_.words().receiver_waits.compare_exchange_strong(expected, polls))
    wakes_.fetch_add(1);
  return holds_input();
}

bool RingTransport::has_input() const noexcept {
  return receiver_.available() != 0 || receiver_.broken() || flooded_ ||
         receiver_.words().ended.load() != Ended::open || is_over();
}

// Goes back to `polls` before it reads the ring a last time: the peer then wakes the reactor for
// octets that this call does not see.
IoResult RingTransport::await_octets(MutableOctetSpan first, MutableOctetSpan second) {
  TimeLeft left(receive_timeout_.load());
  if (wakes_.load() > wakes_max) drain_socket();
  for (;;) {
    bool in_time = true;
    const PeerPlace place = place_of(receiver_.words().sender_cpu);
    if (place != PeerPlace::unknown && noted_ == polls) note_receiver(spins);
    if (!receive_wait_.until(place, [this] { return has_input(); })) {
      note_receiver(sleeps);
      if (!has_input()) {
        const nanoseconds limit = left.left();
        in_time = limit.count() > 0;
        if (in_time) sleep(receiver_.words().receiver_waits, limit);
      }
    }
    note_idle_receiver();
    const IoResult result = look_again(first, second);
    if (result.status != IoStatus::would_block) return result;
    if (!in_time) return {0, IoStatus::timed_out, 0};
  }
}

// Before a blocking receive, no reactor need be woken. After a receive without waiting, the caller
// may let a reactor wait for the rest of a message.
bool RingTransport::buffered() const noexcept {
  if (receiver_.available() != 0) return true;
  if (wakes_.load() > wakes_max) drain_socket();
  if (!blocks_ || watched_.load()) note_receiver(polls);
  return has_input();
}

bool RingTransport::holds_input() const noexcept {
  if (!opened_.load()) return false;
  const RingWords& words = receiver_.words();
  return words.written.load() != taken_.load() || words.ended.load() != Ended::open || is_over() ||
         event::is_ended_by_peer(readiness_fd());
}

// Sleeps while the word is `sleeps`. Without the watch, the thread looks at the socket by itself.
void RingTransport::sleep(ipc::SharedWord& word, nanoseconds limit) {
  constexpr nanoseconds look_around = std::chrono::milliseconds(100);
  const bool is_watched = has_watch_.load() || start_watch();
  limit = std::min(limit, is_watched ? sleep_max : look_around);
  sleepers_.fetch_add(1);
  if (!is_over()) ipc::wait_for_change(word, sleeps, limit);
  sleepers_.fetch_sub(1);
  if (word.load() == sleeps && event::is_ended_by_peer(readiness_fd())) (void)note_peer_end();
}

bool RingTransport::start_watch() {
  const std::lock_guard lock(watch_lock_);
  if (watch_ == nullptr)
    watch_ = watcher_->watch(readiness_fd(), [this] { return note_peer_end(); });
  has_watch_.store(watch_ != nullptr);
  return watch_ != nullptr;
}

// True if it must be called again: a hostile peer can write to the word between the wake and the
// sleep of a thread.
bool RingTransport::note_peer_end() const noexcept {
  peer_ended_.store(true);
  wake_own_threads();
  return sleepers_.load() != 0;
}

// The system compares the word only when a thread falls asleep. So a thread may sleep although the
// peer has changed the word: the peer was killed before its wake, or is hostile.
void RingTransport::wake_own_threads() const noexcept {
  for (ipc::SharedWord* const waits :
       {&receiver_.words().receiver_waits, &sender_.words().sender_waits}) {
    std::uint32_t expected = sleeps;
    (void)waits->compare_exchange_strong(expected, waits_not);
    if (sleepers_.load() != 0) ipc::wake_waiting(*waits);
  }
}

// Reads until the socket is empty: an end after the octets causes no further event. A hostile peer
// could send faster than this thread reads.
void RingTransport::drain_socket() const noexcept {
  const std::lock_guard lock(drain_);
  std::array<std::byte, 512> space;
  wakes_.store(0);
  for (std::size_t drained = 0; drained < flood_size;) {
    const auto received = ipc::io::recv(readiness_fd(), space, ipc::no_wait);
    if (received.error == EAGAIN) return;
    if (received.error != 0 || received.count == 0) {
      (void)note_peer_end();
      return;
    }
    drained += received.count;
  }
  flooded_ = true;
}

// The sending thread leaves one octet for the receiving thread. Otherwise, the reactor could find
// the socket empty and report nothing.
void RingTransport::drain_all_but_one() const noexcept {
  const std::lock_guard lock(drain_);
  std::array<std::byte, 64> space;
  const std::size_t waiting = ipc::input_size(readiness_fd());
  if (waiting < 2) return;
  const std::size_t count = std::min(space.size(), waiting - 1);
  (void)ipc::io::recv(readiness_fd(), MutableOctetSpan(space).first(count), ipc::no_wait);
}

IoResult RingTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  receive_timeout_.store(timeout);
  return opened_.load() ? IoResult{} : socket_->set_receive_timeout(timeout);
}

IoResult RingTransport::set_send_timeout(std::chrono::microseconds timeout) {
  send_timeout_.store(timeout);
  return opened_.load() ? IoResult{} : socket_->set_send_timeout(timeout);
}

void RingTransport::interrupt() noexcept {
  interrupted_.store(true);
  if (opened_.load()) {
    end_output(closed);
    receiver_.words().receiver_gone.store(1);
    wake_peer(receiver_.words().sender_waits);
    wake_own_threads();
    const std::lock_guard lock(watch_lock_);
    if (watch_ != nullptr && sleepers_.load() != 0) watch_->call_soon();
  }
  socket_->interrupt();
}

}  // namespace perigee::transport::shared_memory
