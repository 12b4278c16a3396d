// Kills servers under the load of a client with several threads, and clients under a server, again
// and again. The survivor must get only the right exceptions. In the end it must have no more
// handles and threads than before, and no larger heap than after the first kills.
//
//   kill_peers [--count <n>] [--scheme iiop|shmiop]
//
// A round has <n> kills (default: 20) for each strategy and side.
#include "faults/child_process.h"
#include "faults/process_limits.h"
#include "runtime/process.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace perigee::test {
namespace {

constexpr int threads_of_client = 4;
constexpr int calls_before_kill = 100;
constexpr int kills_before_counting = 5;
// The buffers of one connection: the measurement may begin with it and end without it, or the
// other way round.
constexpr std::size_t heap_grown_max = 128u << 10;
// Each loop of a server takes its receive buffer (256 KiB) with the first octets that it reads, and
// under `auto` that may be after many connections. A leak grows the heap in every round.
constexpr int rounds_max = 4;
const char* const strategies[] = {"auto", "thread-per-connection", "reactive", "thread-pool",
                                  "reactor-per-core"};

/// The outcomes of calls that a client's threads have seen.
struct Seen {
  std::atomic<int> answers{0};
  std::atomic<int> not_executed{0};
  std::atomic<int> maybe_executed{0};
  std::atomic<int> wrong{0};
};

/// Calls until the server is dead. Only the outcomes of the completion status table are right.
void call_until_death(const Echo::Ref& echo, Seen& seen) {
  try {
    for (std::int32_t number = 0;; ++number) {
      if (echo->twice(number) != 2 * number) ++seen.wrong;
      echo->count_up();
      seen.answers.fetch_add(1);
      seen.answers.notify_all();
    }
  } catch (const CORBA::COMM_FAILURE& failure) {
    if (failure.completed() == CORBA::COMPLETED_YES) ++seen.wrong;
    ++(failure.completed() == CORBA::COMPLETED_NO ? seen.not_executed : seen.maybe_executed);
  } catch (const CORBA::TRANSIENT& transient) {
    if (transient.completed() != CORBA::COMPLETED_NO) ++seen.wrong;
    ++seen.not_executed;
  } catch (const CORBA::Exception& exception) {
    std::printf("a client saw %s\n", exception._name());
    ++seen.wrong;
  }
}

/// Blocks until the counter has grown by `more`.
void await_growth(const std::atomic<int>& counter, int more) {
  const int before = counter;
  for (int now = before; now < before + more; now = counter) counter.wait(now);
}

/// The handles, threads and memory of the process.
struct Possessions {
  std::size_t handles = open_handles();
  std::size_t threads = thread_count();
  std::size_t memory = heap_in_use();
};

/// A server notices the death of its clients only when its threads get to their connections.
bool settles_at(const Possessions& before) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) {
    const Possessions now;
    if (now.handles <= before.handles && now.threads <= before.threads) return true;
    std::this_thread::yield();
  }
  return false;
}

/// Kills one peer. Returns what the process has when it stays the same for a while. The first kill
/// starts threads that stay, for example the thread that watches for the end of peers.
Possessions possessions_after(const std::function<void()>& kill_one) {
  constexpr std::chrono::milliseconds pause{200};
  kill_one();
  for (Possessions before;;) {
    std::this_thread::sleep_for(pause);  // other threads of the process notice the death
    const Possessions now;
    if (now.handles == before.handles && now.threads == before.threads) return now;
    before = now;
  }
}

/// The result of one round of kills.
enum class Outcome { same, heap_grew, never_settled };

/// Kills `count` peers and compares what the process has with `before`.
Outcome kill_round(const std::string& name, int count, Possessions before,
                   const std::function<void()>& kill_one) {
  before.memory = heap_in_use();
  for (int kill = 0; kill < count; ++kill) kill_one();
  const bool settled = settles_at(before);
  const Possessions after;
  std::printf("%s: %d kills; handles %zu -> %zu, threads %zu -> %zu, memory %zu -> %zu KiB\n",
              name.c_str(), count, before.handles, after.handles, before.threads, after.threads,
              before.memory / 1024, after.memory / 1024);
  if (!settled) return Outcome::never_settled;
  return after.memory <= before.memory + heap_grown_max ? Outcome::same : Outcome::heap_grew;
}

/// Kills peers in rounds of `count`; true if handles, threads and, after at most `rounds_max`
/// rounds, the heap stay the same.
bool survive(const std::string& name, int count, const std::function<void()>& kill_one) {
  const Possessions before = possessions_after(kill_one);
  for (int kill = 0; kill < kills_before_counting; ++kill) kill_one();
  if (!settles_at(before)) {
    const Possessions after;
    std::printf("%s: the first kills left more behind; handles %zu -> %zu, threads %zu -> %zu\n",
                name.c_str(), before.handles, after.handles, before.threads, after.threads);
    return false;
  }
  Outcome outcome = Outcome::heap_grew;
  for (int round = 0; round < rounds_max && outcome == Outcome::heap_grew; ++round)
    outcome = kill_round(name, count, before, kill_one);
  return outcome == Outcome::same;
}

/// Where the next server of the scheme listens.
std::string endpoint_of(const std::string& scheme) {
  return scheme + (scheme == "iiop" ? "://127.0.0.1:0"
                                    : "://@perigee-kill-peers-" + std::to_string(::getpid()));
}

bool survive_servers(const std::string& scheme, const std::string& strategy, int count) {
  int kills = 0;
  // The thread that looks for idle connections closes the unused connections of dead servers. It
  // starts with the first such connection, before the threads are counted. The client remembers
  // few dead servers.
  const EchoClient client({"-ORBClientIdleTimeout", "100", "-ORBEndpointsMax", "2"});
  {
    ChildProcess server({"server", scheme, strategy});
    (void)client.echo(server.read_line())->twice(1);
    server.kill();
  }
  Seen seen;
  const bool same = survive("servers, " + scheme + ", " + strategy, count, [&] {
    ++kills;
    ChildProcess server({"server", scheme, strategy});
    const Echo::Ref echo = client.echo(server.read_line());
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < threads_of_client; ++caller)
      callers.emplace_back([&] { call_until_death(echo, seen); });
    await_growth(seen.answers, calls_before_kill);
    server.kill();
  });
  std::printf("  answers %d, not executed %d, maybe executed %d, wrong %d\n", seen.answers.load(),
              seen.not_executed.load(), seen.maybe_executed.load(), seen.wrong.load());
  const int ends = kills * threads_of_client;
  return same && seen.wrong == 0 && seen.not_executed + seen.maybe_executed == ends;
}

bool survive_clients(const std::string& scheme, const std::string& strategy, int count) {
  EchoServer server({"-ORBThreadStrategy", strategy}, endpoint_of(scheme));
  return survive("clients, " + scheme + ", " + strategy, count, [&] {
    ChildProcess client({"client", server.reference});
    await_growth(server.servant->counted, calls_before_kill);
    client.kill();
  });
}

int run_server(const std::string& scheme, const std::string& strategy) {
  const EchoServer server({"-ORBThreadStrategy", strategy}, endpoint_of(scheme));
  std::printf("%s\n", server.reference.c_str());
  std::fflush(stdout);
  for (;;) ::pause();
}

int run_client(const std::string& reference) {
  const EchoClient client;
  const Echo::Ref echo = client.echo(reference);
  Seen seen;
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < threads_of_client; ++caller)
    callers.emplace_back([&] { call_until_death(echo, seen); });
  return 0;
}

int survive_all(const std::string& scheme, int count) {
  bool all = true;
  for (const char* strategy : strategies) {
    all = survive_servers(scheme, strategy, count) && all;
    all = survive_clients(scheme, strategy, count) && all;
    std::fflush(stdout);
  }
  std::puts(all ? "all survived" : "FAILED");
  return all ? 0 : 1;
}

}  // namespace
}  // namespace perigee::test

int main(int argc, char** argv) {
  using perigee::test::survive_all;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "server")
    return perigee::test::run_server(words[1], words[2]);
  if (words.size() == 2 && words[0] == "client") return perigee::test::run_client(words[1]);
  const auto option = [&words](const std::string& name, const std::string& otherwise) {
    const auto found = std::ranges::find(words, name);
    return found == words.end() || found + 1 == words.end() ? otherwise : found[1];
  };
  const std::string scheme = option("--scheme", "iiop");
  if (words.size() % 2 == 0 && (scheme == "iiop" || scheme == "shmiop"))
    return survive_all(scheme, std::stoi(option("--count", "20")));
  std::puts("usage: kill_peers [--count <n>] [--scheme iiop|shmiop]");
  return 2;
}
