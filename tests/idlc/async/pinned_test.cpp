// Pinned arguments of asynchronous servants: where they are, how long they live, and how much
// memory they may take.
#include "pinsAmhS.h"
#include "pinsAsyncS.h"
#include "places.h"
#include "support/allocations.h"
#include "support/temporary_folder.h"
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// Suspends a coroutine. Another thread resumes it.
struct OnOtherThread {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const {
    later().add([waiting] { waiting.resume(); });
  }
  void await_resume() const noexcept {}
};

/// A pair of pinned arguments of one request.
struct Pair {
  pinned<std::uint8_t> first;
  pinned<std::uint8_t> second;
};

/// The pins that a servant has kept. Thread-safe.
class Kept final {
 public:
  void add(Pair pair) {
    const std::lock_guard lock(mutex_);
    pairs_.push_back(std::move(pair));
  }
  [[nodiscard]] std::vector<Pair> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pairs_, {});
  }
  [[nodiscard]] std::size_t count() {
    const std::lock_guard lock(mutex_);
    return pairs_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<Pair> pairs_;
};

double sum_of(const pinned<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class HandlerKeeper final : public CORBA::amh_traits<Pins::Keeper>::base_type {
 public:
  using Handler = CORBA::amh_traits<Pins::Keeper>::response_handler_ref_type;

  void keep(Handler handler, pinned<std::uint8_t> first, pinned<std::uint8_t> second) override {
    const std::size_t now = allocations().octets;
    allocated_between = now - std::exchange(allocated_, now);
    kept.add({first, second});
    later().add([handler, size = first.size() + second.size()] {
      handler->keep(static_cast<std::int32_t>(size));
    });
  }
  void sum(Handler handler, pinned<char> name, pinned<double> values) override {
    later().add(
        [handler, name, values] { handler->sum(name == "twice" ? 2 * sum_of(values) : 0); });
  }
  void pour(Handler handler, pinned<std::uint8_t> values) override {
    kept.add({values, {}});
    handler->pour();
  }
  void ping(Handler handler) override { handler->ping(); }

  Kept kept;
  std::size_t allocated_between = 0;  ///< by the thread of the upcalls, between two calls of `keep`

 private:
  std::size_t allocated_ = 0;
};

class CoroutineKeeper final : public CORBA::async_traits<Pins::Keeper>::base_type {
 public:
  task<std::int32_t> keep(pinned<std::uint8_t> first, pinned<std::uint8_t> second) override {
    co_await OnOtherThread();
    kept.add({first, second});
    co_return static_cast<std::int32_t>(first.size() + second.size());
  }
  task<double> sum(pinned<char> name, pinned<double> values) override {
    co_await OnOtherThread();
    co_return name == "twice" ? 2 * sum_of(values) : 0;
  }
  task<void> pour(pinned<std::uint8_t> values) override {
    kept.add({values, {}});
    co_return;
  }
  task<void> ping() override { co_return; }

  Kept kept;
};

Pins::Data octets_of(std::size_t size, std::size_t seed) {
  Pins::Data data(size);
  for (std::size_t index = 0; index < size; ++index)
    data[index] = static_cast<std::uint8_t>(index * 31 + seed);
  return data;
}

bool holds(const pinned<std::uint8_t>& pin, const Pins::Data& expected) {
  return std::ranges::equal(pin, expected);
}

/// Whether both pins are in the octets of one message, as encoded: the first pin, its padding, the
/// length of the second pin, the second pin.
bool are_in_one_message(const Pair& pair) {
  const std::size_t padding = (0 - pair.first.size()) & 3U;
  return pair.second.data() ==
         pair.first.data() + pair.first.size() + padding + sizeof(std::uint32_t);
}

/// Runs the test with a server at each transport.
template <typename Test>
void over_each_transport(Test&& test) {
  const TemporaryFolder folder;
  const std::vector<std::string> endpoints = {
      "iiop://127.0.0.1:0", "uiop://" + folder.file("local"), "shmiop://" + folder.file("memory")};
  for (const std::string& endpoint : endpoints) {
    CAPTURE(endpoint);
    test(std::vector<std::string>{"-ORBListenEndpoints", endpoint});
  }
}

CORBA::object_reference<Pins::Keeper> remote(
    const Places& places, const CORBA::servant_reference<PortableServer::Servant>& servant) {
  return places.both_ways<Pins::Keeper>(servant).front();
}

}  // namespace

TEST_CASE("pinned arguments of a large request are in the memory of its message") {
  over_each_transport([](const std::vector<std::string>& endpoint) {
    const auto servant = CORBA::make_reference<HandlerKeeper>();
    const Places places("auto", endpoint);
    const auto object = remote(places, servant);
    const Pins::Data first = octets_of(mib + 1, 1);
    const Pins::Data second = octets_of(mib, 2);
    CHECK(object->keep(first, second) == static_cast<std::int32_t>(2 * mib + 1));
    const std::vector<Pair> pairs = servant->kept.take();
    REQUIRE(pairs.size() == 1);
    CHECK(are_in_one_message(pairs.front()));
    CHECK(holds(pairs.front().first, first));
    CHECK(holds(pairs.front().second, second));
  });
}

TEST_CASE("pinned arguments of a coroutine share the message after a suspension") {
  over_each_transport([](const std::vector<std::string>& endpoint) {
    const auto servant = CORBA::make_reference<CoroutineKeeper>();
    const Places places("auto", endpoint);
    const auto object = remote(places, servant);
    const Pins::Data first = octets_of(mib, 3);
    CHECK(object->keep(first, first) == static_cast<std::int32_t>(2 * mib));
    const std::vector<Pair> pairs = servant->kept.take();
    REQUIRE(pairs.size() == 1);
    CHECK(are_in_one_message(pairs.front()));
    CHECK(holds(pairs.front().second, first));
    CHECK(object->sum("twice", Pins::Numbers(200'000, 0.5)) == 200'000);
    CHECK(object->sum("twice", Pins::Numbers{1, 2}) == 6);
  });
}

TEST_CASE("pinned arguments of a fragmented request share the memory of all fragments") {
  for (const char* const fragment_size : {"4096", "65536", "1048576"}) {
    CAPTURE(fragment_size);
    const auto servant = CORBA::make_reference<HandlerKeeper>();
    const Places places("auto", {}, {"-ORBFragmentSize", fragment_size});
    const auto object = remote(places, servant);
    const Pins::Data data = octets_of(2 * mib, 4);
    object->keep(data, data);
    const std::vector<Pair> pairs = servant->kept.take();
    CHECK(are_in_one_message(pairs.at(0)));
    CHECK(holds(pairs.at(0).first, data));
    CHECK(holds(pairs.at(0).second, data));
  }
}

TEST_CASE("pins stay valid after the reply, the end of the connection and the end of the ORB") {
  over_each_transport([](const std::vector<std::string>& endpoint) {
    const std::vector<std::size_t> sizes = {0, 5, 20 * kib, mib};
    std::vector<Pair> pairs;
    {
      const auto servant = CORBA::make_reference<HandlerKeeper>();
      const Places places("auto", endpoint);
      const auto object = remote(places, servant);
      for (const std::size_t size : sizes) object->keep(octets_of(size, size), octets_of(size, 7));
      for (int round = 0; round < 3; ++round)  // later messages do not reuse the pinned memory
        object->sum("twice", Pins::Numbers(mib / 8, 1));
      pairs = servant->kept.take();
    }
    REQUIRE(pairs.size() == sizes.size());
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      CHECK(holds(pairs[index].first, octets_of(sizes[index], sizes[index])));
      CHECK(holds(pairs[index].second, octets_of(sizes[index], 7)));
    }
  });
}

TEST_CASE("several threads copy and release the pins of one message") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto");
  const Pins::Data data = octets_of(mib, 5);
  remote(places, servant)->keep(data, data);
  const Pair pair = std::move(servant->kept.take().at(0));
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 4; ++number)
      threads.emplace_back([copy = pair, &data, &equal]() mutable {
        for (int round = 0; round < 100; ++round) {
          pinned<std::uint8_t> one = copy.first;
          copy.first = std::move(copy.second);
          copy.second = std::move(one);
        }
        if (holds(copy.first, data) && holds(copy.second, data)) ++equal;
      });
  }
  CHECK(equal == 4);
}

TEST_CASE("a oneway request can be pinned") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto");
  const auto object = remote(places, servant);
  object->pour(octets_of(mib, 6));
  object->ping();  // replied after the oneway is executed
  CHECK(holds(servant->kept.take().at(0).first, octets_of(mib, 6)));
}

TEST_CASE("a few octets do not keep the large message that they came in") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto");
  const Pins::Data small = octets_of(10 * kib, 8);
  remote(places, servant)->keep(small, octets_of(mib, 9));
  const std::vector<Pair> pairs = servant->kept.take();
  CHECK_FALSE(are_in_one_message(pairs.at(0)));
  CHECK(holds(pairs.at(0).first, small));
}

TEST_CASE("an object in the same ORB gets copies of its pinned arguments") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto");
  const auto object = places.both_ways<Pins::Keeper>(servant).back();
  const Pins::Data data = octets_of(mib, 10);
  object->keep(data, data);
  const std::vector<Pair> pairs = servant->kept.take();
  CHECK(holds(pairs.at(0).first, data));
  CHECK(holds(pairs.at(0).second, data));
}

TEST_CASE("pins of large messages allocate no memory for their octets") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("thread-per-connection", {}, {"-ORBFragmentSize", std::to_string(4 * mib)});
  const auto object = remote(places, servant);
  const Pins::Data data = octets_of(mib, 11);
  for (int round = 0; round < 4; ++round) object->keep(data, data);
  CHECK(servant->allocated_between < 4 * kib);
}

TEST_CASE("the link size of a client does not change what the servant gets") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto");
  const auto object = remote(places, servant);
  const Pins::Data small = octets_of(3, 14);
  const Pins::Data large = octets_of(mib, 15);
  for (const std::uint32_t size_min : {1U, 100U, ~0U}) {
    CAPTURE(size_min);
    const auto linked = with_link_size_min(object, size_min);
    linked->keep(small, large);
    with_buffered_oneways(linked)->pour(small);
    linked->ping();
    const std::vector<Pair> pairs = servant->kept.take();
    CHECK(holds(pairs.at(0).first, small));
    CHECK(holds(pairs.at(0).second, large));
    CHECK(holds(pairs.at(1).first, small));
  }
}

TEST_CASE("arguments below -ORBLinkSizeMin are copied") {
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto", {"-ORBLinkSizeMin", std::to_string(mib + 1)});
  const auto object = remote(places, servant);
  const Pins::Data data = octets_of(mib, 12);
  object->keep(data, data);
  const Pins::Data larger = octets_of(mib + 1, 12);
  object->keep(larger, larger);
  const std::vector<Pair> pairs = servant->kept.take();
  CHECK_FALSE(are_in_one_message(pairs.at(0)));
  CHECK(are_in_one_message(pairs.at(1)));
}

TEST_CASE("pins count against the memory of decoded values until they are released") {
  const std::vector<std::string> limits = {"-ORBMessageSizeMax",      std::to_string(mib),
                                           "-ORBDecodedSizeMax",      "0",
                                           "-ORBDecodedTotalSizeMax", std::to_string(8 * mib)};
  const auto servant = CORBA::make_reference<HandlerKeeper>();
  const Places places("auto", limits);
  const auto object = remote(places, servant);
  for (const std::size_t size : {200 * kib, 20 * kib}) {  // shared, and copied
    CAPTURE(size);
    const Pins::Data data = octets_of(size, 13);
    const auto fill = [&] {
      for (std::size_t calls = 0; calls <= 8 * mib / size; ++calls) object->keep(data, data);
    };
    CHECK_THROWS_AS(fill(), CORBA::TRANSIENT);
    const std::size_t filled = servant->kept.take().size();
    CHECK(filled >= 8 * mib / (2 * size) - 2);
    CHECK(filled <= 8 * mib / (2 * size));
    CHECK_NOTHROW(object->keep(data, data));
    (void)servant->kept.take();
  }
}

}  // namespace perigee::test
