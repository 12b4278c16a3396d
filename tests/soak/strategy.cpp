// One server under one thread strategy, for the time of --seconds. Its clients send quick requests,
// long upcalls, deferred requests with deadlines and large messages. Other clients send requests
// octet by octet, read replies slowly or not at all, and disconnect in the middle of a message.
// Every reply must be right, and every exception a documented one. When the load has ended, the
// server must have the threads of its plan, empty memory budgets, no armed timer and no request in
// progress.
//
//   soak_strategy [--seconds <n>] [--seed <n>] [--strategy <name>]
#define DOCTEST_CONFIG_IMPLEMENT
#include "engine/loops/loop.h"
#include "engine/memory/budget.h"
#include "faults/two_orbs.h"
#include "orb/policies.h"
#include "soak/soak_program.h"
#include <perigee/event/reactor.h>
#include <perigee/orb/metrics.h>
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937;
using skeleton::Answer;
using std::chrono::milliseconds;

constexpr std::uint32_t client_threads = 3;
constexpr std::size_t large_size_max = 2u << 20;
constexpr std::uint64_t pace = 64 * 1024;  // octets per second; single octets are far slower

/// What a request asks the servant for.
enum class Wish : std::uint32_t { quick, block, defer, large_results, count };

struct Accounts {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> answered{0};
  std::atomic<std::uint64_t> oneways{0};
  std::atomic<std::uint64_t> failed{0};  ///< with a documented exception
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> faults{0};
  std::atomic<std::uint64_t> drips{0};     ///< connections that sent octet by octet
  std::atomic<std::uint64_t> sluggish{0};  ///< connections that read slowly or not at all
  std::atomic<std::uint64_t> vanished{0};  ///< connections that ended in a message
  std::atomic<std::uint64_t> wrong{0};

  void blame(const char* what) {
    if (wrong.fetch_add(1) < 20) std::printf("%s\n", what);
  }
};

orb::ThreadStrategy chosen_strategy() {
  constexpr std::array names{"auto", "thread-per-connection", "reactive", "thread-pool",
                             "reactor-per-core"};
  const auto found = std::ranges::find(names, strategy_name);
  if (found == names.end()) std::printf("no such strategy: %s\n", strategy_name.c_str());
  REQUIRE(found != names.end());
  return all_strategies[static_cast<std::size_t>(found - names.begin())];
}

/// Limits that misbehaving clients reach within the soak.
orb::Settings impatient_settings() {
  orb::Settings settings = server_settings(chosen_strategy());
  settings.pace_octets_per_second = pace;
  settings.pace_grace = milliseconds(1000);
  settings.send_timeout = milliseconds(2000);
  settings.idle_timeout = milliseconds(5000);
  settings.drain_timeout = milliseconds(1000);
  settings.unsent_size_max = 24u << 20;
  return settings;
}

/// Sends the replies to deferred requests on a thread of its own, the last reply first.
class Replier {
 public:
  void add(Answer answer, std::uint32_t result) {
    const std::lock_guard lock(mutex_);
    kept_.push_back({std::move(answer), result});
    changed_.notify_one();
  }

 private:
  struct Kept {
    Answer answer;
    std::uint32_t result;
  };

  void run(const std::stop_token& stop) {
    Random random(seed + 7);
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !kept_.empty(); })) {
      Kept kept = std::move(kept_.back());
      kept_.pop_back();
      lock.unlock();
      if (random() % 16 == 0) std::this_thread::sleep_for(milliseconds(random() % 20));
      kept.answer.reply([&](cdr::Encoder& encoder) { encoder << kept.result; });
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Kept> kept_;
  std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};  // last: uses the rest
};

/// The server, and what it must have in the end.
class Served {
 public:
  Served()
      : fixture_(impatient_settings(), [this](orb::ServerRequest& request) { serve(request); }) {}

  [[nodiscard]] const ServerFixture& fixture() const noexcept { return fixture_; }
  [[nodiscard]] const iop::Ior& ior() const { return fixture_.object->_reference()->base()->ior; }
  [[nodiscard]] orb::OrbCore& core() const noexcept { return fixture_.orb.core(); }

  /// The number of armed timers of all reactors that have timers of requests or connections.
  [[nodiscard]] std::size_t timers() {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const event::Reactor* each : reactors_) sum += each->timers_armed();
    return sum;
  }
  /// About the highest number of armed timers that an upcall has seen.
  [[nodiscard]] std::size_t timers_max() const noexcept { return timers_max_; }
  [[nodiscard]] std::uint64_t connections() const {
    return core().metrics_snapshot().value("perigee_connections", {{"side", "server"}});
  }
  [[nodiscard]] std::uint64_t charged(engine::Use use) const {
    return core().memory_budget().charged(use);
  }
  [[nodiscard]] bool is_at_rest(std::size_t threads_max) {
    return thread_count() <= threads_max && core().requests_in_progress() == 0 &&
           core().held_size() == 0 && charged(engine::Use::unfinished) == 0 &&
           charged(engine::Use::unsent) == 0 && charged(engine::Use::parked) == 0 &&
           timers() == 0 && connections() == 0;
  }
  void print() {
    std::printf("threads %zu, connections %lu, requests in progress %u, armed timers %zu\n",
                thread_count(), connections(), core().requests_in_progress(), timers());
    std::printf("octets unfinished %lu, unsent %lu, parked %lu and %zu; places lost %lu\n",
                charged(engine::Use::unfinished), charged(engine::Use::unsent),
                charged(engine::Use::parked), core().held_size(), core().evictions());
  }

 private:
  void serve(orb::ServerRequest& request) {
    note_loop();
    std::uint32_t wish = 0;
    std::uint32_t argument = 0;
    std::vector<std::uint8_t> data;
    request.arguments() >> wish >> argument >> data;
    request.end_of_arguments();
    switch (Wish{wish}) {
      case Wish::block:
        std::this_thread::sleep_for(milliseconds(argument % 20));
        break;
      case Wish::defer:
        return replier_.add(Answer(request), argument + 1);
      case Wish::large_results:
        data.assign(argument % large_size_max, static_cast<std::uint8_t>(argument));
        return request.reply([&](cdr::Encoder& encoder) { encoder << argument + 1 << data; });
      default:
        break;
    }
    request.reply([argument](cdr::Encoder& encoder) { encoder << argument + 1; });
  }

  // The timers of a loop that several threads serve are in the reactor of the service thread. The
  // loop's own reactor has only those of tasks that sleep.
  void note_loop() {
    thread_local const engine::Loop* noted = nullptr;
    engine::Loop* const loop = core().server()->loop_of_this_thread();
    CHECK(loop != nullptr);
    if (loop == nullptr) return;
    if (loop != noted) {
      noted = loop;
      const std::lock_guard lock(mutex_);
      reactors_.insert(&loop->reactor());
      reactors_.insert(&loop->timers());
    }
    const std::size_t armed = loop->timers().timers_armed();
    if (armed > timers_max_) timers_max_ = armed;
  }

  std::mutex mutex_;
  std::set<const event::Reactor*> reactors_;
  std::atomic<std::size_t> timers_max_ = 0;
  Replier replier_;
  ServerFixture fixture_;  // last: its upcalls use the rest
};

/// Calls through one ORB after the other; their connections break at random.
class Caller {
 public:
  Caller(Served& served, Accounts& accounts, std::uint32_t number)
      : served_(served), accounts_(accounts), random_(seed + number) {}

  void run(Clock::time_point end) {
    while (goes_on(end)) use_one_orb(end);
  }

 private:
  /// A busy machine may transfer so little in the time that no connection has broken yet.
  [[nodiscard]] bool goes_on(Clock::time_point end) const {
    return Clock::now() < end || accounts_.faults == 0;
  }
  [[nodiscard]] transport::FaultPlan faults(bool limited) {
    transport::RandomFaults faults{.seed = random_(),
                                   .split = 0.3,
                                   .delay = 0.1,
                                   .end_of_stream = 0.1,
                                   .reset = 0.2,
                                   .octet_max = 4'000'000,
                                   .delay_max = std::chrono::microseconds(2000)};
    if (limited) faults.stall = 0.1;  // only a time limit ends a call on a stalled connection
    return {.script = transport::random_faults(faults),
            .happened = [this](const transport::FaultyConnection&, const Fault&) {
              ++accounts_.faults;
            }};
  }

  void use_one_orb(Clock::time_point end) {
    const bool limited = random_() % 2 == 0;
    const FaultyClient client(faults(limited));
    const ObjectRef object = client.object(served_.ior());
    for (int call = 0; call < 300 && goes_on(end); ++call) {
      const auto limit = milliseconds(random_() % 10 == 0 ? 5 : 500);
      call_one(limited ? test::limited(object, client.core(), limit) : object);
    }
  }

  void call_one(const ObjectRef& object) {
    const auto wish = Wish{random_() % 16 == 0 ? 3U : static_cast<std::uint32_t>(random_() % 3)};
    const auto argument = static_cast<std::uint32_t>(random_());
    const std::vector<std::uint8_t> data(random_() % 64 == 0 ? random_() % large_size_max : 8);
    ++accounts_.sent;
    try {
      if (wish == Wish::quick && random_() % 8 == 0) return call_oneway(object, argument, data);
      if (!call_twoway(object, wish, argument, data)) accounts_.blame("a wrong reply");
      ++accounts_.answered;
    } catch (const CORBA::SystemException& exception) {
      check(exception);
    }
  }

  void call_oneway(const ObjectRef& object, std::uint32_t argument,
                   const std::vector<std::uint8_t>& data) {
    stub::invoke(
        *object, {"act", stub::Operation::Kind::oneway, {}},
        [&](cdr::Encoder& encoder) { encoder << std::uint32_t{0} << argument << data; }, nullptr);
    ++accounts_.oneways;
  }

  [[nodiscard]] static bool call_twoway(const ObjectRef& object, Wish wish, std::uint32_t argument,
                                        const std::vector<std::uint8_t>& data) {
    std::uint32_t result = 0;
    std::vector<std::uint8_t> results;
    stub::invoke(
        *object, {"act", stub::Operation::Kind::twoway, {}},
        [&](cdr::Encoder& encoder) {
          encoder << static_cast<std::uint32_t>(wish) << argument << data;
        },
        [&](cdr::Decoder& decoder) {
          decoder >> result;
          if (wish == Wish::large_results) decoder >> results;
        });
    const auto expected = static_cast<std::uint8_t>(argument);
    return result == argument + 1 &&
           results.size() == (wish == Wish::large_results ? argument % large_size_max : 0) &&
           std::ranges::all_of(results, [&](std::uint8_t octet) { return octet == expected; });
  }

  void check(const CORBA::SystemException& exception) {
    ++accounts_.failed;
    const std::string_view name = exception._name();
    if (name == "TIMEOUT") ++accounts_.timed_out;
    if (name != "COMM_FAILURE" && name != "TRANSIENT" && name != "TIMEOUT")
      accounts_.blame(exception.what());
  }

  Served& served_;
  Accounts& accounts_;
  Random random_;
};

/// A request for the servant of `Served`, which a raw client sends.
Octets raw_request(const Served& served, Wish wish, std::uint32_t argument, std::size_t size = 8) {
  constexpr auto order = std::endian::little;
  Writer writer(order);
  begin_message(writer, 2, order, 0);
  writer.ulong(argument).octet(3).octet(0).octet(0).octet(0);
  writer.ushort(0).sequence(served.fixture().key).text("act").ulong(0);
  writer.align(8).ulong(static_cast<std::uint32_t>(wish)).ulong(argument).sequence(Octets(size));
  return finish(writer, order);
}

/// Raw clients that misbehave, several at a time. One thread.
class Misbehaviour {
 public:
  Misbehaviour(Served& served, Accounts& accounts)
      : served_(served), accounts_(accounts), random_(seed + 77) {}

  void run(Clock::time_point end) {
    while (Clock::now() < end) {
      while (drips_.size() < 8) begin_drip();
      while (sluggish_.size() < 6) begin_sluggish();
      vanish();
      for (int turn = 0; turn < 20; ++turn) {
        std::this_thread::sleep_for(milliseconds(2));
        step_all();
      }
    }
  }

 private:
  struct Drip {
    RawClient client;
    Octets rest;
    std::size_t sent = 0;
  };
  struct Sluggish {
    RawClient client;
    std::uint32_t turns;
    bool reads;
  };

  [[nodiscard]] RawClient connect() const { return RawClient(served_.fixture().endpoint); }
  [[nodiscard]] std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }

  void begin_drip() {
    ++accounts_.drips;
    drips_.push_back({connect(), raw_request(served_, Wish::quick, number(), number() % 60'000)});
  }
  void begin_sluggish() {
    ++accounts_.sluggish;
    RawClient client = connect();
    for (int count = 0; count < 3; ++count)
      if (!client.try_send(raw_request(served_, Wish::large_results, number()))) break;
    sluggish_.push_back({std::move(client), 50 + number() % 2000, number() % 2 == 0});
  }
  /// Disconnects within a message or while its requests are in progress.
  void vanish() {
    ++accounts_.vanished;
    RawClient client = connect();
    constexpr std::uint32_t wishes = static_cast<std::uint32_t>(Wish::count);
    Octets batch;
    for (int count = 0; count < 4; ++count)
      batch = std::move(batch) + raw_request(served_, Wish{number() % wishes}, number());
    batch = std::move(batch) + raw_request(served_, Wish::quick, number(), number() % 100'000);
    batch.resize(batch.size() - number() % 60);
    (void)client.try_send(batch);
  }

  void step_all() {
    std::erase_if(drips_, [this](Drip& drip) { return !goes_on(drip); });
    std::erase_if(sluggish_, [](Sluggish& client) { return !goes_on(client); });
  }
  [[nodiscard]] bool goes_on(Drip& drip) {
    const OctetSpan next = OctetSpan(drip.rest).subspan(drip.sent, 1);
    drip.sent += next.size();
    return drip.client.try_send(next) && drip.sent < drip.rest.size() && number() % 2000 != 0;
  }
  [[nodiscard]] static bool goes_on(Sluggish& client) {
    if (client.turns-- == 0) return false;
    return !client.reads || !client.client.receive_part(100).empty();
  }

  Served& served_;
  Accounts& accounts_;
  Random random_;
  std::vector<Drip> drips_;
  std::vector<Sluggish> sluggish_;
};

/// The POA manager holds requests now and then.
void hold_now_and_then(const Served& served, Clock::time_point end) {
  const auto manager = served.fixture().orb.root()->the_POAManager();
  while (Clock::now() < end) {
    manager->hold_requests(false);
    std::this_thread::sleep_for(milliseconds(2));
    manager->activate();
    std::this_thread::sleep_for(milliseconds(50));
  }
}

void load(Served& served, Accounts& accounts, MemoryCurve& memory, Clock::time_point end) {
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { hold_now_and_then(served, end); });
  threads.emplace_back([&] { Misbehaviour(served, accounts).run(end); });
  for (std::uint32_t number = 0; number < client_threads; ++number)
    threads.emplace_back([&, number] { Caller(served, accounts, number).run(end); });
  memory.sample_until(end);
}

/// Threads of a server that has served each kind of request, and has no connections any more. The
/// large request starts the thread that watches memory.
std::size_t planned_threads(Served& served) {
  {
    RawClient client(served.fixture().endpoint);
    client.send(raw_request(served, Wish::quick, 1) + raw_request(served, Wish::defer, 2) +
                raw_request(served, Wish::quick, 3, 1'000'000));
    for (int count = 0; count < 3; ++count) (void)client.reply();
  }
  while (served.connections() != 0 || served.core().requests_in_progress() != 0)
    std::this_thread::yield();
  return thread_count();
}

/// Spare threads end after ten seconds, and cached storage is given back after five.
void await_rest(Served& served, std::size_t threads_max) {
  const auto end = Clock::now() + std::chrono::seconds(120);
  while (!served.is_at_rest(threads_max) && Clock::now() < end)
    std::this_thread::sleep_for(milliseconds(20));
}

void print(const Accounts& it) {
  std::printf("seed %u, %s: sent %lu = answered %lu + oneways %lu + failed %lu\n", seed,
              strategy_name.c_str(), it.sent.load(), it.answered.load(), it.oneways.load(),
              it.failed.load());
  std::printf("timed out %lu, faults %lu, drips %lu, sluggish %lu, vanished %lu, wrong %lu\n",
              it.timed_out.load(), it.faults.load(), it.drips.load(), it.sluggish.load(),
              it.vanished.load(), it.wrong.load());
}

TEST_CASE("a server keeps no resources after all clients have ended, also clients that misbehave") {
  Remains remains;
  Accounts accounts;
  {
    Served served;
    const std::size_t threads = planned_threads(served);
    load(served, accounts, remains.memory, Clock::now() + run_time);
    served.print();
    await_rest(served, threads);
    served.print();
    CHECK(thread_count() <= threads);
    CHECK(served.connections() == 0);
    CHECK(served.core().requests_in_progress() == 0);
    CHECK(served.core().held_size() == 0);
    CHECK(served.charged(engine::Use::unfinished) == 0);
    CHECK(served.charged(engine::Use::unsent) == 0);
    CHECK(served.charged(engine::Use::parked) == 0);
    CHECK(served.timers() == 0);
    CHECK(served.timers_max() > 0);  // the reactors that timers() counts did have timers
  }
  print(accounts);
  CHECK(accounts.wrong == 0);
  CHECK(accounts.answered > 0);
  CHECK(accounts.failed > 0);
  CHECK(accounts.faults > 0);
  CHECK(accounts.drips > 0);
  CHECK(accounts.sluggish > 0);
  CHECK(accounts.vanished > 0);
  CHECK(accounts.sent == accounts.answered + accounts.oneways + accounts.failed);
  remains.check();
}

}  // namespace
}  // namespace perigee::test
