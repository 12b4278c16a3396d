// A middle tier at full load, for the time of --seconds. Clients keep many calls in flight and
// cancel some of them. Servants of all thread strategies reply after their sinks, by callbacks and
// coroutines. Sinks die, hang and are replaced, and connections break. Every request is accounted
// for: sent = answers + documented exceptions + requests whose caller did not wait. In the end no
// handle and no thread is left, and memory has stayed flat.
//
//   soak_middle_tier [--seconds <n>] [--seed <n>]
#define DOCTEST_CONFIG_IMPLEMENT
#include "faults/two_orbs.h"
#include "orb/policies.h"
#include "soak/soak_program.h"
#include <perigee/async/call.h>
#include <perigee/async/serve.h>
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937;
using skeleton::Answer;

constexpr std::uint32_t client_threads = 3;
constexpr std::size_t sink_count = 3;
constexpr std::size_t calls_in_flight = 64;

/// The outcomes of requests.
struct Accounts {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> answered{0};
  std::atomic<std::uint64_t> failed{0};   ///< with a documented exception
  std::atomic<std::uint64_t> dropped{0};  ///< the caller did not wait for the outcome
  std::atomic<std::uint64_t> cancelled{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> faults{0};
  std::atomic<std::uint64_t> deaths{0};
  std::atomic<std::uint64_t> hung{0};  ///< replies that sinks kept until they died

  void blame(const char* what) {
    if (wrong.fetch_add(1) < 20) std::printf("%s\n", what);
  }
};

std::unique_ptr<transport::ProtocolFactory> breaking_tcp(Accounts& accounts, std::uint64_t number) {
  transport::FaultPlan plan{.script = transport::random_faults({.seed = seed + number,
                                                                .split = 0.2,
                                                                .end_of_stream = 0.2,
                                                                .reset = 0.2,
                                                                .octet_max = 50'000}),
                            .happened = [&accounts](const transport::FaultyConnection&,
                                                    const Fault&) { ++accounts.faults; }};
  return transport::inject_faults(transport::make_tcp_protocol(), std::move(plan));
}

std::uint32_t read_argument(orb::ServerRequest& request) {
  std::uint32_t argument = 0;
  request.arguments() >> argument;
  request.end_of_arguments();
  return argument;
}

call<std::uint32_t> act(const ObjectRef& object, std::uint32_t argument) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  return async::start_call<std::uint32_t>(
      *object, operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [](cdr::Decoder& results) { return results.read<std::uint32_t>(); });
}

/// Replies with argument + 1, on a thread of its own, to the last request first. Some requests get
/// no reply until the sink dies.
class Sink {
 public:
  Sink(Accounts& accounts, std::uint64_t number)
      : accounts_(accounts),
        orb_({.settings = server_settings(all_strategies[number % std::size(all_strategies)]),
              .protocol = breaking_tcp(accounts, number)}),
        object_(orb_.root()->servant_to_reference(
            make_servant([this](orb::ServerRequest& request) { keep(request); }))),
        replier_([this](const std::stop_token& stop) { reply(stop); }) {
    orb_.serve();
  }
  /// Drops its deferred replies.
  ~Sink() {
    replier_.request_stop();
    replier_.join();
    orb_.core().shutdown(orb::Completion::do_not_wait);
    const std::lock_guard lock(mutex_);
    accounts_.hung += hanging_.size();
    dead_ = true;
    deferred_.clear();
    hanging_.clear();
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  [[nodiscard]] const iop::Ior& ior() const { return object_->_reference()->base()->ior; }

 private:
  struct Deferred {
    Answer answer;
    std::uint32_t argument;
  };

  void keep(orb::ServerRequest& request) {
    const std::uint32_t argument = read_argument(request);
    const std::lock_guard lock(mutex_);
    if (dead_) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
    auto& kept = argument % 1024 == 5 ? hanging_ : deferred_;
    kept.push_back({Answer(request), argument});
    changed_.notify_one();
  }

  void reply(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !deferred_.empty(); })) {
      Deferred later = std::move(deferred_.back());
      deferred_.pop_back();
      lock.unlock();
      later.answer.reply([&](cdr::Encoder& encoder) { encoder << later.argument + 1; });
      lock.lock();
    }
  }

  Accounts& accounts_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Deferred> deferred_;
  std::vector<Deferred> hanging_;
  bool dead_ = false;
  TestOrb orb_;
  ObjectRef object_;
  std::jthread replier_;  // last: it uses the other members
};

/// Answers a request with the outcome of a call.
class PassedOn final : public stub::CallObserver {
 public:
  explicit PassedOn(orb::ServerRequest& request) : answer_(request) {}
  void ended(stub::CallOutcome& outcome) noexcept override {
    std::uint32_t result = 0;
    const std::exception_ptr failure =
        outcome.decode([&result](cdr::Decoder& results) { results >> result; });
    if (failure)
      answer_.exception(failure);
    else
      answer_.reply([result](cdr::Encoder& encoder) { encoder << result + 1; });
    delete this;
  }

 private:
  Answer answer_;
};

/// Replies with the sink's reply plus one: by a callback, or as a coroutine.
class Middle {
 public:
  Middle(Accounts& accounts, orb::ThreadStrategy strategy, std::uint64_t number)
      : sinks_(sink_count),
        orb_({.settings = server_settings(strategy), .protocol = breaking_tcp(accounts, number)}),
        object_(orb_.root()->servant_to_reference(
            make_servant([this](orb::ServerRequest& request) { serve(request); }))) {}

  void start() { orb_.serve(); }
  [[nodiscard]] const iop::Ior& ior() const { return object_->_reference()->base()->ior; }
  void set_sink(std::size_t index, const iop::Ior& ior) {
    const std::lock_guard lock(mutex_);
    sinks_[index] = orb_.core().make_object(ior);
  }

 private:
  [[nodiscard]] ObjectRef sink_for(std::uint32_t argument) {
    const std::lock_guard lock(mutex_);
    return sinks_[argument / 2 % sinks_.size()];
  }

  void serve(orb::ServerRequest& request) {
    const std::uint32_t argument = read_argument(request);
    if (argument % 2 == 0) return pass_on(request, argument);
    async::serve<std::uint32_t>(
        request, [&] { return quote(argument); },
        [](cdr::Encoder& encoder, const std::uint32_t& result) { encoder << result; });
  }

  void pass_on(orb::ServerRequest& request, std::uint32_t argument) {
    static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
    const ObjectRef sink = sink_for(argument);
    auto* const observer = new PassedOn(request);
    (void)stub::send(
        *sink, operation, [argument](cdr::Encoder& encoder) { encoder << argument; }, *observer);
  }

  task<std::uint32_t> quote(std::uint32_t argument) {
    const std::uint32_t result = co_await act(sink_for(argument), argument);
    co_return result + 1;
  }

  std::mutex mutex_;
  std::vector<ObjectRef> sinks_;
  TestOrb orb_;
  ObjectRef object_;
};

using Middles = std::vector<std::unique_ptr<Middle>>;

/// One thread, which calls through one ORB after the other, with many calls in flight.
class Caller {
 public:
  Caller(Middles& middles, Accounts& accounts, std::uint32_t number)
      : middles_(middles), accounts_(accounts), random_(seed + number) {}

  void run(Clock::time_point end) {
    while (Clock::now() < end) use_one_orb(end);
  }

 private:
  struct InFlight {
    call<std::uint32_t> started;
    std::uint32_t argument;
  };

  void use_one_orb(Clock::time_point end) {
    const TestOrb client({.protocol = breaking_tcp(accounts_, random_())});
    std::vector<ObjectRef> objects;
    for (const auto& middle : middles_) objects.push_back(client.core().make_object(middle->ior()));
    for (ObjectRef& object : objects)  // calls without a limit may wait until a sink dies
      if (random_() % 2 == 0)
        object = limited(object, client.core(), std::chrono::milliseconds(300));
    for (int count = 0; count < 3000 && Clock::now() < end; ++count) {
      begin_one(objects[random_() % objects.size()]);
      if (calls_.size() >= calls_in_flight) end_one();
    }
    while (!calls_.empty()) end_one();
  }

  void begin_one(const ObjectRef& object) {
    const auto argument = static_cast<std::uint32_t>(random_() % 1'000'000);
    ++accounts_.sent;
    calls_.push_back({act(object, argument), argument});
  }

  void end_one() {
    InFlight ending = std::move(calls_.front());
    calls_.pop_front();
    const auto choice = random_() % 64;
    if (choice == 0) {
      ++accounts_.dropped;
      return;
    }
    if (choice < 4) {
      ++accounts_.cancelled;
      ending.started.cancel();
    }
    try {
      if (ending.started.get() != ending.argument + 2)
        accounts_.blame("got the reply to another request");
      ++accounts_.answered;
    } catch (const CORBA::SystemException& exception) {
      ++accounts_.failed;
      check(exception);
    }
  }

  /// NO_RESPONSE: a call that was cancelled, or an answer that a sink dropped when it died.
  void check(const CORBA::SystemException& exception) {
    const std::string_view name = exception._name();
    const bool known =
        name == "COMM_FAILURE" || name == "TRANSIENT" || name == "TIMEOUT" || name == "NO_RESPONSE";
    if (!known) accounts_.blame(exception.what());
  }

  Middles& middles_;
  Accounts& accounts_;
  Random random_;
  std::deque<InFlight> calls_;
};

/// Sinks that die, each after its successor has started.
class Sinks {
 public:
  Sinks(Middles& middles, Accounts& accounts)
      : middles_(middles), accounts_(accounts), sinks_(sink_count), random_(seed + 99) {
    for (std::size_t index = 0; index < sink_count; ++index) replace(index);
  }

  void die_now_and_then(Clock::time_point end) {
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + random_() % 100));
      replace(random_() % sink_count);
      ++accounts_.deaths;
    }
  }

 private:
  void replace(std::size_t index) {
    auto next = std::make_unique<Sink>(accounts_, ++number_);
    for (const auto& middle : middles_) middle->set_sink(index, next->ior());
    sinks_[index] = std::move(next);
  }

  Middles& middles_;
  Accounts& accounts_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  Random random_;
  std::uint64_t number_ = 1000;
};

void run_clients(Accounts& accounts, MemoryCurve& memory) {
  Middles middles;
  for (const auto strategy : all_strategies)
    middles.push_back(std::make_unique<Middle>(accounts, strategy, middles.size()));
  Sinks sinks(middles, accounts);
  for (const auto& middle : middles) middle->start();
  const auto end = Clock::now() + run_time;
  std::atomic<bool> over = false;
  std::jthread death([&] {
    while (!over) sinks.die_now_and_then(Clock::now() + std::chrono::milliseconds(1));
  });
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t number = 0; number < client_threads; ++number)
      threads.emplace_back([&, number] { Caller(middles, accounts, number).run(end); });
    memory.sample_until(end);
  }
  over = true;  // sinks die until the last caller has returned
}

void print(const Accounts& it) {
  std::printf("seed %u: sent %lu = answered %lu + failed %lu + dropped %lu\n", seed, it.sent.load(),
              it.answered.load(), it.failed.load(), it.dropped.load());
  std::printf("cancelled %lu, faults %lu, deaths of sinks %lu, kept until then %lu, wrong %lu\n",
              it.cancelled.load(), it.faults.load(), it.deaths.load(), it.hung.load(),
              it.wrong.load());
}

TEST_CASE("every request of a middle tier is accounted for, and nothing is left behind") {
  Remains remains;
  Accounts accounts;
  run_clients(accounts, remains.memory);
  print(accounts);
  CHECK(accounts.wrong == 0);
  CHECK(accounts.answered > 0);
  CHECK(accounts.failed > 0);
  CHECK(accounts.cancelled > 0);
  CHECK(accounts.deaths > 0);
  CHECK(accounts.faults > 0);
  CHECK(accounts.sent == accounts.answered + accounts.failed + accounts.dropped);
  remains.check();
}

}  // namespace
}  // namespace perigee::test
