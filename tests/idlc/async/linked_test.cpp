// Arguments in shared buffers, which servants on the same host read in the memory of the caller.
#include "pinsAmhS.h"
#include "pinsS.h"
#include "places.h"
#include "support/temporary_folder.h"
#include <perigee/orb/shared_memory.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr const char* trust = "-ORBSharedMemoryTrust";

using Octets = shared_vector<std::uint8_t>;

/// Keeps its last arguments pinned until the test takes them.
class Keeper final : public CORBA::amh_traits<Pins::Keeper>::base_type {
 public:
  using Handler = CORBA::amh_traits<Pins::Keeper>::response_handler_ref_type;

  void keep(Handler handler, pinned<std::uint8_t> first, pinned<std::uint8_t> second) override {
    const auto size = static_cast<std::int32_t>(first.size() + second.size());
    add(std::move(second));
    handler->keep(size);
  }
  void sum(Handler handler, pinned<char> /*name*/, pinned<double> values) override {
    handler->sum(std::accumulate(values.begin(), values.end(), 0.0));
  }
  void pour(Handler handler, pinned<std::uint8_t> values) override {
    add(std::move(values));
    handler->pour();
  }
  void ping(Handler handler) override { handler->ping(); }

  [[nodiscard]] std::vector<pinned<std::uint8_t>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pins_, {});
  }

 private:
  void add(pinned<std::uint8_t> pin) {
    const std::lock_guard lock(mutex_);
    pins_.push_back(std::move(pin));
  }

  std::mutex mutex_;
  std::vector<pinned<std::uint8_t>> pins_;
};

/// Gets its arguments as views. Calls a function of the test with the last view.
class Viewer final : public CORBA::servant_traits<Pins::Keeper>::base_type {
 public:
  std::int32_t keep(std::span<const std::uint8_t> first,
                    std::span<const std::uint8_t> second) override {
    look(second);
    return static_cast<std::int32_t>(first.size() + second.size());
  }
  double sum(std::string_view /*name*/, std::span<const double> values) override {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  void pour(std::span<const std::uint8_t> values) override { look(values); }
  void ping() override {}

  std::function<void(std::span<const std::uint8_t>)> look = [](auto) {};
};

/// A server that listens on shared memory, and a client.
class Sides final {
 public:
  explicit Sides(std::vector<std::string> server_options = {trust, "yes"},
                 std::vector<std::string> client_options = {trust, "yes"},
                 const std::string& strategy = "auto")
      : places(strategy, with_endpoint(std::move(server_options)), std::move(client_options)) {}

  template <typename Servant>
  CORBA::object_reference<Pins::Keeper> remote(
      const CORBA::servant_reference<Servant>& servant) const {
    return places.both_ways<Pins::Keeper>(servant).front();
  }
  [[nodiscard]] shared_pool pool() const { return shared_pool_of(*places.client); }
  /// Octets in the client's pool with values that depend on `seed`.
  [[nodiscard]] Octets octets(std::size_t size, std::size_t seed = 0) const {
    const Octets values(pool(), size);
    for (std::size_t index = 0; index < size; ++index)
      values[index] = static_cast<std::uint8_t>(index * 31 + seed);
    return values;
  }

 private:
  std::vector<std::string> with_endpoint(std::vector<std::string> options) const {
    options.insert(options.end(), {"-ORBListenEndpoints", "shmiop://" + folder_.file("memory")});
    return options;
  }

  const TemporaryFolder folder_;

 public:
  const Places places;
};

/// Whether the servant sees the memory of the caller: it sees a change of one octet.
bool is_linked(std::span<const std::uint8_t> seen, const Octets& sent) {
  const std::size_t middle = sent.size() / 2;
  const std::uint8_t before = sent[middle];
  sent[middle] = static_cast<std::uint8_t>(~before);
  const bool changed = seen[middle] != before;
  sent[middle] = before;
  return changed;
}

}  // namespace

TEST_CASE("a pinned argument in a shared buffer is in the caller's memory") {
  for (const char* const strategy :
       {"reactive", "thread-pool", "reactor-per-core", "thread-per-connection"}) {
    CAPTURE(strategy);
    const auto servant = CORBA::make_reference<Keeper>();
    const Sides sides({trust, "yes"}, {trust, "yes"}, strategy);
    const auto object = sides.remote(servant);
    const Octets data = sides.octets(mib, 1);
    CHECK(object->keep(Pins::Data(3), data) == static_cast<std::int32_t>(mib + 3));
    const auto pins = servant->take();
    REQUIRE(pins.size() == 1);
    CHECK(std::ranges::equal(pins.front(), data));
    CHECK(is_linked(pins.front().span(), data));
  }
}

TEST_CASE("a view of an argument in a shared buffer is in the caller's memory") {
  const auto servant = CORBA::make_reference<Viewer>();
  const Sides sides;
  const auto object = sides.remote(servant);
  const Octets data = sides.octets(100 * kib, 2);
  bool linked = false;
  servant->look = [&](std::span<const std::uint8_t> seen) { linked = is_linked(seen, data); };
  object->keep(Pins::Data(), data);
  CHECK(linked);
  const std::span<const std::uint8_t> part = std::span(data).subspan(10'001, 20 * kib);
  bool equal = false;
  servant->look = [&](std::span<const std::uint8_t> seen) {
    equal = std::ranges::equal(seen, part);
  };
  object->keep(Pins::Data(), part);
  CHECK(equal);
}

TEST_CASE("numbers of eight octets can be linked") {
  const Sides sides;
  const shared_vector<double> numbers(sides.pool(), 100'000, 0.5);
  CHECK(sides.remote(CORBA::make_reference<Viewer>())->sum("all", numbers) == 50'000);
  CHECK(sides.remote(CORBA::make_reference<Keeper>())->sum("all", numbers) == 50'000);
}

TEST_CASE("nothing is linked unless both sides trust each other") {
  const std::vector<std::string> yes{trust, "yes"};
  for (const auto& [server, client] :
       {std::pair{yes, std::vector<std::string>()}, std::pair{std::vector<std::string>(), yes},
        std::pair{std::vector<std::string>{trust, "no"}, yes}}) {
    const auto servant = CORBA::make_reference<Keeper>();
    const Sides sides(server, client);
    const Octets data = sides.octets(mib, 3);
    sides.remote(servant)->keep(Pins::Data(), data);
    const auto pins = servant->take();
    REQUIRE(pins.size() == 1);
    CHECK(std::ranges::equal(pins.front(), data));
    CHECK_FALSE(is_linked(pins.front().span(), data));
    CHECK_FALSE(data.buffer().is_shared());
  }
}

TEST_CASE("over TCP, an argument in a shared buffer is copied") {
  const auto servant = CORBA::make_reference<Keeper>();
  const Places places("auto", {trust, "yes"}, {trust, "yes"});
  const Octets data(shared_pool_of(*places.client), mib, 7);
  places.both_ways<Pins::Keeper>(servant).front()->keep(Pins::Data(), data);
  const auto pins = servant->take();
  CHECK(std::ranges::equal(pins.at(0), data));
  CHECK_FALSE(is_linked(pins.at(0).span(), data));
}

TEST_CASE("a buffer is shared until the servant releases its last pin") {
  const auto servant = CORBA::make_reference<Keeper>();
  const Sides sides;
  const Octets data = sides.octets(64 * kib);
  const auto object = sides.remote(servant);
  object->keep(Pins::Data(), data);
  auto pins = servant->take();
  auto copy = pins;
  pins.clear();
  object->ping();  // before it replies, the server destroys the message of `keep`
  CHECK(data.buffer().is_shared());
  copy.clear();
  CHECK_FALSE(data.buffer().is_shared());
}

TEST_CASE("the pool reuses buffers only after the servant has released them") {
  const auto servant = CORBA::make_reference<Keeper>();
  const Sides sides({trust, "yes"}, {trust, "yes", "-ORBSharedPoolSize", std::to_string(4 * mib)});
  const auto object = sides.remote(servant);
  for (int round = 0; round < 200; ++round) {
    object->keep(Pins::Data(), sides.octets(mib, static_cast<std::size_t>(round)));
    (void)servant->take();
  }
  for (std::size_t seed = 0; seed < 4; ++seed) object->keep(Pins::Data(), sides.octets(mib, seed));
  CHECK_THROWS_AS((void)sides.octets(mib), std::bad_alloc);  // the servant holds all of it
  CHECK(sides.pool().used() == 4 * mib);
  auto pins = servant->take();
  object->ping();  // before it replies, the server destroys the last message of `keep`
  for (std::size_t seed = 0; seed < 4; ++seed)
    CHECK(std::ranges::equal(pins.at(seed), Pins::Data([&] {
                               Pins::Data expected(mib);
                               for (std::size_t index = 0; index < mib; ++index)
                                 expected[index] = static_cast<std::uint8_t>(index * 31 + seed);
                               return expected;
                             }())));
  pins.clear();
  CHECK(sides.pool().used() == 0);
}

TEST_CASE("arguments are copied while the servant holds 1,024 linked arguments of the connection") {
  const auto servant = CORBA::make_reference<Keeper>();
  const Sides sides({trust, "yes"}, {trust, "yes", "-ORBLinkSizeMin", "64"});
  const auto object = sides.remote(servant);
  std::vector<Octets> sent;
  for (std::size_t seed = 0; seed < 1100; ++seed) {
    sent.push_back(sides.octets(256, seed));
    object->keep(Pins::Data(), sent.back());
  }
  const auto pins = servant->take();
  REQUIRE(pins.size() == sent.size());
  std::size_t linked = 0;
  for (std::size_t index = 0; index < sent.size(); ++index) {
    CHECK(std::ranges::equal(pins[index], sent[index]));
    if (is_linked(pins[index].span(), sent[index])) ++linked;
  }
  CHECK(linked == 1024);
}

TEST_CASE("pins stay unchanged after the end of the connection and of the client's ORB") {
  const auto servant = CORBA::make_reference<Keeper>();
  std::vector<pinned<std::uint8_t>> pins;
  std::optional<shared_pool> pool;
  std::vector<std::uint8_t> expected;
  {
    const Sides sides({trust, "yes"},
                      {trust, "yes", "-ORBSharedPoolSize", std::to_string(2 * mib)});
    pool = sides.pool();
    const Octets data = sides.octets(mib, 4);
    expected.assign(data.begin(), data.end());
    sides.remote(servant)->keep(Pins::Data(), data);
    pins = servant->take();
  }
  std::vector<Octets> all;
  while (pool->allocate(64 * kib)) all.emplace_back(*pool, 64 * kib, 0xff);
  CHECK(all.size() == mib / (64 * kib));
  CHECK(std::ranges::equal(pins.at(0), expected));
}

TEST_CASE("a oneway request in a queue keeps the buffer of its argument") {
  const auto servant = CORBA::make_reference<Keeper>();
  const Sides sides;
  const auto object = with_buffered_oneways(sides.remote(servant));
  object->ping();
  for (std::size_t seed = 0; seed < 10; ++seed) object->pour(sides.octets(64 * kib, seed));
  object->ping();
  const auto pins = servant->take();
  REQUIRE(pins.size() == 10);
  for (std::size_t seed = 0; seed < 10; ++seed)
    CHECK(pins[seed][1] == static_cast<std::uint8_t>(31 + seed));
  CHECK(sides.pool().used() == 10 * 64 * kib);
}

TEST_CASE("if the system refuses the pool, arguments are copied") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit one_mib{mib, before.rlim_max};  // enough for rings, but not for a pool
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &one_mib) == 0);
  const auto servant = CORBA::make_reference<Keeper>();
  {
    const Sides sides;
    const auto object = sides.remote(servant);
    CHECK(object->keep(Pins::Data(), Pins::Data(100'000, 3)) == 100'000);
    CHECK_THROWS_AS((void)sides.pool(), CORBA::NO_RESOURCES);
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(std::ranges::equal(servant->take().at(0), Pins::Data(100'000, 3)));
}

}  // namespace perigee::test
