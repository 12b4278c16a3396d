// Choosing, making and forgetting connections.
#include "orb/async/loop_calls.h"

#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace perigee::orb {

using engine::ConnectionRef;

LoopCalls::LoopCalls(const OrbContext& context, engine::Connects& connects, engine::Server& server,
                     engine::Loop& loop)
    : context_(context),
      connects_(connects),
      server_(server),
      home_(server.context(), *this, *this, loop, context.metrics.client_traffic, server.ticks()) {
  server.set_calls_home(loop, &home_);
}

LoopCalls::~LoopCalls() { server_.set_calls_home(loop(), nullptr); }

std::size_t LoopCalls::connections_max() const noexcept {
  return std::max<std::uint32_t>(context_.settings.connections_per_endpoint_max, 1);
}

// One connection for each thread of the loop, as far as allowed: only one thread at a time reads a
// connection.
std::size_t LoopCalls::wanted_connections() const noexcept {
  const engine::LoopThreads* const threads = loop().threads();
  const std::size_t wanted = threads != nullptr ? threads->planned() : 1;
  return std::clamp<std::size_t>(wanted, 1, connections_max());
}

LoopCalls::Choice LoopCalls::choose(LoopCall& call) {
  const LineKey key = call.line_key();
  std::optional<Deadline> connects_until;
  std::shared_ptr<ClientEndpoint> endpoint;
  Choice choice;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return {{}, FailureCause::shut_down};
    Line& line = line_of(call, key);
    choice = choose_in(line, call, connects_until);
    if (connects_until) endpoint = line.endpoint;
  }
  if (connects_until) connect(key, endpoint, *connects_until);
  return choice;
}

// Expects mutex_ to be held. May throw bad_alloc.
LoopCalls::Line& LoopCalls::line_of(const LoopCall& call, LineKey key) {
  Line& line = lines_[key];
  if (!line.endpoint) line.endpoint = call.endpoint();
  line.key = key;
  return line;
}

// Expects mutex_ to be held. A connection that ends takes no place: its successor may be made.
LoopCalls::Choice LoopCalls::choose_in(Line& line, LoopCall& call,
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
    call.begin_connecting();
    if (may_connect) connects_until = call.connect_until();
  } else {
    return {{}, FailureCause::too_many_calls};
  }
  if (connects_until) {
    line.connections.reserve(line.connections.size() + 1);
    line.connecting = true;
    line.connecting_until = *connects_until;
  }
  if (found) return {std::move(found), FailureCause::none};
  line.waiting.push_back(call);
  call.keep();
  return {};
}

// The thread's own connection, else the next connection with room. A connection that has brought a
// reply may be stale: the peer may have closed it long ago.
ConnectionRef LoopCalls::usable_in(const Line& line, bool wants_fresh) const noexcept {
  const std::size_t count = line.connections.size();
  const std::size_t own = engine::LoopThreads::number_of_this_thread();
  for (std::size_t index = 0; index < count; ++index) {
    const ConnectionRef& each = line.connections[(own + index) % count];
    if (each->ending() || each->calls() >= context_.settings.requests_in_flight_max) continue;
    if (!wants_fresh || !each->agreement().answered.load(std::memory_order_relaxed)) return each;
  }
  return {};
}

// Without a lock: if there is no thread that could connect, `Connects` may call other functions of
// this object.
void LoopCalls::connect(LineKey key, const std::shared_ptr<ClientEndpoint>& endpoint,
                        Deadline until) noexcept {
  try {
    connects_.connect(
        {endpoint->connector(), endpoint->endpoint(), until, [this, key](Made made) noexcept {
           const std::lock_guard lock(mutex_);
           const auto found = lines_.find(key);
           if (stopped_ || found == lines_.end()) return;
           Line& line = found->second;
           line.made.emplace(std::move(made));
           line.next_made = std::exchange(first_made_, &line);
           (void)home_.reactor().post(made_task_);
         }});
  } catch (const std::exception& exception) {  // no memory, or no thread that could connect
    log::write(log::Level::error, "orb", exception.what());
    give_up_connecting(key);
  }
}

void LoopCalls::give_up_connecting(LineKey key) noexcept {
  Waiting calls;
  {
    const std::lock_guard lock(mutex_);
    const auto found = lines_.find(key);
    if (found == lines_.end()) return;
    found->second.connecting = false;
    found->second.has_enough = !found->second.connections.empty();
    calls = take_waiting(found->second);
    erase_if_empty(key);
  }
  while (LoopCall* const call = calls.pop_front()) call->refused(FailureCause::no_memory);
}

bool LoopCalls::withdraw(LoopCall& call) noexcept {
  const std::lock_guard lock(mutex_);
  if (!call.link.linked()) return false;
  lines_.find(call.line_key())->second.waiting.erase(call);
  return true;
}

IoError LoopCalls::timed_out(const LoopCall& call) {
  return connects_.timed_out(call.endpoint()->endpoint());
}

// From now on the calls are in no list: only the calling thread has them.
LoopCalls::Waiting LoopCalls::take_waiting(Line& line) noexcept {
  Waiting taken;
  while (LoopCall* const call = line.waiting.pop_front()) taken.push_back(*call);
  return taken;
}

// On a thread of the loop: a call whose connect has failed may call a collocated servant next.
void LoopCalls::use_made() noexcept {
  while (use_next_made()) {
  }
}

bool LoopCalls::use_next_made() noexcept {
  LineKey key{};
  Made made;
  std::shared_ptr<ClientEndpoint> endpoint;
  {
    const std::lock_guard lock(mutex_);
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
  } catch (const std::exception& exception) {  // no memory: the calls are told so
    log::write(log::Level::error, "orb", exception.what());
    refused = FailureCause::no_memory;
  }
  Deadline until;
  Waiting calls = end_connecting(key, made ? connection : ConnectionRef(), until);
  while (LoopCall* const call = calls.pop_front()) {
    if (connection)
      call->connected(connection);
    else if (made)
      call->refused(refused);
    else
      call->connect_failed(made.error(), until);
  }
  return true;
}

ConnectionRef LoopCalls::open(LineKey key, ClientEndpoint& endpoint,
                              std::unique_ptr<transport::Transport> made) {
  if (key.both_directions)
    return context_.bidirectional.adopt(endpoint, *context_.server, std::move(made));
  ConnectionRef connection = ConnectionRef::adopt(
      new engine::Connection(home_, {std::move(made), &endpoint.messaging()},
                             engine::Connection::Reading::on_loop, messaging::Role::opener));
  connection->agreement().opened_for.store(key.endpoint);
  (void)connection->start();
  return connection;
}

// Other calls find the connection from now on: it is in the registry of the home. It may have ended
// already, and then `end` has looked for it in vain. `stop` does not see a connection that comes
// later.
LoopCalls::Waiting LoopCalls::end_connecting(LineKey key, const ConnectionRef& connection,
                                             Deadline& until) noexcept {
  Waiting calls;
  bool stopped = false;
  {
    const std::lock_guard lock(mutex_);
    stopped = stopped_;
    const auto found = lines_.find(key);
    if (found != lines_.end()) {
      Line& line = found->second;
      line.connecting = false;
      line.has_enough = !connection && !line.connections.empty();
      until = line.connecting_until;
      calls = take_waiting(line);
      const bool is_own = connection && !key.both_directions;
      if (is_own && !connection->is_closed() && !stopped)
        line.connections.push_back(connection);  // `choose` has made room
      erase_if_empty(key);
    }
  }
  if (stopped && connection && !key.both_directions) connection->shut_down();
  return calls;
}

// Expects mutex_ to be held.
void LoopCalls::erase_if_empty(LineKey key) noexcept {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;
  const Line& line = found->second;
  if (line.connections.empty() && line.waiting.empty() && !line.connecting) lines_.erase(found);
}

void LoopCalls::end(engine::Connection& connection) noexcept {
  const engine::Agreement& agreement = connection.agreement();
  const LineKey key{static_cast<const ClientEndpoint*>(agreement.opened_for.load()), false};
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;  // the connection has ended at once, so no line has it
  Line& line = found->second;
  const auto is_it = [&](const ConnectionRef& each) { return each.get() == &connection; };
  if (std::erase_if(line.connections, is_it) == 0) return;
  // A peer that closes further connections at once does not get them again and again.
  line.has_enough = !agreement.answered.load() && !line.connections.empty();
  erase_if_empty(key);
}

bool LoopCalls::await_servant(LoopCall& call) noexcept {
  const std::lock_guard lock(mutex_);
  if (!stopped_) await_servants_.push_back(call);
  return !stopped_;
}

void LoopCalls::servant_done(LoopCall& call) noexcept {
  const std::lock_guard lock(mutex_);
  if (call.link.linked()) await_servants_.erase(call);
}

void LoopCalls::stop() noexcept {
  Waiting calls;
  {
    const std::lock_guard lock(mutex_);
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
      const std::lock_guard lock(mutex_);
      call = await_servants_.first();
      if (call == nullptr) return;
      call->keep();
    }
    call->shut_down();
    call->release();
  }
}

}  // namespace perigee::orb
