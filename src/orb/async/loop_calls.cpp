// Choosing, making and forgetting connections.
#include "orb/async/loop_calls.h"

#include "orb/bidirectional/bidirectional.h"
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
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

// One connection for each thread of the loop, at most `connections_per_endpoint_max`: only one
// thread at a time reads a connection.
std::size_t LoopCalls::wanted_connections() const noexcept {
  const engine::LoopThreads* const threads = loop().threads();
  const std::size_t most =
      std::max<std::uint32_t>(context_.settings.connections_per_endpoint_max, 1);
  return std::clamp<std::size_t>(threads != nullptr ? threads->planned() : 1, 1, most);
}

LoopCalls::Choice LoopCalls::choose(LoopCall& call) {
  const LineKey key = call.line_key();
  const std::lock_guard lock(mutex_);
  if (stopped_) return {{}, FailureCause::shut_down};
  Line& line = lines_[key];
  if (!line.endpoint) line.endpoint = call.endpoint();
  const std::size_t connections_max =
      std::max<std::uint32_t>(context_.settings.connections_per_endpoint_max, 1);
  const std::size_t count = line.connections.size();
  ConnectionRef found = usable_in(line, call.needs_fresh() && count < connections_max);
  if (found) {
    const bool one_more = count < wanted_connections() && !line.has_enough && !line.connecting;
    if (one_more && !key.both_directions) connect_one_more(key, line, call.longest_connect());
    return {std::move(found), FailureCause::none};
  }
  if (!line.connecting && count >= connections_max) return {{}, FailureCause::too_many_calls};
  call.begin_connecting();
  if (!line.connecting) connect(key, line, call.connect_until());
  line.waiting.push_back(call);
  call.keep();
  return {};
}

// The thread's own connection, else the next one that has room. A connection that has brought a
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

// Expects mutex_ to be held.
void LoopCalls::connect(LineKey key, Line& line, Deadline until) {
  try {
    line.connections.reserve(line.connections.size() + 1);
    connects_.connect({line.endpoint->connector(), line.endpoint->endpoint(), until,
                       [this, key](Made made) noexcept {
                         const std::lock_guard lock(mutex_);
                         const auto found = lines_.find(key);
                         if (stopped_ || found == lines_.end()) return;
                         found->second.made.emplace(std::move(made));
                         (void)home_.reactor().post(made_task_);
                       }});
  } catch (...) {
    erase_if_empty(key);
    throw;
  }
  line.connecting = true;
  line.connecting_until = until;
}

// Expects mutex_ to be held. No call waits for this connection, so a failure ends no call.
void LoopCalls::connect_one_more(LineKey key, Line& line, Deadline until) noexcept {
  try {
    connect(key, line, until);
  } catch (const std::exception& exception) {  // no memory, or no thread that could connect
    log::write(log::Level::warning, "orb", exception.what());
    line.has_enough = true;
  }
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
  Waiting calls;
  Made made;
  Deadline until;
  ConnectionRef connection;
  FailureCause refused = FailureCause::shut_down;
  {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(lines_, [](const auto& each) { return each.second.made.has_value(); });
    if (found == lines_.end()) return false;
    const LineKey key = found->first;
    Line& line = found->second;
    made = std::move(*line.made);
    line.made.reset();
    line.connecting = false;
    line.has_enough = !made && !line.connections.empty();
    until = line.connecting_until;
    calls = take_waiting(line);
    try {
      if (made && !stopped_) connection = open(key, *line.endpoint, std::move(*made));
    } catch (const std::exception& exception) {  // no memory: the calls are told so
      log::write(log::Level::error, "orb", exception.what());
      refused = FailureCause::no_memory;
    }
    erase_if_empty(key);
  }
  if (connection && &connection->home() == &home_) begin_use(*connection);
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

// Expects mutex_ to be held. Other calls may use the connection before it is read.
ConnectionRef LoopCalls::open(LineKey key, ClientEndpoint& endpoint,
                              std::unique_ptr<transport::Transport> made) {
  if (key.both_directions)
    return context_.bidirectional.adopt(endpoint, *context_.server, std::move(made));
  ConnectionRef connection = ConnectionRef::adopt(
      new engine::Connection(home_, {std::move(made), &endpoint.messaging()},
                             engine::Connection::Reading::on_loop, messaging::Role::opener));
  lines_.find(key)->second.connections.push_back(connection);
  return connection;
}

// `stop` does not see a connection that is not in the registry of the home yet.
void LoopCalls::begin_use(engine::Connection& connection) noexcept {
  (void)connection.start();
  bool stopped = false;
  {
    const std::lock_guard lock(mutex_);
    stopped = stopped_;
  }
  if (stopped) connection.shut_down();
}

// Expects mutex_ to be held.
void LoopCalls::erase_if_empty(LineKey key) noexcept {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;
  const Line& line = found->second;
  if (line.connections.empty() && line.waiting.empty() && !line.connecting) lines_.erase(found);
}

void LoopCalls::end(engine::Connection& connection) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [key, line] : lines_) {
    const auto is_it = [&](const ConnectionRef& each) { return each.get() == &connection; };
    if (std::erase_if(line.connections, is_it) == 0) continue;
    line.has_enough = false;
    return erase_if_empty(key);
  }
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
