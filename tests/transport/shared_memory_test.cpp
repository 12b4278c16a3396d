// Features of shared memory only: hostile peers, peers that are killed, wakes, and limits of the
// process. The conformance suite tests the contract of transports.
#include "conformance/transport_pair.h"
#include "ipc/input_size.h"
#include "support/raw_rings.h"
#include "support/temporary_folder.h"
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using shared_memory::Hello;
using shared_memory::ring_size_max;
using shared_memory::ring_size_min;
using shared_memory::Rings;
using test::pattern;
using test::RawRings;
using test::receive_exactly;
using test::RingServer;
using test::send_all;
using test::send_some;
using test::TemporaryFolder;

/// A folder, a server in it, and one connection with both ends open.
struct Connection {
  TemporaryFolder folder;
  std::string path = folder.file("socket");
  RingServer server{path};
  std::unique_ptr<ProtocolFactory> protocol = test::make_shared_memory_protocol();
  test::TransportPair pair = test::connect_pair(*protocol, *server.acceptor);
};

/// The server's end after a client has sent this hello.
std::unique_ptr<Transport> refused_by_server(const Hello& hello, std::span<const int> handles) {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const auto client = test::raw_client(folder.file("socket"));
  test::say_hello(client, hello, handles);
  auto end = server.accept();
  const IoResult result = end->open(Wait::yes);
  CHECK(result.status == IoStatus::failed);
  CHECK(result.code == EPROTO);
  std::byte answer{};
  CHECK(ipc::io::recv(client.handle(), {&answer, 1}, ipc::forever).count == 1);
  CHECK(answer == std::byte{'R'});
  return end;
}

/// A file in memory with these seals.
ipc::Handle sealed_file(std::size_t size, int seals) {
  ipc::Handle file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(file);
  REQUIRE(::ftruncate(file.get(), static_cast<off_t>(size)) == 0);
  REQUIRE(::fcntl(file.get(), F_ADD_SEALS, seals) == 0);
  return file;
}

constexpr std::uint32_t size = RawRings::size;
constexpr std::size_t file_size = ring_size_min + 2 * std::size_t{size};
constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// Runs `child` in a process of its own, which ends when `child` returns.
pid_t run_child(const std::function<void()>& child) {
  const pid_t process = ::fork();
  REQUIRE(process != -1);
  if (process != 0) return process;
  child();
  ::_exit(0);
}

/// Called in a child process. Connects to the server, or ends the process.
std::unique_ptr<Transport> open_client(const std::string& path) {
  auto client =
      test::make_shared_memory_protocol()->make_connector()->connect({"shmiop", path}, 10s).value();
  if (!client->open(Wait::yes).ok()) ::_exit(1);
  return client;
}

void kill_and_wait(pid_t process) {
  REQUIRE(::kill(process, SIGKILL) == 0);
  REQUIRE(::waitpid(process, nullptr, 0) == process);
}

// --- The rendezvous ------------------------------------------------------------------------------

TEST_CASE("a server refuses a hello without memory, with two files, or with another beginning") {
  const ipc::Handle file = sealed_file(file_size, all_seals);
  const std::array two{file.get(), file.get()};
  const auto end = refused_by_server({.ring_size = size}, {});
  CHECK(end->refusal().why == "the client did not begin with shared memory");
  Hello other{.ring_size = size};
  other.magic[0] = 'G';
  CHECK(refused_by_server(other, std::span(two).first(1)) != nullptr);

  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const auto client = test::raw_client(folder.file("socket"));
  test::say_hello(client, {.ring_size = size}, two);
  CHECK_FALSE(server.accept()->open(Wait::yes).ok());
}

TEST_CASE("a server refuses memory whose size is not fixed, is not announced, or is not allowed") {
  for (const int seals :
       {0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW, F_SEAL_GROW | F_SEAL_SEAL}) {
    CAPTURE(seals);
    const ipc::Handle file = sealed_file(file_size, seals);
    const int handle = file.get();
    const auto end = refused_by_server({.ring_size = size}, {&handle, 1});
    CHECK(end->refusal().why == "the client's shared memory: Operation not permitted");
  }
  const ipc::Handle file = sealed_file(file_size, all_seals);
  const int handle = file.get();
  for (const std::uint32_t announced :
       {0u, 1u, size - 1, size + 1, size / 2, size * 2, ring_size_max * 2, ~0u}) {
    CAPTURE(announced);
    const auto end = refused_by_server({.ring_size = announced}, {&handle, 1});
    CHECK(end->refusal().why == "the client's shared memory: Invalid argument");
  }
}

TEST_CASE("a server refuses files that are not in memory, and handles of other kinds") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")).put('x');
  std::filesystem::resize_file(folder.file("file"), file_size);
  const ipc::Handle file(::open(folder.file("file").c_str(), O_RDWR | O_CLOEXEC));
  std::array<int, 2> pipe{};
  REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
  const std::array pipe_ends{ipc::Handle(pipe[0]), ipc::Handle(pipe[1])};
  for (const int handle : {file.get(), pipe[0]})
    CHECK(refused_by_server({.ring_size = size}, {&handle, 1}) != nullptr);
}

TEST_CASE("a server refuses memory with large pages, which can fail after it was mapped") {
  ipc::Handle file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
  if (!file) return;  // a kernel without large pages accepts no such file either
  constexpr off_t large_page_size = 2 << 20;
  if (::ftruncate(file.get(), large_page_size) != 0) return;
  REQUIRE(::fcntl(file.get(), F_ADD_SEALS, all_seals) == 0);
  const int handle = file.get();
  const auto end = refused_by_server({.ring_size = size}, {&handle, 1});
  CHECK(end->refusal().why == "the client's shared memory: Operation not permitted");
}

TEST_CASE("a server refuses memory that it may not write to") {
  const ipc::Handle file = sealed_file(file_size, all_seals & ~F_SEAL_SEAL);
  REQUIRE(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0);
  const int handle = file.get();
  CHECK(refused_by_server({.ring_size = size}, {&handle, 1}) != nullptr);
}

TEST_CASE("a client of shared memory learns that a server of uiop does not accept it") {
  const TemporaryFolder folder;
  const auto acceptor = make_local_protocol()->listen({"uiop", folder.file("socket")}).value();
  const auto client = test::make_shared_memory_protocol()
                          ->make_connector()
                          ->connect({"shmiop", folder.file("socket")}, 10s)
                          .value();
  REQUIRE(client->open(Wait::no).status == IoStatus::would_block);
  REQUIRE(acceptor->accept(Wait::yes).has_value());  // and destroyed
  CHECK_FALSE(client->open(Wait::yes).ok());
  CHECK(client->refusal().why == "the server does not accept shared memory");
}

TEST_CASE("a server with its highest number of connections refuses others, until one ends") {
  const TemporaryFolder folder;
  const auto protocol = make_shared_memory_protocol(make_local_protocol(), 1);
  const auto acceptor = protocol->listen({"shmiop", folder.file("socket")}).value();
  struct Pair {
    std::unique_ptr<Transport> client, server;
    bool opened = false;
  };
  const auto connect = [&] {
    Pair pair;
    pair.client = protocol->make_connector()->connect(acceptor->published(), 10s).value();
    REQUIRE(pair.client->open(Wait::no).status == IoStatus::would_block);
    pair.server = acceptor->accept(Wait::yes).value();
    pair.opened = pair.server->open(Wait::yes).ok();
    CHECK(pair.client->open(Wait::yes).ok() == pair.opened);
    return pair;
  };
  Pair first = connect();
  CHECK(first.opened);
  {
    const Pair second = connect();
    CHECK_FALSE(second.opened);
    CHECK(second.client->refusal().why ==
          "the server has -ORBSharedMemoryConnectionsMax connections already");
  }
  first = {};
  CHECK(connect().opened);
}

TEST_CASE("a client reports RLIMIT_FSIZE as an error: no signal ends the process") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{1024, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto client = test::make_shared_memory_protocol()->make_connector()->connect(
      server.acceptor->published(), 10s);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  REQUIRE_FALSE(client.has_value());
  CHECK(client.error().code == EFBIG);
  CHECK(to_string(client.error()).find("shared memory") != std::string::npos);
}

// --- Words that a hostile peer writes ------------------------------------------------------------

TEST_CASE("an impossible count of sent octets ends the connection with an error") {
  for (const std::uint32_t claimed : {size + 1, ~0u, 1u << 31}) {
    CAPTURE(claimed);
    const TemporaryFolder folder;
    const RingServer server(folder.file("socket"));
    const RawRings peer(server, folder.file("socket"));
    peer.sent().written.store(claimed);
    std::array<std::byte, 16> space;
    for (const Wait wait : {Wait::no, Wait::yes}) {
      const IoResult result = peer.server_end->receive(space, wait);
      CHECK(result.status == IoStatus::failed);
      CHECK(result.code == EPROTO);
    }
    CHECK(peer.server_end->buffered());
  }
}

TEST_CASE("an impossible count of received octets ends the connection with an error") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  peer.received().taken.store(1);
  CHECK(peer.server_end->begin_direct(100).empty());
  for (const Wait wait : {Wait::no, Wait::yes}) {
    const Octets octets(10);
    const OctetSpan segment(octets);
    const IoResult result = peer.server_end->send({&segment, 1}, wait);
    CHECK(result.status == IoStatus::failed);
    CHECK(result.code == EPROTO);
  }
}

TEST_CASE("a count that becomes smaller ends the connection with an error") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  peer.sent().written.store(100);
  CHECK(receive_exactly(*peer.server_end, 100).size() == 100);
  peer.sent().written.store(99);
  std::byte octet{};
  CHECK(peer.server_end->receive({&octet, 1}, Wait::no).code == EPROTO);
}

TEST_CASE("holes that a peer punches into the memory are octets with the value 0") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  std::ranges::fill(std::span(peer.rings.from_client().octets, size), std::byte{1});
  peer.sent().written.store(size);
  REQUIRE(::fallocate(peer.memory.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      static_cast<off_t>(file_size)) == 0);
  // The hole has also set the words to 0, so the ring is empty again.
  std::array<std::byte, 16> space;
  CHECK(peer.server_end->receive(space, Wait::no).status == IoStatus::would_block);
  peer.sent().written.store(size);
  const Octets received = receive_exactly(*peer.server_end, size);
  CHECK((received == Octets(size)));
}

TEST_CASE("a peer cannot make its file smaller, larger or writable for others") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  CHECK(::ftruncate(peer.memory.get(), 0) == -1);
  CHECK(::ftruncate(peer.memory.get(), 2 * static_cast<off_t>(file_size)) == -1);
  CHECK(::fcntl(peer.memory.get(), F_ADD_SEALS, F_SEAL_WRITE) == -1);
}

TEST_CASE("a peer that rewrites the words of the waits cannot keep a thread asleep") {
  for (const std::uint32_t written : {0u, 1u, 2u, 3u, 77u}) {
    CAPTURE(written);
    const TemporaryFolder folder;
    const RingServer server(folder.file("socket"));
    RawRings peer(server, folder.file("socket"));
    IoResult result;
    std::jthread receiver([&] {
      std::byte octet{};
      result = peer.server_end->receive({&octet, 1}, Wait::yes);
    });
    while (peer.sent().receiver_waits.load() != shared_memory::sleeps) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);  // the thread should be asleep now
    std::atomic<bool> over{false};
    std::jthread scribbler([&] {
      do peer.sent().receiver_waits.store(written);
      while (!over && written == shared_memory::sleeps);
    });
    if (written != shared_memory::sleeps) scribbler.join();
    peer.server_end->interrupt();
    receiver.join();
    over = true;
    CHECK_FALSE(result.ok());
  }
}

TEST_CASE("a peer that floods the socket ends its connection, and keeps no thread") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  const Octets octets(64 * 1024);
  CHECK(ipc::io::send(peer.client.handle(), octets, ipc::no_wait).count > 10'000);
  std::byte octet{};
  const IoResult result = peer.server_end->receive({&octet, 1}, Wait::no);
  CHECK(result.status == IoStatus::failed);
  CHECK(result.code == EPROTO);
}

TEST_CASE("a peer cannot pretend that its octets were received") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  CHECK_FALSE(peer.server_end->holds_input());
  peer.sent().taken.store(1);
  CHECK_FALSE(peer.server_end->holds_input());
  peer.sent().written.store(1);
  CHECK(peer.server_end->holds_input());
}

TEST_CASE("a time-out of centuries does not count as a time-out that has passed") {
  Connection connection;
  CHECK(connection.pair.server->set_receive_timeout(std::chrono::microseconds::max()).ok());
  std::jthread sender([&] { (void)send_all(*connection.pair.client, pattern(10, 1)); });
  CHECK(receive_exactly(*connection.pair.server, 10).size() == 10);
}

// --- Ends ----------------------------------------------------------------------------------------

TEST_CASE("octets that a killed peer has sent arrive, and then the connection is reset") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const std::string path = folder.file("socket");
  const pid_t child = run_child([&path] {
    const auto client = open_client(path);
    (void)send_all(*client, pattern(1000, 1));
    for (;;) ::pause();
  });
  const auto end = server.accept();
  REQUIRE(end->open(Wait::yes).ok());
  Octets received = receive_exactly(*end, 500);
  kill_and_wait(child);
  const Octets rest = receive_exactly(*end, 500);
  received.insert(received.end(), rest.begin(), rest.end());
  CHECK((received == pattern(1000, 1)));
  std::byte octet{};
  const IoResult result = end->receive({&octet, 1}, Wait::yes);
  CHECK(result.status == IoStatus::failed);
  CHECK(result.code == ECONNRESET);
  CHECK(send_all(*end, pattern(10, 1)).status == IoStatus::failed);
}

/// Connects in a process of its own, sends some messages, each after the reply to the one before,
/// and then waits for ever.
pid_t idle_client(const std::string& path, int messages = 0) {
  return run_child([&path, messages] {
    const auto client = open_client(path);
    for (int message = 0; message < messages; ++message) {
      (void)send_all(*client, pattern(10, 1));
      (void)receive_exactly(*client, 1);
    }
    for (;;) ::pause();
  });
}

TEST_CASE("threads that sleep in a receive and in a send wake when the peer is killed") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const pid_t child = idle_client(folder.file("socket"));
  const auto end = server.accept();
  REQUIRE(end->open(Wait::yes).ok());
  IoResult received;
  IoResult sent;
  std::jthread receiver([&] {
    std::byte octet{};
    received = end->receive({&octet, 1}, Wait::yes);
  });
  std::jthread sender([&] { sent = send_all(*end, Octets(16u << 20)); });
  kill_and_wait(child);
  receiver.join();
  sender.join();
  CHECK(received.status == IoStatus::failed);
  CHECK(received.code == ECONNRESET);
  CHECK(sent.status == IoStatus::failed);
}

struct EndHandler final : event::EventHandler {
  explicit EndHandler(Transport& of) : transport(of) {}
  void handle_ready(event::Readiness) noexcept override {
    std::array<std::byte, 64> space;
    do result = transport.receive(space, Wait::no);
    while (result.ok());
  }
  Transport& transport;
  IoResult result;
};

TEST_CASE("a reactor reports that the peer was killed, also after messages that woke this side") {
  for (const int wakes : {0, 1, 20}) {
    CAPTURE(wakes);
    const TemporaryFolder folder;
    const RingServer server(folder.file("socket"));
    const pid_t child = idle_client(folder.file("socket"), wakes);
    const auto end = server.accept();
    REQUIRE(end->open(Wait::yes).ok());
    for (int wake = 0; wake < wakes; ++wake) {
      CHECK(receive_exactly(*end, 10).size() == 10);
      CHECK_FALSE(end->buffered());
      CHECK(send_all(*end, pattern(1, 1)).ok());
    }
    const auto reactor = event::make_reactor().value();
    EndHandler handler(*end);
    REQUIRE(reactor->add(end->readiness_fd(), handler).has_value());
    kill_and_wait(child);
    while (handler.result.status != IoStatus::failed) reactor->run_once(Deadline::never());
    CHECK(handler.result.code == ECONNRESET);
    reactor->remove(handler);
  }
}

// --- Wakes ---------------------------------------------------------------------------------------

TEST_CASE("an idle end that has received in a blocking call is woken through the reactor") {
  Connection connection;
  Transport& server = *connection.pair.server;
  CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  CHECK(receive_exactly(server, 10).size() == 10);
  const auto reactor = event::make_reactor().value();
  EndHandler handler(server);
  REQUIRE(reactor->add(server.readiness_fd(), handler).has_value());
  while (handler.result.status != IoStatus::would_block) reactor->run_once(Deadline::never());
  handler.result = {};
  CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  while (handler.result.status != IoStatus::would_block) reactor->run_once(Deadline::never());
  reactor->remove(handler);
  CHECK(server.receive({}, Wait::no).status == IoStatus::would_block);
}

TEST_CASE("a receive without waiting asks for a wake, also after receives that could block") {
  Connection connection;
  Transport& client = *connection.pair.client;
  Transport& server = *connection.pair.server;
  client.end_watch();
  std::jthread replier([&] {
    (void)receive_exactly(server, 1);
    (void)send_all(server, pattern(10, 1));
  });
  CHECK(send_all(client, pattern(1, 1)).ok());
  CHECK(receive_exactly(client, 10).size() == 10);
  replier.join();
  CHECK(send_all(server, pattern(10, 1)).ok());
  const std::size_t before = ipc::input_size(client.readiness_fd());
  std::array<std::byte, 16> space;
  CHECK(client.receive(space, Wait::no).count == 10);
  CHECK_FALSE(client.buffered());
  CHECK(send_all(server, pattern(10, 1)).ok());
  CHECK(ipc::input_size(client.readiness_fd()) == before + 1);
}

TEST_CASE("the peer writes no octet for the wake of a reactor that does not watch") {
  Connection connection;
  Transport& server = *connection.pair.server;
  server.end_watch();
  CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  CHECK(receive_exactly(server, 10).size() == 10);
  std::jthread sender([&] { (void)send_all(*connection.pair.client, pattern(10, 1)); });
  CHECK(receive_exactly(server, 10).size() == 10);  // may have to sleep
  sender.join();
  const std::size_t before = ipc::input_size(server.readiness_fd());
  for (int round = 0; round < 10; ++round) {
    CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
    CHECK(receive_exactly(server, 10).size() == 10);
    CHECK_FALSE(server.buffered());
  }
  CHECK(ipc::input_size(server.readiness_fd()) <= before + 1);
  CHECK_FALSE(server.begin_watch());
  CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  CHECK(ipc::input_size(server.readiness_fd()) > before);
  CHECK(server.holds_input());
}

TEST_CASE("the socket stays almost empty, however many messages wake the receiver") {
  Connection connection;
  Transport& server = *connection.pair.server;
  std::size_t most = 0;
  for (int round = 0; round < 10'000; ++round) {
    CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
    CHECK(receive_exactly(server, 10).size() == 10);
    CHECK_FALSE(server.buffered());
    most = std::max(most, ipc::input_size(server.readiness_fd()));
  }
  CHECK(most > 0);
  CHECK(most < 64);
}

TEST_CASE("a sender makes no system call if the receiver does not wait for a wake") {
  Connection connection;
  Transport& server = *connection.pair.server;
  CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  const std::size_t after_first = ipc::input_size(server.readiness_fd());
  CHECK(after_first == 1);
  for (int round = 0; round < 100; ++round)
    CHECK(send_all(*connection.pair.client, pattern(10, 1)).ok());
  CHECK(ipc::input_size(server.readiness_fd()) == after_first);
}

// --- Encoding in place ---------------------------------------------------------------------------

TEST_CASE("octets that are written in place arrive, and the peer sees nothing of the rest") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const RawRings peer(server, folder.file("socket"));
  REQUIRE(peer.server_end->features().encodes_in_place);
  const MutableOctetSpan place = peer.server_end->begin_direct(100);
  REQUIRE(place.size() >= 100);
  std::ranges::fill(place, std::byte{7});
  CHECK(peer.server_end->commit(60).count == 60);
  CHECK(peer.received().written.load() == 60);
  const std::span seen(peer.rings.from_server().octets, place.size());
  CHECK(std::ranges::all_of(seen.first(60), [](std::byte each) { return each == std::byte{7}; }));
  CHECK(std::ranges::all_of(seen.subspan(60), [](std::byte each) { return each == std::byte{0}; }));
  std::ranges::fill(peer.server_end->begin_direct(100), std::byte{7});
  CHECK(peer.server_end->commit(0).ok());
  CHECK(peer.rings.from_server().octets[60] == std::byte{0});
}

TEST_CASE("memory of the ring is one piece, also across its end") {
  Connection connection;
  std::size_t sent = 0;
  for (unsigned round = 0; sent < (3u << 18); ++round) {
    CAPTURE(round);
    const Octets octets = pattern(1000 + round, round);
    const MutableOctetSpan place = connection.pair.client->begin_direct(octets.size());
    REQUIRE(place.size() >= octets.size());
    std::ranges::copy(octets, place.begin());
    CHECK(connection.pair.client->commit(octets.size()).ok());
    CHECK((receive_exactly(*connection.pair.server, octets.size()) == octets));
    sent += octets.size();
  }
}

TEST_CASE("a full ring lends no memory, and a commit fails after the peer has closed") {
  Connection connection;
  Transport& client = *connection.pair.client;
  const MutableOctetSpan place = client.begin_direct(100);
  REQUIRE(place.size() >= 100);
  connection.pair.server.reset();
  place[0] = std::byte{1};
  CHECK(client.commit(100).status == IoStatus::failed);
  CHECK(client.begin_direct(100).empty());

  Connection full;
  while (send_some(*full.pair.client, Octets(1000)).ok()) continue;
  CHECK(full.pair.client->begin_direct(100).empty());
}

// --- Resources -----------------------------------------------------------------------------------

std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}
std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("memfd:perigee") != std::string::npos) ++count;
  return count;
}

TEST_CASE("connections leave no handle and no mapping behind, however they end") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const auto protocol = test::make_shared_memory_protocol();
  const std::size_t handles_before = entries_of("/proc/self/fd");
  for (int round = 0; round < 1000; ++round) {
    auto pair = test::connect_pair(*protocol, *server.acceptor);
    if (round % 3 == 0) (void)send_all(*pair.client, pattern(10, 1));
    if (round % 3 == 1) pair.server->interrupt();
    if (round % 2 == 0) pair.client.reset();
  }
  CHECK(entries_of("/proc/self/fd") == handles_before);
  CHECK(mappings() == 0);
}

}  // namespace
}  // namespace perigee::transport
