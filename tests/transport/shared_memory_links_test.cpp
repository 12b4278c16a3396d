// Links through shared memory: how both sides agree, peers that break the rules, and what happens
// to lent blocks when a peer ends.
#include "conformance/transport_pair.h"
#include "ipc/mapping.h"
#include "support/raw_rings.h"
#include "support/temporary_folder.h"
#include "transport/shared_memory/loans.h"
#include "transport/shared_memory/peer_pool.h"
#include <perigee/cdr/pinned_memory.h>
#include <perigee/ipc/io_pipe.h>
#include <perigee/transport/shared_pool.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using shared_memory::Hello;
using shared_memory::HoldWords;
using shared_memory::Loans;
using shared_memory::PeerPool;
using shared_memory::Rings;
using test::RawRings;
using test::RingServer;
using test::TemporaryFolder;

constexpr std::size_t pool_size = std::size_t{1} << 20;
constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::unique_ptr<ProtocolFactory> protocol_with(std::shared_ptr<LazyPool> pool) {
  return make_shared_memory_protocol(make_local_protocol(), 1000, std::move(pool));
}

/// A client and a server with a pool each, and connections between them.
struct TwoPools {
  test::TransportPair connect() const { return test::connect_pair(*client_protocol, *acceptor); }

  TemporaryFolder folder;
  std::shared_ptr<LazyPool> of_client = std::make_shared<LazyPool>(pool_size);
  std::shared_ptr<LazyPool> of_server = std::make_shared<LazyPool>(pool_size);
  std::unique_ptr<ProtocolFactory> client_protocol = protocol_with(of_client);
  std::unique_ptr<ProtocolFactory> server_protocol = protocol_with(of_server);
  std::unique_ptr<Acceptor> acceptor =
      server_protocol->listen({"shmiop", folder.file("socket")}).value();
};

/// A file in memory with these seals.
ipc::Handle file_of(std::size_t size, int seals) {
  ipc::Handle file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(file);
  REQUIRE(::ftruncate(file.get(), static_cast<off_t>(size)) == 0);
  REQUIRE(::fcntl(file.get(), F_ADD_SEALS, seals) == 0);
  return file;
}
ipc::Handle readable_file(std::size_t size) {
  return file_of(size, all_seals | F_SEAL_FUTURE_WRITE);
}

/// The words of one direction, and both ends of the pipe.
struct Words {
  Words() {
    const ipc::Handle file = file_of(sizeof(HoldWords), 0);
    memory = std::make_shared<const ipc::SharedMapping>(
        ipc::SharedMapping::map(file.get(), 0, sizeof(HoldWords), ipc::Access::read_and_write)
            .value());
    words = reinterpret_cast<HoldWords*>(memory->data());
    auto ends = ipc::io::open_pipe().value();
    kept_end = std::move(ends[0]);
    passed_end = std::move(ends[1]);
  }
  std::shared_ptr<const ipc::SharedMapping> memory;
  HoldWords* words = nullptr;
  ipc::Handle kept_end;
  ipc::Handle passed_end;
};

/// The handles of this process, and one for the folder.
std::size_t entries() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

/// Sends this hello to a server that trusts its clients. Returns the result of the server's `open`,
/// and in `answer` the octet that the server sends.
IoResult answer_of_server(const Hello& hello, std::span<const int> handles, std::byte& answer) {
  const TwoPools pools;
  const auto client = test::raw_client(pools.folder.file("socket"));
  test::say_hello(client, hello, handles);
  const auto end = pools.acceptor->accept(Wait::yes).value();
  const IoResult result = end->open(Wait::yes);
  CHECK(ipc::io::recv(client.handle(), {&answer, 1}, ipc::forever).count == 1);
  return result;
}

}  // namespace

TEST_CASE("octets in the client's pool pass as links, and are shared until the server drops them") {
  const TwoPools pools;
  const auto pair = pools.connect();
  const shared_buffer block = pools.of_client->get()->allocate(10'000);
  std::ranges::fill(block.octets(), std::byte{5});
  const OctetSpan part = OctetSpan(block.octets()).subspan(100, 5000);
  const auto link = pair.client->links()->lend(part);
  REQUIRE(link);
  CHECK(link->size == 5000);
  {
    const LinkedOctets linked = pair.server->links()->follow(*link);
    REQUIRE(linked.octets.size() == 5000);
    CHECK(linked.octets.data() != part.data());
    CHECK(std::ranges::equal(linked.octets, part));
    block.octets()[100] = std::byte{6};
    CHECK(linked.octets[0] == std::byte{6});
    CHECK(block.is_shared());
    CHECK_FALSE(pair.server->links()->follow(*link).memory);  // its word is in use
  }
  CHECK_FALSE(block.is_shared());
  CHECK_FALSE(pair.server->links()->lend(part));
  CHECK_FALSE(pair.client->links()->follow(*link).memory);
}

TEST_CASE("pools whose size is not a number of whole pages can be linked, too") {
  const TemporaryFolder folder;
  const auto pool = std::make_shared<LazyPool>(100'001);
  const auto protocol = protocol_with(pool);
  const auto acceptor = protocol->listen({"shmiop", folder.file("socket")}).value();
  const auto pair = test::connect_pair(*protocol, *acceptor);
  const shared_buffer block = pool->get()->allocate(100);
  CHECK(pair.client->links()->lend(block.octets()));
  CHECK_FALSE(shared_buffer().is_shared());
}

TEST_CASE("no other process can write to a pool, by its handle") {
  const shared_pool pool = shared_pool::make(pool_size).value();
  const shared_buffer block = pool.allocate(100);
  block.octets()[0] = std::byte{1};
  constexpr int both = PROT_READ | PROT_WRITE;
  CHECK(::mmap(nullptr, pool_size, both, MAP_SHARED, pool.file(), 0) == MAP_FAILED);
  CHECK(::fallocate(pool.file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == -1);
  CHECK(::pwrite(pool.file(), "x", 1, 0) == -1);
  CHECK(block.octets()[0] == std::byte{1});
}

TEST_CASE("nothing is lent if a side has no pool, or if the octets are not in the client's pool") {
  const TwoPools pools;
  const Octets own(100);
  CHECK_FALSE(pools.connect().client->links()->lend(own));
  const shared_buffer foreign = pools.of_server->get()->allocate(100);
  CHECK_FALSE(pools.connect().client->links()->lend(foreign.octets()));

  const shared_buffer block = pools.of_client->get()->allocate(100);
  const auto without = test::make_shared_memory_protocol();
  const auto plain = without->listen({"shmiop", pools.folder.file("plain")}).value();
  auto pair = test::connect_pair(*pools.client_protocol, *plain);
  CHECK_FALSE(pair.client->links()->lend(block.octets()));
  CHECK(pair.client->links()->follow({}).memory.get() == nullptr);
  CHECK(pair.server->links() == nullptr);
  pair = test::connect_pair(*without, *pools.acceptor);
  CHECK(pair.client->links() == nullptr);
  Link link;
  link.generation = 1;
  link.size = 1;
  CHECK_FALSE(pair.server->links()->follow(link).memory);
}

TEST_CASE("a server follows no links of a client that passes a wrong pool or no pipe") {
  auto rings = Rings::make(RawRings::size).value();
  const ipc::Handle good = readable_file(pool_size);
  const ipc::Handle writable = file_of(pool_size, all_seals);
  const ipc::Handle open_size = file_of(pool_size, 0);
  const ipc::Handle empty = readable_file(0);
  const ipc::Handle too_large = readable_file(pool_size + ipc::page_size());
  const auto pipe = ipc::io::open_pipe().value();
  const int memory = rings.memory.get();
  const auto answer_to = [memory](int pool, int end) {
    const std::array handles{memory, pool, end};
    std::byte answer{};
    CHECK(answer_of_server({.ring_size = RawRings::size, .trusts = 1}, handles, answer).ok());
    return static_cast<char>(answer);
  };
  CHECK(answer_to(good.get(), pipe[1].get()) == 'T');
  for (const int pool : {writable.get(), open_size.get(), empty.get(), too_large.get(), 0})
    CHECK(answer_to(pool, pipe[1].get()) == 'A');
  CHECK(answer_to(good.get(), good.get()) == 'A');
}

TEST_CASE("a server refuses a hello with a wrong number of handles") {
  auto rings = Rings::make(RawRings::size).value();
  const ipc::Handle good = readable_file(pool_size);
  const std::array three{rings.memory.get(), good.get(), good.get()};
  for (const auto& [trusts, count] :
       {std::pair{1U, 1U}, std::pair{1U, 2U}, std::pair{0U, 2U}, std::pair{0U, 3U}}) {
    CAPTURE(trusts);
    CAPTURE(count);
    std::byte answer{};
    const Hello hello{.ring_size = RawRings::size, .trusts = trusts};
    CHECK_FALSE(answer_of_server(hello, std::span(three).first(count), answer).ok());
    CHECK(answer == std::byte{'R'});
  }
}

TEST_CASE("a client without a pool refuses a server that promises to follow links") {
  const TemporaryFolder folder;
  const auto server = make_local_protocol()->listen({"uiop", folder.file("socket")}).value();
  const auto client = test::make_shared_memory_protocol()
                          ->make_connector()
                          ->connect({"shmiop", folder.file("socket")}, 10s)
                          .value();
  CHECK(client->open(Wait::no).status == IoStatus::would_block);
  const auto stream = server->accept(Wait::yes).value();
  constexpr std::byte answer{'T'};
  REQUIRE(ipc::io::send(stream->readiness_fd(), {&answer, 1}, ipc::forever).error == 0);
  CHECK(client->open(Wait::yes).status == IoStatus::failed);
}

TEST_CASE("a link outside of the pool, or without a hold, is refused") {
  Words words;
  const ipc::Handle file = readable_file(pool_size);
  const auto pool =
      PeerPool::map(file.get(), pool_size, words.memory, *words.words, std::move(words.passed_end))
          .value();
  Link good;
  good.hold = 5;
  good.generation = 3;
  good.offset = pool_size - 100;
  good.size = 100;
  CHECK(pool->follow(good).octets.size() == 100);
  CHECK(words.words->given_back[5].load() == 3);
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  const auto refused = [&](auto change) {
    Link link = good;
    change(link);
    return !pool->follow(link).memory;
  };
  CHECK(refused([](Link& link) { link.size = 101; }));
  CHECK(refused([](Link& link) { link.size = 0; }));
  CHECK(refused([](Link& link) { link.size = highest; }));
  CHECK(refused([](Link& link) { link.offset = pool_size; }));
  CHECK(refused([](Link& link) { link.offset = highest; }));
  CHECK(refused([](Link& link) { link.offset = highest - 50; }));
  CHECK(refused([](Link& link) { link.hold = shared_memory::holds_max; }));
  CHECK(refused([](Link& link) { link.generation = 0; }));
}

TEST_CASE("a block that is taken back, or whose word the receiver writes, is free again") {
  Words words;
  const shared_pool pool = shared_pool::make(pool_size).value();
  Loans loans(pool, words.memory, *words.words, std::move(words.kept_end));
  shared_buffer block = pool.allocate(1000);
  const Link first = loans.lend(block.octets()).value();
  const Link second = loans.lend(block.octets()).value();
  CHECK((first.hold != second.hold || first.generation != second.generation));
  loans.take_back(first);
  loans.note_queued(second, 77);
  loans.take_back_queued(76);
  block = {};
  CHECK(pool.used() != 0);
  loans.take_back_queued(77);
  CHECK(pool.used() == 0);

  block = pool.allocate(1000);
  const Link third = loans.lend(block.octets()).value();
  words.words->given_back[third.hold].store(third.generation + 1);  // wrong generation: no effect
  loans.collect();
  CHECK(block.is_shared());
  words.words->given_back[third.hold].store(third.generation);
  loans.collect();
  CHECK_FALSE(block.is_shared());
  loans.take_back(third);  // too late: nothing happens
  CHECK(loans.lend(block.octets()).value().generation != third.generation);
}

TEST_CASE("at most 1,024 blocks are lent to a peer at a time") {
  Words words;
  const shared_pool pool = shared_pool::make(pool_size).value();
  Loans loans(pool, words.memory, *words.words, std::move(words.kept_end));
  const shared_buffer block = pool.allocate(64);
  std::vector<Link> links;
  while (const auto link = loans.lend(block.octets())) links.push_back(*link);
  CHECK(links.size() == 1024);
  for (const Link& link : links) words.words->given_back[link.hold].store(link.generation);
  for (int round = 0; round < 1024; ++round) CHECK(loans.lend(block.octets()));
  CHECK_FALSE(loans.lend(block.octets()));
}

TEST_CASE("blocks of an ended connection are free when their receiver has ended") {
  Words words;
  const shared_pool pool = shared_pool::make(pool_size).value();
  const auto all = std::make_shared<shared_memory::AllLoans>();
  pool.set_holder(all);
  const auto loans =
      std::make_shared<Loans>(pool, words.memory, *words.words, std::move(words.kept_end));
  all->add(loans);
  shared_buffer block = pool.allocate(100);
  CHECK(loans->lend(block.octets()));
  block = {};
  all->end(loans);
  CHECK(pool.used() != 0);
  words.passed_end.close();
  CHECK(pool.used() == 0);
}

TEST_CASE("blocks that a killed server has not given back are free again") {
  const TwoPools pools;
  const pid_t process = ::fork();
  REQUIRE(process != -1);
  if (process == 0) {  // the server agrees, and then does nothing
    const auto server = pools.acceptor->accept(Wait::yes).value();
    if (server->open(Wait::yes).ok()) ::pause();
    ::_exit(1);
  }
  auto client = pools.client_protocol->make_connector()->connect(pools.acceptor->published(), 10s);
  REQUIRE(client);
  REQUIRE((*client)->open(Wait::yes).ok());
  const shared_pool pool = pools.of_client->get().value();
  shared_buffer block = pool.allocate(1000);
  REQUIRE((*client)->links()->lend(block.octets()));
  block = {};
  REQUIRE(::kill(process, SIGKILL) == 0);
  REQUIRE(::waitpid(process, nullptr, 0) == process);
  std::byte octet{};
  CHECK_FALSE((*client)->receive({&octet, 1}, Wait::yes).ok());
  client->reset();
  CHECK(pool.used() == 0);
}

TEST_CASE("servers that never give blocks back do not use up the client's handles") {
  const shared_pool pool = shared_pool::make(pool_size).value();
  const auto all = std::make_shared<shared_memory::AllLoans>();
  const std::size_t before = entries();
  std::vector<ipc::Handle> kept_by_server;
  for (int round = 0; round < 200; ++round) {
    Words words;
    const auto loans =
        std::make_shared<Loans>(pool, words.memory, *words.words, std::move(words.kept_end));
    all->add(loans);
    REQUIRE(loans->lend(pool.allocate(100).octets()));
    kept_by_server.push_back(std::move(words.passed_end));
    all->end(loans);
  }
  CHECK(entries() == before + kept_by_server.size() + 64);
}

TEST_CASE("connections with links leave no handle and no mapping behind") {
  const TwoPools pools;
  const shared_buffer block = pools.of_client->get()->allocate(1000);
  const std::size_t before = entries();
  for (int round = 0; round < 300; ++round) {
    auto pair = pools.connect();
    const auto link = pair.client->links()->lend(block.octets());
    REQUIRE(link);
    LinkedOctets linked = pair.server->links()->follow(*link);
    if (round % 2 == 0) pair.server.reset();
    if (round % 3 == 0) pair.client.reset();
    CHECK(linked.octets.size() == 1000);
  }
  CHECK(entries() == before);
  CHECK_FALSE(block.is_shared());
}

}  // namespace perigee::transport
