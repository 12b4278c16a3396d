// The completion status of failed calls between two ORBs: a connection breaks at every octet of a
// request and of its reply, on either side. No request is executed or answered twice, no call
// waits for ever, and the next call succeeds.
#include "faults/two_orbs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

namespace perigee::test {
namespace {

enum class Side : std::uint8_t { client, server };

/// One fault, for the next connection that is made.
class ArmedFault {
 public:
  [[nodiscard]] transport::FaultPlan plan() {
    return {.script = [this](const transport::FaultyConnection&) {
      const std::lock_guard lock(mutex_);
      return std::exchange(script_, {});
    }};
  }
  void arm(const Fault& fault) {
    const std::lock_guard lock(mutex_);
    script_ = {fault};
  }

 private:
  std::mutex mutex_;
  FaultScript script_;
};

/// The form of requests and replies on the wire.
struct Traffic {
  messaging::Version version;
  std::uint32_t fragment_size = messaging::Limits{}.fragment_size;
  std::vector<std::uint8_t> data = {1, 2, 3};
};
const Traffic traffics[] = {
    {{1, 0}}, {{1, 1}}, {{1, 2}}, {{1, 2}, 64, std::vector<std::uint8_t>(100, 7)}};  // in fragments

/// Octets of one request and of its reply.
struct Sizes {
  std::uint64_t request = 0;
  std::uint64_t reply = 0;
};

/// How a call ended.
enum class Outcome : std::uint8_t { answered, not_connected, not_sent, unknown, wrong };

Outcome call(const ObjectRef& object, std::uint32_t number, const Traffic& traffic) {
  try {
    return call_act(object, number, traffic.data) ? Outcome::answered : Outcome::wrong;
  } catch (const CORBA::COMM_FAILURE& failure) {
    if (failure.completed() == CORBA::COMPLETED_NO) return Outcome::not_sent;
    if (failure.completed() == CORBA::COMPLETED_MAYBE) return Outcome::unknown;
    return Outcome::wrong;
  } catch (const CORBA::TRANSIENT& failure) {
    return failure.completed() == CORBA::COMPLETED_NO ? Outcome::not_connected : Outcome::wrong;
  }
}

/// Counts the octets of one call: a fault plan splits the stream at every octet, and reports each
/// split.
Sizes measure(const LedgerServer& server, const Traffic& traffic) {
  Sizes sizes;
  transport::FaultPlan plan;
  plan.script = [](const transport::FaultyConnection&) {
    FaultScript script;
    for (std::uint64_t octet = 1; octet < 1000; ++octet)
      for (const auto direction : {FaultDirection::sent, FaultDirection::received})
        script.push_back({FaultKind::split, direction, octet});
    return script;
  };
  plan.happened = [&sizes](const transport::FaultyConnection&, const Fault& fault) {
    ++(fault.direction == FaultDirection::sent ? sizes.request : sizes.reply);
  };
  const FaultyClient client(plan, {.fragment_size = traffic.fragment_size}, traffic.version);
  CHECK(call(client.object(server.ior()), 0, traffic) == Outcome::answered);
  return sizes;
}

/// What the table expects of a call during which the fault happens.
struct Expected {
  Outcome outcome = Outcome::answered;
  int executions_min = 1;
  int executions_max = 1;
  Fault fault = {};  // the fault of the call, for the report of a failure
};

Expected expected_at_client(const Fault& fault, const Sizes& sizes) {
  if (fault.direction == FaultDirection::sent && fault.octet < sizes.request)
    return {Outcome::not_sent, 0, 0};
  if (fault.direction == FaultDirection::sent && fault.kind == FaultKind::end_of_stream) return {};
  if (fault.direction == FaultDirection::received && fault.octet == sizes.reply) return {};
  return {Outcome::unknown, 0, 1};
}

Expected expected_at_server(const Fault& fault, const Sizes& sizes) {
  const bool whole = fault.octet == sizes.request;
  if (fault.direction == FaultDirection::received && !whole) return {Outcome::unknown, 0, 0};
  if (fault.direction == FaultDirection::received && fault.kind == FaultKind::end_of_stream)
    return {};
  if (fault.direction == FaultDirection::sent && fault.octet == sizes.reply) return {};
  return {Outcome::unknown, 1, 1};
}

Expected expected(Side side, const Fault& fault, const Sizes& sizes) {
  if (fault.kind == FaultKind::split) return {};
  return side == Side::client ? expected_at_client(fault, sizes) : expected_at_server(fault, sizes);
}

/// A server and its clients, one for each fault.
class Experiment {
 public:
  Experiment(orb::ThreadStrategy strategy, Side side, const Traffic& traffic)
      : side_(side),
        traffic_(traffic),
        server_(server_settings(strategy), plan_of(Side::server), limits()),
        sizes_(measure(server_, traffic)) {}

  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }

  void call_with(const Fault& fault) {
    CAPTURE(fault.octet);
    CAPTURE(static_cast<int>(fault.kind));
    CAPTURE(static_cast<int>(fault.direction));
    armed_.arm(fault);
    const FaultyClient client(plan_of(Side::client), limits(), traffic_.version);
    const ObjectRef object = client.object(server_.ior());
    Expected expectation = expected(side_, fault, sizes_);
    expectation.fault = fault;
    const Outcome outcome = next_call(object, expectation);
    // If a server closes before it has read anything, its client may notice this while it connects,
    // while it sends, or later.
    const bool at_once =
        side_ == Side::server && fault.octet == 0 && fault.direction == FaultDirection::received;
    const bool early = outcome == Outcome::not_connected || outcome == Outcome::not_sent;
    CHECK((outcome == expectation.outcome || (at_once && early)));
    // A client notices the end of an idle connection only when it uses the connection again.
    if (outcome == Outcome::answered &&
        next_call(object, {.executions_min = 0}) != Outcome::answered)
      CHECK(fault.kind != FaultKind::split);
    CHECK(next_call(object, {}) == Outcome::answered);
  }

  /// Compares the ledger with the table after all executions have ended.
  void check_ledger() {
    await_executions();
    server_.stop();
    for (std::uint32_t number = 1; number <= expected_.size(); ++number) {
      const Expected& expectation = expected_[number - 1];
      CAPTURE(number);
      CAPTURE(expectation.fault.octet);
      CAPTURE(static_cast<int>(expectation.fault.kind));
      CAPTURE(static_cast<int>(expectation.fault.direction));
      CHECK(server_.ledger().executions(number) >= expectation.executions_min);
      CHECK(server_.ledger().executions(number) <= expectation.executions_max);
    }
  }

 private:
  [[nodiscard]] messaging::Limits limits() const {
    return {.fragment_size = traffic_.fragment_size};
  }
  [[nodiscard]] transport::FaultPlan plan_of(Side side) {
    return side == side_ ? armed_.plan() : transport::FaultPlan{};
  }
  /// Waits until the server has executed each request that it must execute. A client notices a
  /// reset at once, perhaps before the server begins to execute a request that it has just read. A
  /// server that stops at that moment would not execute the request.
  void await_executions() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (std::uint32_t number = 1; number <= expected_.size(); ++number)
      while (server_.ledger().executions(number) < expected_[number - 1].executions_min &&
             std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Outcome next_call(const ObjectRef& object, const Expected& expectation) {
    expected_.push_back(expectation);
    return call(object, static_cast<std::uint32_t>(expected_.size()), traffic_);
  }

  const Side side_;
  const Traffic traffic_;
  ArmedFault armed_;
  LedgerServer server_;
  const Sizes sizes_;
  std::vector<Expected> expected_;  // by number of the request, from 1
};

void break_everywhere(orb::ThreadStrategy strategy, Side side, const Traffic& traffic) {
  Experiment experiment(strategy, side, traffic);
  const bool sends_requests = side == Side::client;
  for (const auto direction : {FaultDirection::sent, FaultDirection::received}) {
    const bool request = (direction == FaultDirection::sent) == sends_requests;
    const std::uint64_t size = request ? experiment.sizes().request : experiment.sizes().reply;
    REQUIRE(size > 24);
    for (std::uint64_t octet = 0; octet <= size; ++octet)
      for (const auto kind : {FaultKind::split, FaultKind::end_of_stream, FaultKind::reset})
        experiment.call_with({kind, direction, octet});
  }
  experiment.check_ledger();
}

TEST_CASE("a call whose connection breaks at any octet at the client ends as the table says") {
  const orb::ThreadStrategy strategy = each_strategy();
  for (const Traffic& traffic : traffics) break_everywhere(strategy, Side::client, traffic);
}

TEST_CASE("a call whose connection breaks at any octet at the server ends as the table says") {
  const orb::ThreadStrategy strategy = each_strategy();
  for (const Traffic& traffic : traffics) break_everywhere(strategy, Side::server, traffic);
}

/// "act" with a number and no data, in three fragments of GIOP 1.1, which Perigee never sends.
Octets make_fragmented_request(const LedgerServer& server, std::uint32_t number) {
  Writer body(std::endian::little);
  Octets whole = make_request({.key = server.key(), .minor = 1, .argument = number});
  while (whole.size() < 12 + 120) whole.push_back(std::byte{0});  // no data, and trailing octets
  Octets stream;
  for (std::size_t start = 12; start < whole.size(); start += 40) {
    const bool first = start == 12;
    const bool last = start + 40 == whole.size();
    const Octets header = octets('G', 'I', 'O', 'P', 1, 1,
                                 last ? 1 : 3,   // little-endian; more fragments, but for the last
                                 first ? 0 : 7,  // Request, then Fragment
                                 40, 0, 0, 0);   // size after the header
    stream.insert(stream.end(), header.begin(), header.end());
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(start);
    stream.insert(stream.end(), from, from + 40);
  }
  return stream;
}

/// Receives messages until the server has closed, and counts the replies.
int count_replies(RawClient& client) {
  int count = 0;
  for (Octets message = client.receive(); !message.empty(); message = client.receive())
    if (std::to_integer<unsigned>(message[7]) == type_reply) ++count;
  return count;
}

TEST_CASE("a GIOP 1.1 request in fragments is executed and answered only if it is whole") {
  LedgerServer server(server_settings(each_strategy()), {});
  const std::size_t size = make_fragmented_request(server, 0).size();
  for (std::uint32_t octet = 0; octet <= size; ++octet) {
    const Octets request = make_fragmented_request(server, octet);
    RawClient client(server.endpoint());
    client.send(Octets(request.begin(), request.begin() + octet));
    client.end_sending();
    CHECK(count_replies(client) == (octet == size ? 1 : 0));
  }
  server.stop();
  for (std::uint32_t octet = 0; octet <= size; ++octet)
    CHECK(server.ledger().executions(octet) == (octet == size ? 1 : 0));
}

TEST_CASE("a server that sends and receives octet by octet executes and answers once") {
  transport::FaultPlan plan;
  plan.script = [](const transport::FaultyConnection&) {
    FaultScript script;
    for (std::uint64_t octet = 1; octet < 500; ++octet)
      for (const auto direction : {FaultDirection::sent, FaultDirection::received})
        script.push_back({FaultKind::split, direction, octet});
    return script;
  };
  LedgerServer server(server_settings(each_strategy()), plan);
  RawClient client(server.endpoint());
  client.send(make_fragmented_request(server, 1));
  client.end_sending();
  CHECK(count_replies(client) == 1);
  server.stop();
  CHECK(server.ledger().executions(1) == 1);
}

}  // namespace
}  // namespace perigee::test
