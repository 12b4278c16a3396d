// One thread runs the connects in progress. Other threads look up names, or block in connects.
#include "engine/client/connects.h"

#include <perigee/base/log.h>
#include <perigee/event/timer.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace perigee::engine {

using transport::Endpoint;

namespace {

IoError error_of(const Endpoint& endpoint, IoErrorKind kind, int code, const char* reason = "") {
  return {kind, IoOperation::connect, code, to_string(endpoint) + reason};
}

IoError not_begun(const Endpoint& endpoint) {
  return error_of(endpoint, IoErrorKind::timed_out, 0,
                  " (all threads of -ORBConnectingThreadsMax were busy)");
}

// The error has no text, since the text would need memory.
IoError without_memory() noexcept { return {IoErrorKind::limit, IoOperation::connect, ENOMEM, {}}; }

}  // namespace

/// One connect, or the handshake of its transport, in progress.
class Connects::Attempt final : public event::EventHandler {
 public:
  Attempt(Connects& owner, Wanted wanted_connection,
          std::unique_ptr<transport::ConnectInProgress> begun)
      : wanted(std::move(wanted_connection)), connect(std::move(begun)), owner_(owner) {}

  void handle_ready(event::Readiness /*readiness*/) noexcept override { owner_.advance(*this); }
  void time_over() noexcept;
  /// Goes on with the connect, or with the handshake. Null: the attempt has to wait.
  [[nodiscard]] Made advance() {
    if (!opening) {
      Made made = connect->advance();
      if (!made || *made == nullptr || !(*made)->features().opens) return made;
      opening = std::move(*made);
    }
    const IoResult result = opening->open(transport::Wait::no);
    if (result.ok()) return std::move(opening);
    if (result.status == IoStatus::would_block) return nullptr;
    return std::unexpected(transport::opening_error(*opening, result));
  }
  [[nodiscard]] int handle() const noexcept {
    return opening ? opening->readiness_fd() : connect->handle();
  }
  [[nodiscard]] bool wants_writable() const noexcept {
    return opening && opening->wants(transport::Step::open) == transport::Wants::to_write;
  }

  Wanted wanted;
  std::unique_ptr<transport::ConnectInProgress> connect;
  std::unique_ptr<transport::Transport> opening;  // connected; its handshake is in progress
  event::MemberTimer<Attempt, &Attempt::time_over> timer{*this};
  int added = -1;  // the handle that is registered with the reactor
  bool over = false;

 private:
  Connects& owner_;
};

Connects::Connects(std::uint32_t waiting_threads_max, const Clock& clock) noexcept
    : waiting_threads_max_(waiting_threads_max), clock_(clock) {}

Connects::~Connects() { stop(); }

void Connects::connect(Wanted wanted) {
  if (!wanted.connector) return queue(wanted);
  auto begun = wanted.connector->begin(wanted.endpoint);
  if (!begun || *begun == nullptr) return queue(wanted);  // a waiting thread also reports an error
  begin(wanted, std::move(*begun));
}

// Takes `wanted`, unless it throws.
void Connects::begin(Wanted& wanted, std::unique_ptr<transport::ConnectInProgress> connect) {
  prepare_reactor();
  Attempts made;
  const Attempt* const own = &made.emplace_back(*this, std::move(wanted), std::move(connect));
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    begun_.splice(begun_.end(), made);
    if (attempt_threads_ != 0) {
      reactor_->post(wake_task_);
      return;
    }
    attempt_threads_ = 1;
  }
  try {
    threads_.start([this] { run_attempts(); });
  } catch (const std::exception&) {  // system_error or bad_alloc
    if (drop_without_thread(begun_, attempt_threads_, own, wanted)) throw;
  }
}

void Connects::prepare_reactor() {
  const std::lock_guard lock(mutex_);
  if (reactor_) return;
  auto made = event::make_reactor(clock_);
  if (!made) throw std::system_error(made.error().code, std::system_category());
  reactor_ = std::move(*made);
}

void Connects::queue(Wanted& wanted) {
  const void* own = nullptr;
  {
    Queue made;
    made.push_back(std::move(wanted));
    own = &made.front();
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    waiting_.splice(waiting_.end(), made);
    if (waiting_threads_ == waiting_threads_max_) return;
    ++waiting_threads_;
  }
  try {
    threads_.start([this] { run_waiting(); });
  } catch (const std::exception&) {  // system_error or bad_alloc
    if (drop_without_thread(waiting_, waiting_threads_, own, wanted)) throw;
  }
}

namespace {

Connects::Wanted& wanted_of(Connects::Wanted& wanted) noexcept { return wanted; }
template <typename Attempt>
Connects::Wanted& wanted_of(Attempt& attempt) noexcept {
  return attempt.wanted;
}

IoError no_thread(const Endpoint& endpoint) noexcept try {
  return error_of(endpoint, IoErrorKind::limit, EAGAIN);
} catch (const std::bad_alloc&) {
  return without_memory();
}

}  // namespace

// Called if no thread could be started. If no other thread runs, no connect of the list would ever
// end, so the list is emptied. `done` reports this for all connects but the caller's own. True: the
// caller's own connect was still in the list, and is in `wanted` again. Then the exception has to
// report the failure.
template <typename List>
bool Connects::drop_without_thread(List& list, std::uint32_t& threads, const void* own,
                                   Wanted& wanted) {
  List left;
  {
    const std::lock_guard lock(mutex_);
    if (--threads == 0) left.swap(list);
  }
  bool own_left = false;
  for (auto& entry : left) {
    if (&entry == own) {
      own_left = true;
      wanted = std::move(wanted_of(entry));
    } else {
      wanted_of(entry).done(std::unexpected(no_thread(wanted_of(entry).endpoint)));
    }
  }
  return own_left;
}

IoError Connects::timed_out(const Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  const bool waits = std::ranges::any_of(
      waiting_, [&](const Wanted& wanted) { return wanted.endpoint == endpoint; });
  return waits ? not_begun(endpoint) : error_of(endpoint, IoErrorKind::timed_out, 0);
}

void Connects::stop() noexcept {
  Queue dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
    if (attempt_threads_ != 0) reactor_->post(wake_task_);
  }
  threads_.join_all();
}

// --- Threads that wait ---

void Connects::run_waiting() noexcept {
  Queue taken;
  while (take(taken)) {
    look_up(taken.front());
    taken.clear();
  }
}

// A thread that finds no connect is removed from the count of threads under the lock. So a thread
// that wants a connection afterwards starts another thread.
bool Connects::take(Queue& taken) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || waiting_.empty()) {
    --waiting_threads_;
    return false;
  }
  taken.splice(taken.end(), waiting_, waiting_.begin());
  return true;
}

void Connects::look_up(Wanted& wanted) noexcept {
  std::expected<void, IoError> result;
  try {
    result = try_look_up(wanted);
  } catch (const std::bad_alloc&) {
    result = std::unexpected(without_memory());
  } catch (const std::exception&) {  // system_error: no thread
    result = std::unexpected(no_thread(wanted.endpoint));
  }
  if (!result && wanted.done) wanted.done(std::unexpected(std::move(result.error())));
}

std::expected<void, IoError> Connects::try_look_up(Wanted& wanted) {
  if (!wanted.connector)
    return std::unexpected(error_of(wanted.endpoint, IoErrorKind::unsupported, 0));
  if (wanted.until.passed(clock_.now())) return std::unexpected(not_begun(wanted.endpoint));
  auto begun = wanted.connector->look_up(wanted.endpoint);
  if (!begun) return std::unexpected(std::move(begun.error()));
  if (*begun != nullptr) {
    begin(wanted, std::move(*begun));
  } else {
    Made made = connect_waiting(wanted);
    wanted.done(std::move(made));
  }
  return {};
}

Connects::Made Connects::connect_waiting(const Wanted& wanted) const {
  using std::chrono::milliseconds;
  const milliseconds left =
      wanted.until.is_never()
          ? milliseconds(0)
          : std::max(std::chrono::ceil<milliseconds>(wanted.until.left(clock_.now())),
                     milliseconds(1));
  return connect_and_open(*wanted.connector, wanted.endpoint, left, clock_);
}

// --- The thread that runs the attempts ---

void Connects::run_attempts() noexcept {
  while (take_attempts()) {
    try {
      reactor_->run_once(Deadline::never());
    } catch (const std::exception& exception) {  // bad_alloc
      log::write(log::Level::error, "engine", exception.what());
    }
    ended_.clear();
  }
}

// False: nothing is left to do. Another thread may begin as soon as the lock is free.
bool Connects::take_attempts() {
  for (;;) {
    Attempts taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(begun_);
      if (stopped_) break;
      if (taken.empty()) {
        if (running_.empty()) attempt_threads_ = 0;
        return attempt_threads_ != 0;
      }
    }
    while (!taken.empty()) {
      running_.splice(running_.end(), taken, taken.begin());
      start(running_.back());
    }
    ended_.clear();
  }
  give_up_attempts();
  return false;
}

// Called after `stop`, when no other thread begins.
void Connects::give_up_attempts() noexcept {
  for (Attempt& attempt : running_) {
    reactor_->cancel(attempt.timer);
    reactor_->remove(attempt);
  }
  running_.clear();
}

void Connects::start(Attempt& attempt) noexcept {
  if (!attempt.wanted.until.is_never()) reactor_->arm(attempt.timer, attempt.wanted.until);
  advance(attempt);
}

void Connects::advance(Attempt& attempt) noexcept {
  if (attempt.over) return;
  Made made = step(attempt);
  if (!made || *made != nullptr) end(attempt, std::move(made));
}

// Null: the reactor reports when to go on.
Connects::Made Connects::step(Attempt& attempt) noexcept try {
  Made made = attempt.advance();
  if (!made || *made != nullptr) return made;
  if (auto watched = watch(attempt); !watched) return std::unexpected(std::move(watched.error()));
  return made;
} catch (const std::exception&) {  // bad_alloc
  return std::unexpected(without_memory());
}

// The handle of a transport may differ from the handle of its connect. The reactor also reports
// octets that came before the handle was added.
std::expected<void, IoError> Connects::watch(Attempt& attempt) {
  const int handle = attempt.handle();
  if (attempt.added != handle) {
    if (std::exchange(attempt.added, -1) >= 0) reactor_->remove(attempt);
    if (auto added = reactor_->add(handle, attempt); !added) return added;
    attempt.added = handle;
  }
  reactor_->want_writable(
      attempt, attempt.wants_writable() ? event::WriteInterest::on : event::WriteInterest::off);
  return {};
}

void Connects::Attempt::time_over() noexcept {
  if (over) return;
  IoError error = without_memory();
  try {
    error = opening ? transport::opening_error(*opening, {0, IoStatus::timed_out, 0})
                    : connect->timed_out();
  } catch (const std::bad_alloc&) {  // without its text
    error.kind = IoErrorKind::timed_out;
    error.code = 0;
  }
  owner_.end(*this, std::unexpected(std::move(error)));
}

// The attempt is destroyed when the turn has ended.
void Connects::end(Attempt& attempt, Made made) noexcept {
  attempt.over = true;
  reactor_->cancel(attempt.timer);
  if (std::exchange(attempt.added, -1) >= 0) reactor_->remove(attempt);
  const auto place =
      std::ranges::find_if(running_, [&](const Attempt& known) { return &known == &attempt; });
  ended_.splice(ended_.end(), running_, place);
  attempt.wanted.done(std::move(made));
}

}  // namespace perigee::engine
