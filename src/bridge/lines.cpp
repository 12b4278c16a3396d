// Connections to targets, and the requests and clients that wait for them.
#include "bridge/forwarder.h"
#include "engine/connection/connection.h"
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::bridge {

using engine::ConnectionRef;

namespace {

constexpr Failure too_much_waits{"TRANSIENT", Completion::no,
                                 "too many octets wait in the bridge for their target"};

constexpr Failure untrusted{
    "NO_PERMISSION", Completion::no,
    "the bridge and its target do not accept each other's certificates: see the log of the bridge"};

// The text leaves out the address of the target, which clients need not know.
Failure failure_of(const IoError& error) noexcept {
  if (error.kind == IoErrorKind::untrusted) return untrusted;
  return {"TRANSIENT", Completion::no, "the bridge cannot connect to the target"};
}

void log_failure(const char* text) noexcept { log::write(log::Level::error, "bridge", text); }

}  // namespace

// Null if the number of lines has reached its limit.
Line* Forwarder::line_of(const Target& target, Agreement agreement) {
  for (Line& line : lines_)
    if (line.target == &target && line.agreement == agreement) return &line;
  if (lines_.size() >= lines_max) return nullptr;
  Line& line = lines_.emplace_back();
  line.target = &target;
  line.messages = &context_.messages_of(target.endpoint.scheme);
  line.agreement = agreement;
  return &line;
}

bool Forwarder::is_ready(const Line& line) noexcept {
  return line.connection && line.waiting.empty() && !line.connection->ending() &&
         !line.connection->output_blocked();
}

void Forwarder::forget_if_unused(const Line& line) noexcept {
  const bool is_used =
      line.users != 0 || line.connection || line.connecting || line.starting || !line.held.empty();
  if (is_used) return;
  const auto place =
      std::ranges::find_if(lines_, [&line](const Line& each) { return &each == &line; });
  if (place != lines_.end()) lines_.erase(place);
}

// --- Waiting ---

void Forwarder::wait(ForwardedCall& call, messaging::IncomingMessage& message) noexcept try {
  Line& line = call.line;
  const std::size_t size = call.kept ? call.kept.message().octets.size() : message.octets.size();
  call.share = engine::ParkedShare(context_.engine.parked, size);
  if (!call.share) return fail(call, too_much_waits);
  call.kept.keep(message);
  line.waiting.push_back(&call);
  call.place = ForwardedCall::Place::waiting;
  call.may_wait_for_turn = true;  // requests that have waited are started together
  hold(line, call.client());
  const bool has_connection = line.connection && !line.connection->ending();
  if (!has_connection && !line.connecting) connect(line);
} catch (const std::exception& exception) {
  log_failure(exception.what());
  if (call.place == ForwardedCall::Place::waiting) call.line.waiting.remove(&call);
  fail(call, no_memory);
}

void Forwarder::hold(Line& line, engine::Connection& client) {
  const auto is_client = [&client](const ConnectionRef& each) { return each.get() == &client; };
  if (std::ranges::any_of(line.held, is_client)) return;
  client.add_reference();
  line.held.push_back(ConnectionRef::adopt(&client));
  client.hold_requests();
}

void Forwarder::release_held(Line& line) noexcept {
  const std::vector<ConnectionRef> held = std::exchange(line.held, {});
  for (const ConnectionRef& client : held) client->admit_requests();
  forget_if_unused(line);
}

// Called when there is a connection, when its output is free, and when a call has ended.
void Forwarder::start_waiting(Line& line) noexcept {
  if (line.starting) return;
  line.starting = true;
  const auto has_room = [&line] {
    return line.connection && !line.connection->ending() && !line.connection->output_blocked();
  };
  while (!line.waiting.empty() && has_room()) {
    ForwardedCall& call = *line.waiting.front();
    line.waiting.pop_front();
    call.place = ForwardedCall::Place::fresh;
    if (start_kept(call)) continue;
    call.place = ForwardedCall::Place::waiting;
    try {
      line.waiting.push_front(&call);
    } catch (const std::exception& exception) {
      log_failure(exception.what());
      call.place = ForwardedCall::Place::fresh;
      fail(call, no_memory);
    }
    break;
  }
  line.starting = false;
  const bool has_connection = line.connection && !line.connection->ending();
  if (!line.waiting.empty() && !has_connection && !line.connecting) connect(line);
  if (line.waiting.empty() && (!line.connection || !line.connection->output_blocked()))
    release_held(line);
}

// False: there is no room, or no connection any longer.
bool Forwarder::start_kept(ForwardedCall& call) noexcept try {
  const auto outgoing = outgoing_of(call);
  if (!outgoing) {
    fail(call, {"MARSHAL", Completion::no, "the bridge cannot pass the request on"});
    return true;
  }
  const bool started = start(call, *outgoing, call.kept.message());
  rewriter_.release();
  return started;
} catch (const std::exception& exception) {
  log_failure(exception.what());
  fail(call, no_memory);
  return true;
}

void Forwarder::fail_waiting(Line& line, const Failure& failure) noexcept {
  ++line.users;
  while (!line.waiting.empty()) {
    ForwardedCall& call = *line.waiting.front();
    line.waiting.pop_front();
    call.place = ForwardedCall::Place::fresh;
    fail(call, failure);
  }
  --line.users;
  release_held(line);
}

// --- Connecting ---

void Forwarder::connect(Line& line) noexcept try {
  const transport::Endpoint& endpoint = line.target->endpoint;
  // The registry owns the connector.
  std::shared_ptr<transport::Connector> connector(std::shared_ptr<void>(),
                                                  context_.protocols.connector(endpoint.scheme));
  line.connecting = true;
  context_.connects.connect(
      {std::move(connector), endpoint,
       Deadline::after(context_.options.connect_timeout, context_.engine.clock.now()),
       [this, &line](engine::Connects::Made made) noexcept { note_made(line, std::move(made)); }});
} catch (const std::exception& exception) {  // no memory, or no thread that could connect
  log_failure(exception.what());
  line.connecting = false;
  fail_waiting(line, {"TRANSIENT", Completion::no,
                      "the bridge has no thread or no memory to connect to the target"});
}

// Called by a connecting thread.
void Forwarder::note_made(Line& line, engine::Connects::Made made) noexcept {
  {
    const std::lock_guard lock(mutex_);
    made_.push_back({line, std::move(made)});
  }
  (void)home_.reactor().post(made_task_);
}

void Forwarder::use_made() noexcept {
  std::list<Made> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(made_);
  }
  for (Made& each : taken) {
    each.line.connecting = false;
    if (!each.made) {
      log::write(log::Level::warning, "bridge", to_string(each.made.error()));
      fail_waiting(each.line, failure_of(each.made.error()));
      continue;
    }
    try {
      open(each.line, std::move(*each.made));
      start_waiting(each.line);
    } catch (const std::exception& exception) {
      log_failure(exception.what());
      fail_waiting(each.line, {"TRANSIENT", Completion::no, "the bridge is out of memory"});
    }
  }
}

// `end` is called from within `start` if the poller refuses the connection.
void Forwarder::open(Line& line, std::unique_ptr<transport::Transport> transport) {
  ConnectionRef connection = ConnectionRef::adopt(
      new engine::Connection(home_, {std::move(transport), line.messages},
                             engine::Connection::Reading::on_loop, messaging::Role::opener));
  connection->agreement().opened_for.store(&line);
  line.peer = Line::Peer::unknown;
  line.loses = !connection->transport().carrier().reliable;
  line.connection = connection;
  (void)connection->start();
}

void Forwarder::end(engine::Connection& connection) noexcept {
  const auto uses = [&connection](const Line& line) {
    return line.connection.get() == &connection;
  };
  const auto place = std::ranges::find_if(lines_, uses);
  if (place == lines_.end()) return;  // another connection has taken its place
  Line& line = *place;
  line.connection = {};
  if (!line.starting) start_waiting(line);
}

void Forwarder::output_free(engine::Connection& connection) noexcept {
  const auto uses = [&connection](const Line& line) {
    return line.connection.get() == &connection;
  };
  const auto place = std::ranges::find_if(lines_, uses);
  if (place != lines_.end()) start_waiting(*place);
}

void Forwarder::stop() noexcept {
  home_.for_each([](engine::Connection& connection) { connection.shut_down(); });
  while (!lines_.empty()) {
    Line& line = lines_.front();
    ++line.users;
    fail_waiting(line, {"TRANSIENT", Completion::no, "the bridge ends"});
    --line.users;
    line.connecting = false;
    line.connection = {};
    lines_.pop_front();
  }
}

}  // namespace perigee::bridge
