// HoldQueue: random operations against a model, and threads that park, resume and dispatch.
#include "engine/connection/hold_queue.h"
#include "engine/parking_owner.h"
#include <perigee/base/octets.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

using engine::HoldQueue;
using messaging::IncomingMessage;
using Kept = HoldQueue::Kept;

namespace {

/// A message that begins with its serial number.
struct Content {
  std::uint32_t serial = 0;
  std::size_t size = sizeof serial;

  /// The message refers to `scratch`, like a message that was just received.
  [[nodiscard]] IncomingMessage message_in(Octets& scratch) const {
    scratch.assign(size, std::byte{0});
    std::memcpy(scratch.data(), &serial, sizeof serial);
    IncomingMessage message;
    message.octets = scratch;
    return message;
  }
  [[nodiscard]] static Content of(const IncomingMessage& message) {
    Content content;
    REQUIRE(message.octets.size() >= sizeof content.serial);
    std::memcpy(&content.serial, message.octets.data(), sizeof content.serial);
    content.size = message.octets.size();
    return content;
  }
  friend bool operator==(const Content&, const Content&) = default;
};

/// The model: a sorted vector that does what the comments of HoldQueue say.
class Model {
 public:
  struct Request {
    std::size_t owner = 0;
    std::size_t point = 0;
    std::uint64_t number = 0;
    Content content;
    std::uint64_t resumptions_seen = 0;
    bool taken = false;
  };

  Model(std::size_t requests_max, std::size_t octets_max)
      : requests_max_(requests_max), octets_max_(octets_max) {}

  Kept keep(Request request) {
    const bool is_due = request.resumptions_seen != resumptions;
    if (Request* const known = find(request.number)) {
      *known = request;
    } else {
      const bool fits = octets_of(request.owner) + request.content.size <= octets_max_;
      if (requests.size() == requests_max_ || !fits) return Kept::refused;
      if (request.number == 0) request.number = ++last_number_;
      requests.insert(std::ranges::upper_bound(requests, request.number, {}, &Request::number),
                      request);
    }
    return is_due ? Kept::due : Kept::yes;
  }
  Kept keep_behind(Request request) {
    const Request* earlier = nullptr;
    for (const Request& each : requests)
      if (each.owner == request.owner && each.point == request.point &&
          (request.number == 0 || each.number < request.number))
        earlier = &each;
    if (earlier == nullptr) return Kept::not_needed;
    request.resumptions_seen = earlier->resumptions_seen;
    return keep(request);
  }
  [[nodiscard]] Request* first_due() {
    const auto found = std::ranges::find_if(requests, [this](const Request& each) {
      return !each.taken && each.resumptions_seen != resumptions;
    });
    return found == requests.end() ? nullptr : &*found;
  }
  void done(std::uint64_t number) {
    std::erase_if(requests,
                  [number](const Request& each) { return each.number == number && each.taken; });
  }
  void drop(std::size_t owner) {
    std::erase_if(requests, [owner](const Request& each) { return each.owner == owner; });
  }
  [[nodiscard]] std::size_t octets_of(std::size_t owner) const {
    std::size_t sum = 0;
    for (const Request& each : requests)
      if (each.owner == owner) sum += each.content.size;
    return sum;
  }
  [[nodiscard]] std::ptrdiff_t count_of(std::size_t owner) const {
    return std::ranges::count(requests, owner, &Request::owner);
  }

  std::vector<Request> requests;  // in the order of their numbers
  std::uint64_t resumptions = 0;

 private:
  [[nodiscard]] Request* find(std::uint64_t number) {
    const auto found = std::ranges::find(requests, number, &Request::number);
    return found == requests.end() ? nullptr : &*found;
  }

  const std::size_t requests_max_;
  const std::size_t octets_max_;
  std::uint64_t last_number_ = 0;
};

/// Does the same with a queue and with its model, and compares them after each step.
class Comparison {
 public:
  explicit Comparison(std::uint32_t seed) : random_(seed) {}
  ~Comparison() { queue_.clear(); }

  void run(int steps) {
    while (steps-- > 0) {
      step();
      check();
    }
  }

 private:
  static constexpr std::size_t requests_max = 12;
  static constexpr std::size_t octets_max = 100;

  /// A request that was taken. Its dispatch may be over, or not.
  struct Dispatched {
    HoldQueue::Taken taken;
    Model::Request request;
  };

  [[nodiscard]] std::size_t below(std::size_t end) { return random_() % end; }

  void step() {
    switch (below(20)) {
      case 0:
        return drop(below(owners_.size()));
      case 1:
        return clear();
      case 2:
      case 3:
      case 4:
        return resume();
      case 5:
      case 6:
      case 7:
      case 8:
        return take();
      case 9:
      case 10:
      case 11:
        return end_dispatch();
      case 12:
      case 13:
        return keep_again();
      default:
        return park(new_request());
    }
  }

  [[nodiscard]] Model::Request new_request() {
    return {.owner = below(owners_.size()),
            .point = below(points_.size()),
            .content = {++serial_, sizeof serial_ + below(30)},
            .resumptions_seen = model_.resumptions - std::min(below(2), model_.resumptions)};
  }
  void park(const Model::Request& request) {
    IncomingMessage message = request.content.message_in(scratch_);
    keep(request, message);
    scratch_.assign(scratch_.size(), std::byte{0xff});  // the queue has copied the octets
  }
  void keep(const Model::Request& request, IncomingMessage& message) {
    const HoldQueue::Place place = place_of(request);
    if (below(2) == 0)
      REQUIRE(queue_.keep(place, message, request.resumptions_seen) == model_.keep(request));
    else
      REQUIRE(queue_.keep_behind(place, message) == model_.keep_behind(request));
  }
  [[nodiscard]] HoldQueue::Place place_of(const Model::Request& request) {
    return {owners_[request.owner], &points_[request.point], request.number};
  }

  void take() {
    std::optional<HoldQueue::Taken> taken = queue_.take();
    Model::Request* const expected = model_.first_due();
    REQUIRE(taken.has_value() == (expected != nullptr));
    if (!taken) return;
    expected->taken = true;
    REQUIRE(taken->number == expected->number);
    REQUIRE(taken->owner.get() == &owners_[expected->owner]);
    REQUIRE(Content::of(taken->message) == expected->content);
    dispatched_.push_back({std::move(*taken), *expected});
  }
  void end_dispatch() {
    if (dispatched_.empty()) return;
    const std::size_t index = below(dispatched_.size());
    done(dispatched_[index].request.number);
    if (below(4) != 0) dispatched_.erase(dispatched_.begin() + std::ptrdiff_t(index));
  }
  /// The hold point of a request was closed again before its upcall.
  void keep_again() {
    if (dispatched_.empty()) return;
    const std::size_t index = below(dispatched_.size());
    Dispatched again = std::move(dispatched_[index]);
    dispatched_.erase(dispatched_.begin() + std::ptrdiff_t(index));
    again.request.taken = false;
    again.request.resumptions_seen = model_.resumptions - std::min(below(2), model_.resumptions);
    keep(again.request, again.taken.message);
    if (below(2) == 0) done(again.request.number);  // ignored if the request was kept
  }
  void done(std::uint64_t number) {
    queue_.done(number);
    model_.done(number);
  }
  void resume() {
    const bool any = queue_.resume();
    ++model_.resumptions;
    REQUIRE(any == !model_.requests.empty());
  }
  void drop(std::size_t owner) {
    queue_.drop(owners_[owner]);
    model_.drop(owner);
  }
  void clear() {
    queue_.clear();
    model_.requests.clear();
  }

  void check() {
    REQUIRE(queue_.resumptions() == model_.resumptions);
    REQUIRE(queue_.any_due() == (model_.first_due() != nullptr));
    for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
      const std::ptrdiff_t dispatched = std::ranges::count_if(
          dispatched_, [owner](const Dispatched& each) { return each.request.owner == owner; });
      REQUIRE(owners_[owner].parked == model_.count_of(owner));
      REQUIRE(owners_[owner].octets == model_.octets_of(owner));
      REQUIRE(owners_[owner].references == model_.count_of(owner) + dispatched);
    }
  }

  std::mt19937 random_;
  std::uint32_t serial_ = 0;
  Octets scratch_;
  std::array<int, 2> points_{};
  std::array<ParkingOwner, 3> owners_{ParkingOwner(octets_max), ParkingOwner(octets_max),
                                      ParkingOwner(octets_max)};
  Model model_{requests_max, octets_max};
  HoldQueue queue_{requests_max};
  std::vector<Dispatched> dispatched_;
};

}  // namespace

TEST_CASE("random parking, resuming, dispatching and dropping follow the model of the hold queue") {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Comparison(seed).run(300);
  }
}

namespace {

/// Connections whose requests meet a hold point. Each connection has a reading thread, which also
/// closes and opens the hold point. One thread at a time dispatches the parked requests.
class HeldConnections {
 public:
  static constexpr std::uint32_t requests_each = 5'000;

  void run() {
    std::atomic<bool> reading = true;
    std::jthread dispatcher([&] {
      while (reading)
        if (!dispatch_one()) std::this_thread::yield();
    });
    {
      std::vector<std::jthread> readers;
      for (std::uint32_t index = 0; index < connections_.size(); ++index)
        readers.emplace_back([this, index] { read(connections_[index], index); });
    }
    reading = false;
    dispatcher.join();
    open();
    while (dispatch_one()) {
    }
  }
  void check() const {
    for (const Connection& connection : connections_) {
      CHECK(std::ranges::is_sorted(connection.executed));
      CHECK(connection.executed.size() == requests_each);
      CHECK(connection.dispatched != 0);
      CHECK(connection.owner.parked == 0);
    }
  }

 private:
  struct Connection {
    ParkingOwner owner{16 * sizeof(std::uint32_t)};
    std::size_t dispatched = 0;           // by the dispatching thread
    std::vector<std::uint32_t> executed;  // guarded by the order of the connection's requests
  };

  void close() { closed_ = true; }
  void open() {
    closed_ = false;
    (void)queue_.resume();
  }
  void read(Connection& connection, std::uint32_t seed) {
    std::mt19937 random(seed);
    Octets scratch;
    for (std::uint32_t serial = 0; serial < requests_each; ++serial) {
      if (random() % 16 == 0) close();
      if (random() % 16 == 0) open_until_parked(connection, random() % 16);
      IncomingMessage message = Content{serial}.message_in(scratch);
      while (execute_or_park(connection, message) == Kept::refused)
        open_until_parked(connection, random() % 16);
    }
  }
  /// Opens the hold point until at most `count` requests of the connection are parked.
  void open_until_parked(const Connection& connection, std::uint32_t count) {
    do {
      open();
      std::this_thread::yield();
    } while (connection.owner.parked > static_cast<int>(count));
  }
  /// Does what a connection does, for requests that were just read, and for parked requests.
  Kept execute_or_park(Connection& connection, IncomingMessage& message, std::uint64_t number = 0) {
    const HoldQueue::Place place{connection.owner, &closed_, number};
    const Kept behind = queue_.keep_behind(place, message);
    if (behind != Kept::not_needed) return behind;
    const std::uint64_t seen = queue_.resumptions();
    if (closed_) return queue_.keep(place, message, seen);
    connection.executed.push_back(Content::of(message).serial);
    return Kept::not_needed;
  }
  /// False: no request is due.
  bool dispatch_one() {
    std::optional<HoldQueue::Taken> taken = queue_.take();
    if (!taken) return false;
    std::this_thread::yield();  // a later request must not overtake this one
    for (Connection& connection : connections_)
      if (taken->owner.get() == &connection.owner) {
        ++connection.dispatched;
        (void)execute_or_park(connection, taken->message, taken->number);
      }
    queue_.done(taken->number);
    return true;
  }

  std::atomic<bool> closed_ = false;
  std::array<Connection, 3> connections_;
  HoldQueue queue_{100};
};

}  // namespace

TEST_CASE("threads that park and dispatch execute each request once, in the order of arrival") {
  HeldConnections connections;
  connections.run();
  connections.check();
}

}  // namespace perigee::test
