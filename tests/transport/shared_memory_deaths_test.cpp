// Peers of shared memory that die at every step: at each system call, between instructions, and in
// 10,000 connections. The survivor must neither hang nor keep anything.
#include "base/sanitizer.h"
#include "conformance/transport_pair.h"
#include "support/raw_rings.h"
#include "support/temporary_folder.h"
#include "transport/own_resources.h"
#include "transport/stepped_process.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <random>
#include <string>
#include <thread>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using shared_memory::Rings;
using test::OwnResources;
using test::pattern;
using test::RawRings;
using test::receive_exactly;
using test::RingServer;
using test::send_all;
using test::SteppedProcess;
using test::TemporaryFolder;

constexpr std::size_t small_size = 100;
constexpr std::size_t large_size = 600'000;  // more than two rings

const Octets& small_message() {
  static const Octets octets = pattern(small_size, 1);
  return octets;
}
const Octets& large_message() {
  static const Octets octets = pattern(large_size, 2);
  return octets;
}

/// Sends a message that is encoded in place.
IoResult send_in_place(Transport& end, OctetSpan octets) {
  const MutableOctetSpan place = end.begin_direct(octets.size());
  if (place.empty()) return {0, IoStatus::failed, 0};
  std::ranges::copy(octets, place.begin());
  return end.commit(octets.size());
}

/// Whether all octets arrived that were sent, or a first part of them and then an end.
bool receives(Transport& end, const Octets& expected) {
  const Octets received = receive_exactly(end, expected.size());
  CHECK(std::ranges::equal(received, OctetSpan(expected).first(received.size())));
  return received.size() == expected.size();
}

/// One conversation: a small message and a large message each way. Returns whether the peer lived
/// until the end.
bool talk_as_client(Transport& end) {
  return end.open(Wait::yes).ok() && send_in_place(end, small_message()).ok() &&
         receives(end, small_message()) && send_all(end, large_message()).ok() &&
         receives(end, large_message());
}
bool talk_as_server(Transport& end) {
  return end.open(Wait::yes).ok() && receives(end, small_message()) &&
         send_in_place(end, small_message()).ok() && receives(end, large_message()) &&
         send_all(end, large_message()).ok();
}

std::unique_ptr<Transport> connect(ProtocolFactory& protocol, const std::string& path) {
  auto client = protocol.make_connector()->connect({"shmiop", path}, 10s);
  return client ? std::move(*client) : nullptr;
}

/// A server whose clients die. It serves on a thread until `stop`.
class SurvivingServer {
 public:
  explicit SurvivingServer(const RingServer& server) : server_(server) {}
  void start() {
    thread_ = std::jthread([this] {
      while (!over_) (void)talk_as_server(*server_.accept());
    });
  }
  /// Ends an `accept` by one more connection.
  void stop(const std::string& path) {
    over_ = true;
    (void)test::raw_client(path);  // closes at once
    thread_.join();
  }

 private:
  const RingServer& server_;
  std::atomic<bool> over_{false};
  std::jthread thread_;
};

/// Runs a client in a process, and kills it after `steps`. False: it had ended before.
template <typename Steps>
bool survive_client(const Steps& steps) {
  const TemporaryFolder folder;
  const std::string path = folder.file("socket");
  const RingServer server(path);
  SteppedProcess child([&path] {
    const auto protocol = test::make_shared_memory_protocol();
    const auto client = connect(*protocol, path);
    if (client) (void)talk_as_client(*client);
  });
  SurvivingServer survivor(server);
  survivor.start();
  const bool is_alive = steps(child);
  child.kill();
  survivor.stop(path);
  return is_alive;
}

/// The same with a server in the process.
template <typename Steps>
bool survive_server(const Steps& steps) {
  const std::string name = "@perigee-deaths-" + std::to_string(::getpid());
  auto server = std::make_unique<RingServer>(name);
  SteppedProcess child([&server] { (void)talk_as_server(*server->accept()); });
  server.reset();  // only the child listens
  std::jthread survivor([&name] {
    const auto protocol = test::make_shared_memory_protocol();
    const auto client = connect(*protocol, name);
    if (client) (void)talk_as_client(*client);
  });
  const bool is_alive = steps(child);
  child.kill();
  return is_alive;
}

/// Kills a peer at its first system call, then at its second call, and so on, until a peer lives to
/// its end.
template <typename Survive>
int kill_at_each_system_call(const Survive& survive) {
  int call = 0;
  while (survive([&call](SteppedProcess& child) { return child.run_system_calls(call); })) ++call;
  return call;
}

TEST_CASE("a server survives a client that is killed at any of its system calls") {
  const OwnResources before;
  CHECK(kill_at_each_system_call([](const auto& steps) { return survive_client(steps); }) > 40);
  CHECK(OwnResources() == before);
}

TEST_CASE("a client survives a server that is killed at any of its system calls") {
  const OwnResources before;
  CHECK(kill_at_each_system_call([](const auto& steps) { return survive_server(steps); }) > 30);
  CHECK(OwnResources() == before);
}

// The peer dies in the middle of a copy, between a copy and its publication, between the
// publication and the wake, or while it spins.
TEST_CASE("both sides survive a peer that is killed between any two instructions") {
  constexpr int kills = under_sanitizer ? 20 : 100;
  const OwnResources before;
  std::mt19937 dice(20'020);
  for (int kill = 0; kill < kills; ++kill) {
    const auto call = static_cast<int>(dice() % 120);
    const auto instruction = static_cast<int>(dice() % 2000);
    CAPTURE(call);
    CAPTURE(instruction);
    const auto steps = [=](SteppedProcess& child) {
      return child.run_system_calls(call) && child.run_instructions(instruction);
    };
    (void)(kill % 2 == 0 ? survive_client(steps) : survive_server(steps));
  }
  CHECK(OwnResources() == before);
}

// --- Many deaths ---------------------------------------------------------------------------------

/// How far a client gets before it dies.
enum class Step : std::uint8_t {
  connected,
  said_hello,
  opened,
  wrote,      // octets that are not published
  published,  // and the peer is not woken
  sent_part,  // of a large message
  sent_all,
  closed_output,
  count,
};
enum class Death : std::uint8_t { kill, exit, close, count };

/// Does the steps of the protocol by hand. Returns the socket and the memory.
struct DyingClient {
  explicit DyingClient(const std::string& path) : socket(test::raw_client(path)) {}

  void run(Step last) {
    if (last == Step::connected) return;
    auto made = Rings::make(RawRings::size).value();
    shared_memory::Hello hello{.ring_size = RawRings::size};
    const int handle = made.memory.get();
    (void)ipc::io::send_handles(socket.handle(), std::as_bytes(std::span(&hello, 1)), {&handle, 1},
                                ipc::forever);
    if (last == Step::said_hello) return;
    std::byte answer{};
    (void)ipc::io::recv(socket.handle(), {&answer, 1}, ipc::forever);
    rings = std::move(made.rings);
    if (last != Step::opened) send(last);
  }
  void send(Step last) const {
    shared_memory::RingSender sender(rings.from_client());
    sender.write(OctetSpan(large_message()).first(50'000));
    if (last == Step::wrote) return;
    sender.publish();
    if (last == Step::published) return;
    if (shared_memory::wake(sender.words().receiver_waits)) {
      constexpr std::byte octet{};
      (void)ipc::io::send(socket.handle(), {&octet, 1}, ipc::no_wait);
    }
    if (last == Step::sent_part) return;
    while (sender.room() < 10'000) std::this_thread::yield();
    sender.write(OctetSpan(large_message()).subspan(50'000, 10'000));
    sender.publish();
    if (last == Step::closed_output) sender.words().ended.store(shared_memory::closed);
  }

  ipc::lsock::Stream socket;
  Rings rings;
};

void die(const std::string& path, Step last, Death death) {
  DyingClient client(path);
  client.run(last);
  if (death == Death::kill) (void)::raise(SIGKILL);
}

/// The client runs in a process of its own, unless it only closes.
void connect_and_die(const std::string& path, const RingServer& server, Step last, Death death) {
  std::jthread closing;
  pid_t child = -1;
  if (death == Death::close) {
    closing = std::jthread([&] { die(path, last, death); });
  } else {
    child = ::fork();
    REQUIRE(child != -1);
    if (child == 0) {
      die(path, last, death);
      ::_exit(0);
    }
  }
  const auto end = server.accept();
  const bool opened = end->open(Wait::yes).ok();
  // The server may answer before or after the end of a client that does not wait for the answer.
  if (last != Step::said_hello) CHECK(opened == (last >= Step::opened));
  if (opened) {
    const std::size_t expected = last < Step::published  ? 0
                                 : last < Step::sent_all ? 50'000
                                                         : 60'000;
    const Octets received = receive_exactly(*end, large_size);
    CHECK(received.size() == expected);
    CHECK(std::ranges::equal(received, OctetSpan(large_message()).first(received.size())));
  }
  if (child != -1) CHECK(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("10,000 clients that die at all steps leave nothing behind") {
  constexpr unsigned clients = under_sanitizer ? 500 : 10'000;
  const TemporaryFolder folder;
  const std::string path = folder.file("socket");
  const RingServer server(path);
  const auto run = [&](unsigned number) {
    const auto last = static_cast<Step>(number % static_cast<unsigned>(Step::count));
    const auto death = static_cast<Death>(number / static_cast<unsigned>(Step::count) %
                                          static_cast<unsigned>(Death::count));
    CAPTURE(number);
    connect_and_die(path, server, last, death);
  };
  for (unsigned number = 0; number < 24; ++number) run(number);  // the watch starts its thread
  const OwnResources before;
  for (unsigned number = 24; number < clients; ++number) run(number);
  CHECK(OwnResources() == before);
}

}  // namespace
}  // namespace perigee::transport
