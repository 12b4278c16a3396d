// Choosing, making and forgetting connections.
#include "orb/async/loop_calls.h"

#include "engine/loops/loop_threads.h"
#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/server.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace perigee::orb {

using engine::ConnectionRef;

namespace {

// Batches of waiting calls that `next_connected` starts one after the other.
constexpr int batches_max = 64;

}  // namespace

LoopCalls::LoopCalls(const OrbContext& context, engine::Connects& connects, engine::Loop& loop,
                     Running running)
    : context_(context),
      connects_(connects),
      running_(std::move(running)),
      home_(context.engine, *this, *this, loop, context.metrics.client_traffic, running_.ticks) {}

LoopCalls::~LoopCalls() = default;

// After the end of the loop there may be no thread that runs the task, so `posted` is called.
void LoopCalls::post(event::Task& task) noexcept {
  (void)home_.reactor().post(task);
  if (stopped_.load() && running_.posted) running_.posted();
}

std::size_t LoopCalls::connections_max() const noexcept {
  return std::max<std::uint32_t>(context_.settings.connections_per_endpoint_max, 1);
}

// One connection for each planned thread of the loop, but at most `connections_max`: only one
// thread at a time reads a connection. Spare and extra threads do not count.
std::size_t LoopCalls::wanted_connections() const noexcept {
  const engine::LoopThreads* const threads = loop().threads();
  const std::size_t wanted = threads != nullptr ? threads->planned() : 1;
  return std::clamp<std::size_t>(wanted, 1, connections_max());
}

// A request is measured without the lock, and only if the call waits.
LoopCalls::Choice LoopCalls::choose(LoopCall& call) {
  std::optional<Choice> choice = try_choose(call);
  if (!choice) {
    call.waiting_size = std::max<std::size_t>(call.request_size(), 1);
    choice = try_choose(call);
  }
  return std::move(*choice);
}

std::optional<LoopCalls::Choice> LoopCalls::try_choose(LoopCall& call) {
  const LineKey key = call.line_key();
  std::optional<Deadline> connects_until;
  std::shared_ptr<ClientEndpoint> endpoint;
  std::optional<Choice> choice;
  {
    const std::lock_guard lock(lock_);
    if (stopped_) return Choice{{}, FailureCause::shut_down};
    if (ConnectionRef found = find(key, call.needs_fresh())) return Choice{std::move(found), {}};
    Line& line = line_of(call, key);
    choice = choose_in(line, call, connects_until);
    if (connects_until) endpoint = line.endpoint;
  }
  if (connects_until) connect(key, endpoint, *connects_until);
  return choice;
}

// Expects lock_ to be held. Mostly there are enough connections, and one of them has room.
ConnectionRef LoopCalls::find(LineKey key, bool wants_fresh) const noexcept {
  const auto found = lines_.find(key);
  if (found == lines_.end() || wants_fresh) return {};
  const Line& line = found->second;
  const bool enough = line.has_enough || line.connections.size() >= wanted_connections();
  return enough ? usable_in(line, false) : ConnectionRef();
}

// Expects lock_ to be held. May throw bad_alloc.
LoopCalls::Line& LoopCalls::line_of(const LoopCall& call, LineKey key) {
  Line& line = lines_[key];
  if (!line.endpoint) line.endpoint = call.endpoint();
  line.key = key;
  return line;
}

// Expects lock_ to be held. An ending connection does not count, so that its successor can be made.
std::optional<LoopCalls::Choice> LoopCalls::choose_in(Line& line, LoopCall& call,
                                                      std::optional<Deadline>& connects_until) {
  const auto goes_on = [](const ConnectionRef& each) { return !each->ending(); };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(line.connections, goes_on));
  const bool has_place = count < connections_max();
  const bool may_connect = !line.connecting && has_place;
  ConnectionRef found = usable_in(line, call.needs_fresh() && has_place);
  if (found) {
    const bool one_more = count < wanted_connections() && !line.has_enough;
    if (may_connect && one_more) connects_until = call.longest_connect();
  } else if (line.connecting || may_connect) {
    if (call.waiting_size == 0) return std::nullopt;
    if (!may_wait(line, call)) return Choice{{}, FailureCause::too_many_calls};
    call.begin_connecting();
    if (may_connect) connects_until = call.connect_until();
  } else {
    return Choice{{}, FailureCause::too_many_calls};
  }
  if (connects_until) {
    line.connections.reserve(line.connections.size() + 1);
    line.connecting = true;
    line.connecting_until = *connects_until;
  }
  if (found) return Choice{std::move(found), FailureCause::none};
  line.waiting.push_back(call);
  line.waiting_octets += call.waiting_size;
  call.keep();
  return Choice{};
}

// The first request in a line may have any size: the size limit applies to the requests after it.
bool LoopCalls::may_wait(const Line& line, const LoopCall& call) const noexcept {
  const Settings& settings = context_.settings;
  if (line.waiting.empty()) return true;
  if (line.waiting.size() / connections_max() >= settings.requests_in_flight_max) return false;
  const std::size_t octets_max = settings.write_queue_size_max;
  return line.waiting_octets <= octets_max && call.waiting_size <= octets_max - line.waiting_octets;
}

bool LoopCalls::has_room(const engine::Connection& connection) const noexcept {
  return !connection.ending() && connection.calls() < context_.settings.requests_in_flight_max;
}

// The first connection with room, beginning at the connection that the thread's number selects. A
// connection over which a reply has arrived may be stale: the peer may have closed it long ago.
ConnectionRef LoopCalls::usable_in(const Line& line, bool wants_fresh) const noexcept {
  const std::size_t count = line.connections.size();
  const std::size_t own = engine::LoopThreads::number_of_this_thread();
  for (std::size_t index = 0; index < count; ++index) {
    const ConnectionRef& each = line.connections[(own + index) % count];
    if (!has_room(*each)) continue;
    if (!wants_fresh || !each->agreement().answered.load(std::memory_order_relaxed)) return each;
  }
  return {};
}

// Called without a lock. If no thread can be started, `Connects` reports the failure of other
// connects from within `connect`, and `note_made` takes the lock.
void LoopCalls::connect(LineKey key, const std::shared_ptr<ClientEndpoint>& endpoint,
                        Deadline until) noexcept {
  try {
    connects_.connect({endpoint->connector(), endpoint->endpoint(), until,
                       [this, key](Made made) noexcept { note_made(key, std::move(made)); }});
  } catch (const std::exception& exception) {  // no memory, or no thread that could connect
    log::write(log::Level::error, "orb", exception.what());
    give_up_connecting(key);
  }
}

// Called by a connecting thread.
void LoopCalls::note_made(LineKey key, Made made) noexcept {
  {
    const std::lock_guard lock(lock_);
    const auto found = lines_.find(key);
    if (stopped_ || found == lines_.end()) return;
    Line& line = found->second;
    line.made.emplace(std::move(made));
    line.next_made = std::exchange(first_made_, &line);
  }
  (void)home_.reactor().post(made_task_);
  if (running_.posted) running_.posted();
}

bool LoopCalls::has_made() noexcept {
  const std::lock_guard lock(lock_);
  return first_made_ != nullptr;
}

void LoopCalls::give_up_connecting(LineKey key) noexcept {
  Waiting calls;
  Lines::node_type ended;
  {
    const std::lock_guard lock(lock_);
    const auto found = lines_.find(key);
    if (found == lines_.end()) return;
    found->second.connecting = false;
    found->second.has_enough = !found->second.connections.empty();
    calls = take_waiting(found->second);
    ended = take_if_empty(key);
  }
  while (LoopCall* const call = calls.pop_front()) call->refused(FailureCause::no_memory);
}

bool LoopCalls::withdraw(LoopCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (!call.link.linked()) return false;
  Line& line = lines_.find(call.line_key())->second;
  line.waiting.erase(call);
  line.waiting_octets -= call.waiting_size;
  return true;
}

IoError LoopCalls::timed_out(const LoopCall& call) {
  return connects_.timed_out(call.endpoint()->endpoint());
}

// Afterwards the calls are in no list of the line. Only the calling thread has them.
LoopCalls::Waiting LoopCalls::take_waiting(Line& line) noexcept {
  Waiting taken;
  while (LoopCall* const call = line.waiting.pop_front()) taken.push_back(*call);
  line.waiting_octets = 0;
  return taken;
}

void LoopCalls::use_made() noexcept {
  while (use_next_made()) {
  }
}

bool LoopCalls::use_next_made() noexcept {
  LineKey key{};
  Made made;
  std::shared_ptr<ClientEndpoint> endpoint;
  {
    const std::lock_guard lock(lock_);
    if (first_made_ == nullptr) return false;
    Line& line = *first_made_;
    first_made_ = std::exchange(line.next_made, nullptr);
    key = line.key;
    made = std::move(*line.made);
    line.made.reset();
    endpoint = line.endpoint;
  }
  ConnectionRef connection;
  FailureCause refused = FailureCause::shut_down;
  try {
    if (made) connection = open(key, *endpoint, std::move(*made));
  } catch (const std::exception& exception) {  // no memory: the calls fail with NO_MEMORY
    log::write(log::Level::error, "orb", exception.what());
    refused = FailureCause::no_memory;
  }
  for (;;) {
    Connected connected = next_connected(key, made ? connection : ConnectionRef());
    while (LoopCall* const call = connected.calls.pop_front()) {
      if (connection)
        call->connected(connection);
      else if (made)
        call->refused(refused);
      else
        call->connect_failed(made.error(), connected.tried_until);
    }
    if (connected.last) return true;
  }
}

ConnectionRef LoopCalls::open(LineKey key, ClientEndpoint& endpoint,
                              std::unique_ptr<transport::Transport> made) {
  endpoint.log_connected();
  if (key.both_directions)
    return context_.bidirectional.adopt(endpoint, *context_.server, std::move(made));
  ConnectionRef connection = ConnectionRef::adopt(
      new engine::Connection(home_, {std::move(made), &endpoint.messaging()},
                             engine::Connection::Reading::on_loop, messaging::Role::opener));
  connection->agreement().opened_for.store(key.endpoint);
  (void)connection->start();
  return connection;
}

// While calls that have waited are started, later calls wait behind them. So calls of one thread
// leave in the order in which they begin. After `batches_max` batches, later calls no longer wait:
// a thread of the loop must not spend all its time on sending for other threads. If the connection
// is full or ending, the calls choose again.
//
// A connection may have ended before it was in the line. Then `end` has not found it, and it is not
// added. A connection may come after `stop`. Then it is shut down here.
LoopCalls::Connected LoopCalls::next_connected(LineKey key,
                                               const ConnectionRef& connection) noexcept {
  Connected connected;
  bool stopped = false;
  Lines::node_type ended;
  {
    const std::lock_guard lock(lock_);
    stopped = stopped_;
    const auto found = lines_.find(key);
    if (found != lines_.end()) {
      Line& line = found->second;
      const bool is_own = connection && !key.both_directions && !stopped;
      connected.tried_until = line.connecting_until;
      connected.calls = take_waiting(line);
      connected.last = connected.calls.empty() || !is_own || !has_room(*connection) ||
                       ++line.batches == batches_max;
      if (!connected.last) return connected;
      line.connecting = false;
      line.batches = 0;
      line.has_enough = !connection && !line.connections.empty();
      if (is_own && !connection->is_closed()) line.connections.push_back(connection);
      ended = take_if_empty(key);
    }
  }
  if (stopped && connection && !key.both_directions) connection->shut_down();
  return connected;
}

// Expects lock_ to be held.
LoopCalls::Lines::node_type LoopCalls::take_if_empty(LineKey key) noexcept {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return {};
  const Line& line = found->second;
  const bool is_empty = line.connections.empty() && line.waiting.empty() && !line.connecting;
  return is_empty ? lines_.extract(found) : Lines::node_type();
}

void LoopCalls::end(engine::Connection& connection) noexcept {
  const engine::Agreement& agreement = connection.agreement();
  const LineKey key{static_cast<const ClientEndpoint*>(agreement.opened_for.load()), false};
  Lines::node_type ended;  // destroyed without the lock
  const std::lock_guard lock(lock_);
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;  // the connection has ended at once, so no line has it
  Line& line = found->second;
  const auto is_it = [&](const ConnectionRef& each) { return each.get() == &connection; };
  if (std::erase_if(line.connections, is_it) == 0) return;
  // If a peer closes further connections at once, the loop does not open them again and again.
  line.has_enough = !agreement.answered.load() && !line.connections.empty();
  ended = take_if_empty(key);
}

bool LoopCalls::await_servant(LoopCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (!stopped_) await_servants_.push_back(call);
  return !stopped_;
}

void LoopCalls::servant_done(LoopCall& call) noexcept {
  const std::lock_guard lock(lock_);
  if (call.link.linked()) await_servants_.erase(call);
}

void LoopCalls::stop() noexcept {
  Waiting calls;
  {
    const std::lock_guard lock(lock_);
    stopped_ = true;
    for (auto& [key, line] : lines_) {
      Waiting of_line = take_waiting(line);
      while (LoopCall* const call = of_line.pop_front()) calls.push_back(*call);
    }
  }
  while (LoopCall* const call = calls.pop_front()) call->refused(FailureCause::shut_down);
  home_.for_each([](engine::Connection& connection) { connection.shut_down(); });
  for (;;) {
    LoopCall* call = nullptr;
    {
      const std::lock_guard lock(lock_);
      call = await_servants_.first();
      if (call == nullptr) return;
      call->keep();
    }
    call->shut_down();
    call->release();
  }
}

}  // namespace perigee::orb
