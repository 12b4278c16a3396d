// Runs clients, and servers of all thread strategies, in one process for --seconds. Their
// connections break at random, and their calls time out. Meanwhile upcalls call other servers, POA
// managers hold requests, and raw clients cancel requests. Every request is accounted for: sent =
// replies + oneways + documented exceptions. No request is executed twice. In the end no handle and
// no thread is left, and the use of memory has not grown.
//
//   soak [--seconds <n>] [--seed <n>]
#define DOCTEST_CONFIG_IMPLEMENT
#include "faults/two_orbs.h"
#include "orb/policies.h"
#include "soak/soak_program.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <random>
#include <string>
#include <thread>

namespace perigee::test {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937;

constexpr std::uint32_t client_threads = 4;
constexpr std::uint32_t data_size_max = 30'000;

/// The outcomes of requests.
struct Accounts {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> answered{0};
  std::atomic<std::uint64_t> not_executed{0};
  std::atomic<std::uint64_t> maybe_executed{0};
  std::atomic<std::uint64_t> timed_out{0};  ///< also counted in not_executed or maybe_executed
  std::atomic<std::uint64_t> oneways{0};    ///< oneways that raised no exception
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> faults{0};
  std::atomic<std::uint64_t> nested{0};     ///< calls that upcalls made
  std::atomic<std::uint64_t> cancelled{0};  ///< requests of `cancel_requests`
  std::atomic<std::uint64_t> holds{0};      ///< times that a POA manager held requests

  void blame(const char* what, std::uint32_t number) {
    std::printf("request %u: %s\n", number, what);
    ++wrong;
  }
};

transport::FaultPlan plan_for(const transport::RandomFaults& faults, Accounts& accounts) {
  return {.script = transport::random_faults(faults),
          .happened = [&accounts](const transport::FaultyConnection&, const Fault&) {
            ++accounts.faults;
          }};
}

transport::RandomFaults server_faults(std::uint64_t number) {
  return {.seed = seed + number,
          .split = 0.5,
          .delay = 0.1,
          .end_of_stream = 0.1,
          .reset = 0.1,
          .octet_max = 200'000,
          .delay_max = std::chrono::microseconds(2000)};
}

/// Stalls connections only if the calls have a time limit: other calls would not end.
transport::RandomFaults client_faults(std::uint64_t number, bool limited) {
  transport::RandomFaults faults = server_faults(number);
  faults.stall = limited ? 0.05 : 0;
  return faults;
}

using Servers = std::vector<std::unique_ptr<LedgerServer>>;

/// One thread, which calls through one ORB after the other.
class Caller {
 public:
  Caller(Servers& servers, Accounts& accounts, std::uint32_t number)
      : servers_(servers), accounts_(accounts), random_(seed + number), next_(number) {}

  void run(Clock::time_point end) {
    while (Clock::now() < end) use_one_orb(end);
    while (!recent_.empty()) look_back();
  }

 private:
  /// A request that may still be executed.
  struct Recent {
    LedgerServer* server;
    std::uint32_t number;
    int executions_max;
  };

  void use_one_orb(Clock::time_point end) {
    const bool limited = random_() % 2 == 0;
    const FaultyClient client(plan_for(client_faults(random_(), limited), accounts_));
    std::vector<ObjectRef> objects;
    for (const auto& server : servers_) objects.push_back(client.object(server->ior()));
    for (int call = 0; call < 200 && Clock::now() < end; ++call) {
      const std::size_t chosen = random_() % objects.size();
      ObjectRef object = objects[chosen];
      const auto limit = std::chrono::milliseconds(random_() % 10 == 0 ? 2 : 200);
      if (limited) object = test::limited(object, client.core(), limit);
      call_one(*servers_[chosen], object);
    }
  }

  void call_one(LedgerServer& server, const ObjectRef& object) {
    const std::uint32_t number = std::exchange(next_, next_ + client_threads);
    server.ledger().forget(number);
    ++accounts_.sent;
    const std::vector<std::uint8_t> data(random_() % 4 == 0 ? random_() % data_size_max : 8);
    try {
      if (random_() % 8 == 0) return call_oneway(server, object, number, data);
      if (!call_act(object, number, data))
        accounts_.blame("got the reply to another request", number);
      if (server.ledger().executions(number) != 1)
        accounts_.blame("got a reply, but was not executed exactly once", number);
      ++accounts_.answered;
    } catch (const CORBA::SystemException& exception) {
      take_exception(server, exception, number);
    }
  }

  void call_oneway(LedgerServer& server, const ObjectRef& object, std::uint32_t number,
                   const std::vector<std::uint8_t>& data) {
    stub::invoke(
        *object, {"act", stub::Operation::Kind::oneway, {}},
        [&](cdr::Encoder& encoder) { encoder << number << data; }, nullptr);
    ++accounts_.oneways;
    remember({&server, number, 1});
  }

  /// Allows COMM_FAILURE, TRANSIENT and TIMEOUT, with COMPLETED_NO or COMPLETED_MAYBE.
  void take_exception(LedgerServer& server, const CORBA::SystemException& exception,
                      std::uint32_t number) {
    const std::string_view name = exception._name();
    const bool known = name == "COMM_FAILURE" || name == "TRANSIENT" || name == "TIMEOUT";
    if (!known || exception.completed() == CORBA::COMPLETED_YES)
      accounts_.blame(exception.what(), number);
    const bool maybe = exception.completed() == CORBA::COMPLETED_MAYBE;
    ++(maybe ? accounts_.maybe_executed : accounts_.not_executed);
    if (name == "TIMEOUT") ++accounts_.timed_out;
    remember({&server, number, maybe ? 1 : 0});
  }

  /// Checks the request again after a thousand newer requests.
  void remember(const Recent& recent) {
    recent_.push_back(recent);
    if (recent_.size() > 1000) look_back();
  }
  void look_back() {
    const Recent recent = recent_.front();
    recent_.pop_front();
    if (recent.server->ledger().executions(recent.number) > recent.executions_max)
      accounts_.blame("executed more often than the outcome of its call allows", recent.number);
  }

  Servers& servers_;
  Accounts& accounts_;
  Random random_;
  std::uint32_t next_;  // numbers of requests: each thread has its own
  std::deque<Recent> recent_;
};

/// Every tenth upcall calls the next server.
void call_out_of_upcalls(Servers& servers, Accounts& accounts) {
  for (std::size_t index = 0; index < servers.size(); ++index) {
    const iop::Ior& ior = servers[(index + 1) % servers.size()]->ior();
    servers[index]->before_reply = [&accounts, next = servers[index]->object(ior)] {
      thread_local std::uint32_t upcalls = 0;
      if (++upcalls % 10 != 0) return;
      try {
        (void)next->_non_existent();
      } catch (const CORBA::SystemException&) {  // a fault
      }
      ++accounts.nested;
    };
  }
}

/// Holds the requests of one server after the other for a moment.
void hold_now_and_then(Servers& servers, Accounts& accounts, Clock::time_point end) {
  for (std::size_t turn = 0; Clock::now() < end; ++turn) {
    PortableServer::POAManager& manager = servers[turn % servers.size()]->manager();
    manager.hold_requests(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    manager.activate();
    ++accounts.holds;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Sends requests whose arguments do not decode, and cancels them at once. The server may reply to
/// some of them before it reads the CancelRequest.
void cancel_requests(Servers& servers, Accounts& accounts, Clock::time_point end) {
  for (std::size_t turn = 0; Clock::now() < end; ++turn) {
    const LedgerServer& server = *servers[turn % servers.size()];
    RawClient client(server.endpoint());
    Octets batch;
    for (std::uint32_t id = 0; id < 10; ++id)
      batch = batch + make_request({.key = server.key(), .id = id}) + make_cancel_request(id);
    (void)client.try_send(batch);
    client.end_sending();
    while (!client.receive().empty()) continue;
    accounts.cancelled += 10;
  }
}

void run_clients(Accounts& accounts, MemoryCurve& memory) {
  Servers servers;
  for (const auto strategy : all_strategies)
    servers.push_back(std::make_unique<LedgerServer>(
        server_settings(strategy), plan_for(server_faults(servers.size()), accounts)));
  call_out_of_upcalls(servers, accounts);
  const auto end = Clock::now() + run_time;
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { hold_now_and_then(servers, accounts, end); });
    threads.emplace_back([&] { cancel_requests(servers, accounts, end); });
    for (std::uint32_t number = 0; number < client_threads; ++number)
      threads.emplace_back([&, number] { Caller(servers, accounts, number).run(end); });
    memory.sample_until(end);
  }
  for (const auto& server : servers) server->stop();
}

void print(const Accounts& it) {
  std::printf("seed %u: sent %lu = answered %lu + oneways %lu + not executed %lu + maybe %lu\n",
              seed, it.sent.load(), it.answered.load(), it.oneways.load(), it.not_executed.load(),
              it.maybe_executed.load());
  std::printf("timed out %lu, faults %lu, wrong %lu\n", it.timed_out.load(), it.faults.load(),
              it.wrong.load());
  std::printf("calls out of upcalls %lu, cancelled %lu, held %lu times\n", it.nested.load(),
              it.cancelled.load(), it.holds.load());
}

TEST_CASE("every request is accounted for, and nothing is left behind") {
  Remains remains;
  Accounts accounts;
  run_clients(accounts, remains.memory);
  print(accounts);
  CHECK(accounts.wrong == 0);
  CHECK(accounts.answered > 0);
  CHECK(accounts.faults > 0);
  CHECK(accounts.nested > 0);
  CHECK(accounts.cancelled > 0);
  CHECK(accounts.holds > 0);
  CHECK(accounts.sent ==
        accounts.answered + accounts.oneways + accounts.not_executed + accounts.maybe_executed);
  remains.check();
}

}  // namespace
}  // namespace perigee::test
