// Leader and followers on one connection; in the usual case there is a leader only.
#include "orb/server/threaded_connection.h"

#include "orb/core/orb_core.h"
#include "orb/server/server_connection.h"
#include "orb/server/threaded_server.h"
#include <perigee/base/log.h>
#include <perigee/event/handle_state.h>

#include <chrono>
#include <exception>
#include <thread>

namespace perigee::orb {

using messaging::IncomingMessage;
using transport::Wait;

namespace {

// Octets that are read and dropped after MessageError, so that the peer can read it.
constexpr std::size_t linger_size_max = 1u << 20;

}  // namespace

ThreadedConnection::ThreadedConnection(ThreadedServer& server, Accepted accepted)
    : server_(server),
      flusher_(server.flusher()),
      connection_(make_server_connection(server.core(), std::move(accepted), flusher_.get())),
      conversation_(server.core(), connection_.session(), *this) {
  connection_.observe_output(*this);
}

ThreadedConnection::~ThreadedConnection() { connection_.leave_flusher(); }

bool ThreadedConnection::start() {
  const std::lock_guard lock(mutex_);
  return spawn();
}

// Expects mutex_ to be held.
bool ThreadedConnection::spawn() {
  try {
    server_.threads().start([self = shared_from_this()] { self->run_thread(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
    return false;
  }
  ++thread_count_;
  return true;
}

void ThreadedConnection::run_thread() {
  try {
    ServingThread thread(server_.core().settings().server_read_buffer_size);
    work(thread);
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "server", exception.what());
    interrupt();
    end();
  }
  {
    const std::lock_guard lock(mutex_);
    if (--thread_count_ != 0) return;
    ended_ = true;
  }
  forget_if_sent();
}

// Of a connection that no thread reads any longer: the server keeps it until its output is sent.
void ThreadedConnection::forget_if_sent() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_ || thread_count_ != 0) return;
  }
  if (connection_.idle_output() || connection_.broken()) server_.forget(*this);
}

void ThreadedConnection::work(ServingThread& thread) {
  while (await_token()) {
    note_token_change();
    thread.reading = true;
    read_requests(thread);
  }
}

// Blocks while another thread reads. False if this thread is not needed any more.
bool ThreadedConnection::await_token() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (connection_.read_role().try_take()) return true;
    if (idle_count_ != 0) return false;
    ++idle_count_;
    wanted_.wait(lock);
    --idle_count_;
  }
  return false;
}

bool ThreadedConnection::take_token(ServingThread& thread) noexcept {
  thread.reading = connection_.read_role().try_take();
  if (thread.reading) note_token_change();
  return thread.reading;
}

// Returns without the token, or with nothing more to be read.
void ThreadedConnection::read_requests(ServingThread& thread) {
  do {
    IncomingMessage message;
    switch (connection_.read(message, Wait::yes, thread.scratch)) {
      case ReadStatus::message:
        if (connection_.blocked_output() || !conversation_.has_room_for(message)) [[unlikely]]
          await_room(message);
        if (!handle(message, thread)) return end();
        break;
      case ReadStatus::bad_message:
        (void)conversation_.reject(thread);
        linger(thread.scratch);
        return end();
      case ReadStatus::timed_out:
      case ReadStatus::would_block:
      case ReadStatus::turn_over:
        break;
      case ReadStatus::end_of_stream:
      case ReadStatus::failed:
        return end();
    }
  } while (thread.reading || take_token(thread));
}

// Under the read token: a peer that is owed too many answers, or does not read those that came
// later, is not read from.
void ThreadedConnection::await_room(IncomingMessage& message) {
  if (!message.arrived) message.arrived = server_.core().clock().now();
  std::unique_lock lock(mutex_);
  awaits_room_.store(true);
  room_.wait(lock, [this] {
    return (!conversation_.full() && !connection_.blocked_output()) || connection_.broken();
  });
  awaits_room_.store(false);
}

void ThreadedConnection::resume_reading() noexcept {
  const std::lock_guard lock(mutex_);
  room_.notify_all();
}

bool ThreadedConnection::handle(IncomingMessage& message, ServingThread& thread) {
  if (conversation_.handle(message, thread) == Conversation::Verdict::go_on) return true;
  linger(thread.scratch);
  return false;
}

// Until everything is sent, as long as the peer goes on reading.
void ThreadedConnection::await_output() {
  const Clock& clock = server_.core().clock();
  engine::StandStill progress;
  while (!connection_.idle_output() && !connection_.broken() &&
         !progress.lasted(connection_.octets_sent(), clock.now(),
                          server_.core().settings().drain_timeout))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Closing with unread octets would reset the connection, and destroy what we sent.
void ThreadedConnection::linger(MutableOctetSpan scratch) {
  transport::Transport& transport = connection_.transport();
  connection_.finish_output();
  await_output();
  (void)transport.set_receive_timeout(server_.core().settings().drain_idle_timeout);
  const Clock& clock = server_.core().clock();
  const TimePoint end = clock.now() + server_.core().settings().drain_timeout;
  for (std::size_t size = 0; size < linger_size_max && clock.now() < end;) {
    const IoResult result = transport.receive(scratch, Wait::yes);
    if (!result.ok()) return;
    size += result.count;
  }
}

// The read token is kept for ever. Upcalls in progress still answer, and who answers later may.
void ThreadedConnection::end() {
  conversation_.cancel_deferred();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  wanted_.notify_all();
}

void ThreadedConnection::before_upcall(messaging::ResponseFlags response, ServingThread& thread) {
  if (response == messaging::ResponseFlags::none || !thread.reading) return;
  if (connection_.has_octets()) {
    connection_.detach_scratch();  // the scratch space holds the arguments until the upcall ends
    pipelining_ = true;
  }
  const bool needs_helper = pipelining_;
  thread.reading = false;
  note_token_change();
  (void)connection_.read_role().release();  // no events are noted: the connection has no poller
  if (needs_helper) call_helper();
}

void ThreadedConnection::call_helper() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  if (idle_count_ != 0)
    wanted_.notify_one();
  else if (thread_count_ < server_.core().settings().threads_per_connection_max)
    (void)spawn();
}

void ThreadedConnection::watch(TimePoint now) {
  forget_if_sent();
  watch_waiting(now);
  const std::uint32_t changes = token_changes_.load();
  if (changes % 2 == 0 && changes != 0 && changes == watched_changes_) call_helper();
  watched_changes_ = changes;
  if (server_.core().settings().idle_timeout > std::chrono::milliseconds::zero()) watch_idle(now);
}

void ThreadedConnection::watch_waiting(TimePoint now) noexcept {
  conversation_.cancel_expired(now);
  if (awaits_room_.load() && event::is_ended_by_peer(connection_.transport().readiness_fd()))
    conversation_.cancel_deferred();
}

// A peer that does not close after CloseConnection is cut off later.
void ThreadedConnection::watch_idle(TimePoint now) {
  const Settings& settings = server_.core().settings();
  const Duration limit = idle_is_over_ ? settings.drain_timeout : settings.idle_timeout;
  if (!connection_.is_idle(idle_, now, limit)) return;
  if (idle_is_over_) return interrupt();
  idle_is_over_ = conversation_.drain_if_idle();
}

void ThreadedConnection::interrupt_if_stuck() noexcept {
  const std::uint64_t sent = connection_.octets_sent();
  const bool is_sending = !connection_.idle_output();
  if (is_sending && was_sending_ && sent == sent_before_) interrupt();
  was_sending_ = is_sending;
  sent_before_ = sent;
}

// A peer that takes no replies gets no more upcalls either.
void ThreadedConnection::send(const cdr::Buffer& message) {
  if (connection_.send(message, Wait::yes).status == SendStatus::failed) interrupt();
}

// The replying thread may have other requests to serve: what the peer does not take is left to the
// flusher.
void ThreadedConnection::send_later(const cdr::Buffer& message) {
  (void)connection_.send(message, Wait::no);
  if (connection_.blocked_output()) server_.keep(shared_from_this());
}

// On a thread of the flusher.
void ThreadedConnection::output_changed() noexcept {
  resume_reading();
  server_.connection_changed();
}

void ThreadedConnection::send_without_waiting(const cdr::Buffer& message) {
  (void)connection_.send(message, Wait::no);
}

void ThreadedConnection::end_output() noexcept {
  connection_.finish_output();
  server_.connection_changed();
}

bool ThreadedConnection::finished() const {
  return conversation_.closed() && connection_.output_ended();
}

}  // namespace perigee::orb
