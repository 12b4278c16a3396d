// Who drives, and what happens at the end of a turn.
#include "orb/async/shard.h"

#include "orb/async/async_connection.h"
#include "orb/async/async_invocation.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_context.h"
#include "orb/context/upcall_scope.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

namespace {

/// A condition variable adds the wait to its clock's time: no wait may overflow that.
constexpr Duration longest_wait = std::chrono::hours(1);

}  // namespace

/// The right to drive, for as long as it lives.
class Shard::Token {
 public:
  explicit Token(Shard& shard) noexcept : shard_(shard), taken_(shard.try_take()) {}
  ~Token() {
    if (!taken_) return;
    shard_.give_back_to_loop();
    shard_.help();
  }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;
  explicit operator bool() const noexcept { return taken_; }

 private:
  Shard& shard_;
  const bool taken_;
};

Shard::Shard(const OrbContext& context, engine::Connects& connecting, event::Reactor& loop)
    : context_(context), connecting_(connecting), reactor_(loop) {}

Shard::Shard(const OrbContext& context, engine::Connects& connecting,
             std::unique_ptr<event::Reactor> reactor)
    : context_(context), connecting_(connecting), own_(std::move(reactor)), reactor_(*own_) {}

Shard::~Shard() = default;

bool Shard::try_take() noexcept {
  if (driven_.exchange(true)) return false;
  driver_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  return true;
}

void Shard::give_back() noexcept {
  driver_.store({}, std::memory_order_relaxed);
  driven_.store(false);
  notify_waiters();
}

// The loop that this shard is a part of may have looked in vain, or not know yet what is left.
void Shard::give_back_to_loop() noexcept {
  Nested* const nested = nested_.load();
  const bool left = nested != nullptr && leaves_work();
  give_back();
  if (nested != nullptr && (missed_.exchange(false) || left)) nested->look_again();
}

void Shard::notify_waiters() noexcept {
  if (waiters_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Shard::wake() noexcept {
  try {
    reactor_.post([] {});
  } catch (const std::exception&) {  // bad_alloc
    alarm_.raise();
  }
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

bool Shard::do_here(function_ref<void()> task) {
  if (on_thread()) {
    task();
    return true;
  }
  if (!may_be_taken()) return false;
  const Token token(*this);
  if (!token) return false;
  run_posted();  // what came before
  task();
  return true;
}

void Shard::submit(Task task) {
  if (!do_here([&task] { task(); })) post(std::move(task));
}

void Shard::submit(AsyncInvocation& call, Step step) noexcept {
  if (do_here([&] { (call.*step)(); })) return;
  put_posted([&] {
    call.posted_step = step;
    posted_calls_.push_back(call);
  });
}

void Shard::submit(AsyncConnection& connection) noexcept {
  if (do_here([&] { connection.connected(); })) return;
  put_posted([&] { posted_connections_.push_back(connection); });
}

void Shard::submit_behind(Task task) {
  if (on_thread() && (has_posted_.load() || has_taken())) return post(std::move(task));
  submit(std::move(task));
}

void Shard::post(Task task) {
  put_posted([&] { posted_.push_back(std::move(task)); });
}

template <typename Put>
void Shard::put_posted(const Put& put) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    put();
    first = !has_posted_.exchange(true);
  }
  try {
    if (first) reactor_.post([this] { run_posted(); });
  } catch (const std::exception&) {  // bad_alloc
    alarm_.raise();
  }
  if (may_be_taken() && !on_thread()) help();
}

Shard::Alarm::Alarm(Shard& shard) : shard_(shard), signal_(event::Signal::make()) {
  const auto added = shard.reactor_.add(signal_.handle(), *this);
  if (!added) log::write(log::Level::warning, "orb", to_string(added.error()));
}

void Shard::Alarm::end() noexcept { shard_.reactor_.remove(*this); }

// The driver may have left between the look at the token and the posting.
void Shard::help() noexcept {
  while (has_posted_.load() && try_take()) {
    run_posted();
    give_back_to_loop();
  }
}

// Not what is posted meanwhile: who posts without end must not keep the rest from its turn.
void Shard::run_posted() noexcept {
  run_taken();  // if this is nested in one of them
  {
    const std::lock_guard lock(mutex_);
    has_posted_.store(false);
    running_.clear();
    running_index_ = 0;
    running_.swap(posted_);
    while (AsyncInvocation* const call = posted_calls_.pop_front()) running_calls_.push_back(*call);
    while (AsyncConnection* const connection = posted_connections_.pop_front())
      running_connections_.push_back(*connection);
  }
  run_taken();
}

void Shard::run_taken() noexcept {
  while (running_index_ != running_.size()) {
    Task task = std::move(running_[running_index_++]);
    try {
      task();
    } catch (const std::exception& exception) {  // bad_alloc
      log::write(log::Level::error, "orb", exception.what());
    }
  }
  while (AsyncInvocation* const call = running_calls_.pop_front()) (call->*call->posted_step)();
  while (AsyncConnection* const connection = running_connections_.pop_front())
    connection->connected();
}

void Shard::turn(Deadline deadline) noexcept {
  try {
    reactor_.run_once(deadline);
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
  }
}

bool Shard::drive_until(function_ref<bool()> done) {
  if (own_ == nullptr && on_thread())
    return context_.server->serve_until(done) != Server::Nested::too_deep;
  return drive_until(done, Deadline::never());
}

bool Shard::drive_until(function_ref<bool()> done, Deadline end) {
  const Clock& clock = context_.clock;
  const auto over = [&] { return done() || (!end.is_never() && end.passed(clock.now())); };
  while (!over()) {
    if (own_ != nullptr && on_thread()) {
      if (!nested_turn(end)) return false;
      continue;
    }
    if (own_ != nullptr)
      if (const Token token(*this); token) {
        const UpcallScope none(UpcallScope::None::upcall);
        while (!over()) turn(end);
        return true;
      }
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1);
    const auto go_on = [&] { return done() || (own_ != nullptr && !driven_.load()); };
    if (end.is_never())
      changed_.wait(lock, go_on);
    else
      changed_.wait_for(lock, std::min<Duration>(end.left(clock.now()), longest_wait), go_on);
    waiters_.fetch_sub(1);
  }
  return true;
}

// In an observer, or a task, which waits: each level takes stack, and space to read into.
bool Shard::nested_turn(Deadline end) noexcept {
  if (nested_turns_ >= context_.settings.nested_upcall_depth_max) return false;
  ++nested_turns_;
  const UpcallScope none(UpcallScope::None::upcall);
  turn(end);
  --nested_turns_;
  return true;
}

void Shard::perform_work() {
  if (on_thread()) return turn(Deadline::immediately());
  if (const Token token(*this); token) turn(Deadline::immediately());
}

bool Shard::work_pending() {
  if (on_thread()) return reactor_.has_work();
  const Token token(*this);
  return token && reactor_.has_work();
}

void Shard::begin(AsyncInvocation& call) {
  if (stopped()) {  // it had begun before the ORB's shutdown was complete
    call.refused(FailureCause::shut_down);
    return tell_finished();
  }
  AsyncConnection* const connection = choose(call);
  if (connection == nullptr) return call.refused(FailureCause::too_many_calls);
  connection->submit(call);
}

// The first that has room; a new one if none has, or if the call wants one that is not stale.
AsyncConnection* Shard::choose(AsyncInvocation& call) {
  const std::shared_ptr<ClientEndpoint>& endpoint = call.target().endpoint;
  Connections& known = connections_[endpoint.get()];
  const std::size_t connections_max =
      std::max<std::uint32_t>(context_.settings.connections_per_endpoint_max, 1);
  const bool wants_fresh = call.wants_fresh() && known.size() < connections_max;
  for (const auto& connection : known)
    if (connection->has_room() && (!wants_fresh || connection->is_fresh())) {
      if (connection->is_connecting()) call.begin_connecting();
      return connection.get();
    }
  if (known.size() >= connections_max) return nullptr;
  auto made = std::make_shared<AsyncConnection>(*this, endpoint);
  known.push_back(made);
  try {
    watch_idle();
    call.begin_connecting();
    made->connect(call.connect_until());
  } catch (...) {
    made->lose(FailureCause::no_memory);  // also if somebody does connect it
    throw;
  }
  return made.get();
}

void Shard::forget(const AsyncConnection& connection) noexcept {
  const auto place = connections_.find(&connection.endpoint());
  if (place == connections_.end()) return;
  std::erase_if(place->second, [&](const auto& known) { return known.get() == &connection; });
  if (place->second.empty()) connections_.erase(place);
}

void Shard::finish_later(AsyncInvocation& call) {
  finished_.push_back(call);
  reactor_.mark_ready(turn_end_);
}

void Shard::await_servant(AsyncInvocation& call) noexcept { await_servants_.push_back(call); }

void Shard::servant_done(AsyncInvocation& call) noexcept { await_servants_.erase(call); }

void Shard::flush_later(std::shared_ptr<AsyncConnection> connection) {
  to_flush_.push_back(std::move(connection));
  reactor_.mark_ready(turn_end_);
}

void Shard::end_turn() noexcept {
  tell_finished();
  flush_all();
}

// Those that finish meanwhile wait for the next turn, so that others get theirs.
void Shard::tell_finished() noexcept {
  for (std::size_t left = finished_.size(); left > 0 && !finished_.empty(); --left)
    finished_.pop_front()->end();
  if (!finished_.empty()) reactor_.mark_ready(turn_end_);
}

void Shard::flush_all() noexcept {
  while (!to_flush_.empty()) {
    const auto connection = std::move(to_flush_.back());
    to_flush_.pop_back();
    connection->flush_at_end_of_turn();
  }
}

// That the loop which this is nested in has to know of.
bool Shard::leaves_work() const noexcept { return !finished_.empty() || !to_flush_.empty(); }

Shard::ReadSpace& Shard::enter_level() {
  while (levels_.size() <= depth_)
    levels_.push_back(std::make_unique<ReadSpace>(context_.settings.read_buffer_size));
  return *levels_[depth_++];
}

// As long as there are connections.
void Shard::watch_idle() noexcept {
  const auto period = engine::watch_period(context_.settings.client_idle_timeout);
  if (period.count() <= 0 || idle_watched_) return;
  reactor_.arm(idle_timer_, Deadline::after(period, context_.clock.now()));
  idle_watched_ = true;
}

void Shard::look_for_idle() noexcept {
  idle_watched_ = false;
  try {
    Connections all;
    for (const auto& [endpoint, known] : connections_)
      all.insert(all.end(), known.begin(), known.end());
    for (const auto& connection : all) connection->close_if_idle(context_.clock.now());
    if (!connections_.empty()) watch_idle();
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::warning, "orb", exception.what());
  }
}

void Shard::stop() noexcept {
  if (on_thread()) return stop_here();
  if (own_ == nullptr) return stop_of_ended_loop();
  bool ended = false;
  try {
    submit([this, &ended] {
      stop_here();
      const std::lock_guard lock(mutex_);
      ended = true;
      changed_.notify_all();
    });
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "orb", exception.what());
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&ended] { return ended; });
}

// Nobody drives it: this thread does, for a moment, and later who submits something.
void Shard::stop_of_ended_loop() noexcept {
  if (stopped() || !try_take()) return;
  stop_here();
  give_back();
  help();
}

// What was posted has its turn first: it finds the shard stopped.
void Shard::stop_here() noexcept {
  if (stopped_.exchange(true)) return;
  while (has_posted_.load() || has_taken()) run_posted();
  if (Nested* const nested = nested_.load()) nested->end();
  while (!connections_.empty()) {
    const auto known = connections_.begin();
    if (known->second.empty()) {  // there was no memory for the first connection
      connections_.erase(known);
      continue;
    }
    const auto connection = known->second.front();
    connection->lose(FailureCause::shut_down);
  }
  while (!await_servants_.empty()) await_servants_.first()->shut_down();
  while (AsyncInvocation* const call = finished_.pop_front()) call->end();
  to_flush_.clear();
  reactor_.remove(turn_end_);
  alarm_.end();
  reactor_.cancel(idle_timer_);
  reactor_.close();  // tasks that sleep go on
}

void Shard::nest_in(event::Reactor& loop) {
  if (stopped()) return;  // the loop had no turn in the meantime
  own_nested_ = std::make_unique<Nested>(*this, loop);
  if (own_nested_->begin()) nested_.store(own_nested_.get());
}

bool Shard::Nested::begin() {
  const auto added = loop_.add(shard_.reactor_.handle(), *this);
  if (!added) log::write(log::Level::warning, "orb", to_string(added.error()));
  if (added) loop_.mark_ready(*this);  // what has come before
  return added.has_value();
}

void Shard::Nested::end() noexcept { loop_.remove(*this); }

// The shard's reactor may have been woken before, for the look that was in vain: then it would not
// tell the loop of another wake-up.
void Shard::Nested::look_again() noexcept {
  try {
    loop_.post([this] { handle_ready(event::Readiness::none); });
  } catch (const std::exception& exception) {  // bad_alloc: it looks when something else comes
    log::write(log::Level::error, "orb", exception.what());
  }
}

// A turn fetches only so many events, and the loop is not told of the others again.
void Shard::Nested::handle_ready(event::Readiness /*readiness*/) noexcept {
  if (!shard_.try_take()) {
    shard_.missed_.store(true);
    if (!shard_.driven_.load()) loop_.mark_ready(*this);
    return;
  }
  shard_.turn(Deadline::immediately());
  if (shard_.reactor_.has_work()) loop_.mark_ready(*this);
  shard_.give_back();
  shard_.help();
}

}  // namespace perigee::orb
