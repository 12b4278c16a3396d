// OutgoingQueue: random operations of several senders against a transport. The transport takes only
// a part of a message, blocks, fails, has octets of its own to send, and lends memory in which
// messages are made. Other senders act in the middle of each send, as other threads would. The
// invariants are checked after each step. The octets that the transport took show whether each
// message left once, whole and in order. A seed gives the same steps again.
#include "engine/outgoing_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace perigee::test {

namespace {

constexpr std::uint32_t senders = 4;
constexpr std::uint32_t numbers_per_sender = 100'000;

// Puts a count in front of each message, in the order of sending.
class NumberingSealer final : public engine::Sealer {
 public:
  void seal(std::vector<OctetSpan>& segments, Octets& memory) noexcept override {
    memory.resize(sizeof next_);
    std::memcpy(memory.data(), &next_, sizeof next_);
    ++next_;
    segments.insert(segments.begin(), OctetSpan(memory));
  }

 private:
  std::uint32_t next_ = 0;
};

class Model {
 public:
  Model(std::uint32_t seed, engine::Sealer* sealer)
      : random_(seed),
        failures_(seed % 5 == 0),
        sealed_(sealer != nullptr),
        queue_(transport_, {.octets_max = 3000 + random_() % 9000, .joins_messages = seed % 3 != 0},
               counts_, sealer, clock_) {
    transport_.on_send = [this](auto segments, Wait wait) { return take(segments, wait); };
    transport_.on_end = [this] { CHECK(counts_.queued.value() == 0); };
    transport_.on_finish = [this] { return finish(); };
    transport_.place.resize(1000);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) act(0);
    while (queue_.corked()) (void)queue_.uncork();
    takes_all_ = true;
    for (int tries = 0; tries < 100 && !queue_.idle() && !queue_.failed(); ++tries)
      (void)queue_.flush();
    REQUIRE((queue_.idle() || queue_.failed()));
    if (!queue_.failed()) queue_.finish();
    REQUIRE((queue_.finished() || queue_.failed()));
    REQUIRE((!owes_ || queue_.failed()));
    REQUIRE(queue_.check_invariants());
    REQUIRE(counts_.queued.value() == 0);
    check_received();
  }

 private:
  struct Queued {
    std::uint32_t number;
    bool was_withdrawn = false;
  };

  [[nodiscard]] bool chance(std::uint32_t one_in) { return random_() % one_in == 0; }

  // One step of a sender that is not in a send itself.
  void act(std::uint32_t depth) {
    switch (random_() % 12) {
      case 11:
        if (!sealed_) make_in_place(depth);
        break;
      case 10:
        if (queue_.finished()) break;
        owes_ = true;
        (void)queue_.send_transport_output();
        break;
      case 0:
        (void)queue_.uncork();
        break;
      case 1:
      case 2:
        (void)queue_.flush();
        break;
      case 3:
        withdraw();
        break;
      case 4:
        if (failures_ && chance(100)) queue_.close();
        if (chance(300)) {
          finishes_ = true;
          queue_.finish();
        }
        break;
      default:
        send(depth);
    }
    REQUIRE(queue_.check_invariants());
  }

  // Each depth of nested sends is a sender of its own.
  void send(std::uint32_t sender) {
    const std::uint32_t number = sender * numbers_per_sender + next_[sender]++;
    OctetsLender lender(numbered_message(number, random_size()));
    const OctetSpan octets = lender.octets();
    const std::size_t cut = random_() % octets.size();
    const OctetSpan parts[] = {octets.first(cut), octets.subspan(cut)};
    const Wait wait = chance(3) ? Wait::yes : Wait::no;
    const Deadline deadline = wait == Wait::yes
                                  ? Deadline::after(std::chrono::microseconds(20), clock_.now())
                                  : Deadline::never();
    const bool holds = chance(4);
    const bool shares = wait == Wait::no && !holds && chance(2);
    const Sent sent = holds    ? queue_.hold(parts, {.count = 5, .octets = 4000}, wait, deadline)
                      : shares ? queue_.send_shared(parts, lender)
                               : queue_.send(parts, wait, deadline);
    switch (sent.status) {
      case Sent::Status::sent:
      case Sent::Status::queued:
        if (sent.ticket != 0) REQUIRE(queued_.emplace(sent.ticket, Queued{number}).second);
        if (sent.ticket == 0) REQUIRE(sent.status == Sent::Status::sent);
        kept_.insert(number);
        break;
      case Sent::Status::timed_out:
        REQUIRE(wait == Wait::yes);
        refused_.insert(number);
        break;
      case Sent::Status::full:
        REQUIRE(wait == Wait::no);
        refused_.insert(number);
        break;
      case Sent::Status::failed:
        REQUIRE((queue_.failed() || finishes_));
        if (!queue_.failed()) refused_.insert(number);
        break;
      case Sent::Status::no_memory:
        FAIL("no memory");
    }
  }

  // Other senders act while the message is made.
  void make_in_place(std::uint32_t sender) {
    const MutableOctetSpan place = queue_.begin_direct(8);
    if (place.empty()) return;
    const std::uint32_t number = sender * numbers_per_sender + next_[sender]++;
    others_act();
    if (chance(4)) {
      refused_.insert(number);
      (void)queue_.commit_direct(0);
      return;
    }
    const Octets octets = numbered_message(number, std::min(random_size(), place.size()));
    std::ranges::copy(octets, place.begin());
    if (failures_ && chance(50)) transport_.commit_error = EPIPE;
    const bool closed = queue_.failed();
    if (queue_.commit_direct(octets.size()).status == Sent::Status::sent) {
      REQUIRE_FALSE(closed);
      kept_.insert(number);
    } else {
      REQUIRE(queue_.failed());
      refused_.insert(number);
    }
  }

  void others_act() {
    if (depth_ + 1 >= senders) return;
    ++depth_;
    for (auto acts = random_() % 3; acts > 0; --acts) act(depth_);
    --depth_;
  }

  void withdraw() {
    if (queued_.empty()) return;
    auto place = queued_.lower_bound(random_() % (queued_.rbegin()->first + 1));
    if (place == queued_.end()) return;
    const bool may = queue_.progress(place->first) == Progress::waiting;
    if (!queue_.withdraw(place->first)) return;
    REQUIRE(may);
    REQUIRE_FALSE(place->second.was_withdrawn);
    place->second.was_withdrawn = true;
    withdrawn_.insert(place->second.number);
  }

  IoResult take(std::span<const OctetSpan> segments, Wait wait) {
    const std::size_t size = SendingTransport::all_of(segments).count;
    if (takes_all_) {
      owes_ = false;
      return {size, IoStatus::ok, 0};
    }
    others_act();
    if (size == 0) {
      REQUIRE(wait == Wait::no);
      if (chance(3)) return {0, IoStatus::would_block, 0};
      owes_ = false;
      return {};
    }
    const std::size_t part = random_() % size;
    if (failures_ && chance(200)) return {part, IoStatus::failed, ECONNRESET};
    if (wait == Wait::no) {
      if (chance(3)) return {0, IoStatus::would_block, 0};
      if (part == 0) return {size, IoStatus::ok, 0};
      return {chance(2) ? part : size, IoStatus::ok, 0};
    }
    if (chance(8)) clock_.advance(std::chrono::microseconds(30));
    if (failures_ && chance(8) && part != 0) return {part, IoStatus::timed_out, 0};
    if (chance(8)) return {0, IoStatus::timed_out, 0};
    return {size, IoStatus::ok, 0};
  }

  IoResult finish() {
    REQUIRE_FALSE(owes_);
    if (!takes_all_ && chance(2)) return {0, IoStatus::would_block, 0};
    transport_.shutdown_send();
    return {};
  }

  [[nodiscard]] std::size_t random_size() {
    if (chance(20)) return 5000 + random_() % 20'000;
    return chance(4) ? random_() % 3000 : random_() % 200;
  }

  // The numbers that the sealer has put in front have no gap.
  [[nodiscard]] Octets without_seals() {
    if (!sealed_) return transport_.taken;
    Octets plain;
    std::uint32_t expected = 0;
    OctetSpan rest(transport_.taken);
    while (rest.size() >= 12) {
      std::uint32_t seal = 0;
      std::uint32_t length = 0;
      std::memcpy(&seal, rest.data(), 4);
      std::memcpy(&length, rest.data() + 8, 4);
      REQUIRE(seal == expected++);
      const std::size_t size = std::min<std::size_t>(length, rest.size() - 4);
      plain.insert(plain.end(), rest.begin() + 4, rest.begin() + 4 + std::ptrdiff_t(size));
      rest = rest.subspan(4 + size);
    }
    if (queue_.failed()) return plain;
    REQUIRE(rest.empty());
    return plain;
  }

  void check_received() {
    const ReceivedMessages received = parse_messages(without_seals());
    REQUIRE_FALSE(received.garbled);
    std::set<std::uint32_t> once(received.numbers.begin(), received.numbers.end());
    REQUIRE(once.size() == received.numbers.size());
    for (const std::uint32_t number : received.numbers) {
      REQUIRE_FALSE(refused_.contains(number));
      REQUIRE_FALSE(withdrawn_.contains(number));
    }
    for (std::uint32_t sender = 0; sender < senders; ++sender) {
      std::vector<std::uint32_t> own;
      for (const std::uint32_t number : received.numbers)
        if (number / numbers_per_sender == sender) own.push_back(number);
      REQUIRE(std::ranges::is_sorted(own));
    }
    check_tickets(received.numbers);
    if (queue_.failed()) return;
    REQUIRE(received.rest == 0);
    for (const std::uint32_t number : kept_)
      REQUIRE(once.contains(number) != withdrawn_.contains(number));
  }

  // Messages leave in the order of their tickets.
  void check_tickets(const std::vector<std::uint32_t>& received) {
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t place = 0; place < received.size(); ++place) places[received[place]] = place;
    std::size_t before = 0;
    for (const auto& [ticket, queued] : queued_) {
      const auto found = places.find(queued.number);
      if (found == places.end()) continue;
      REQUIRE(found->second >= before);
      before = found->second;
      REQUIRE(queue_.progress(ticket) == Progress::sent);
    }
  }

  std::mt19937 random_;
  const bool failures_;
  const bool sealed_;
  SendingTransport transport_{{.finishes = true, .owes_output = true}};
  OutgoingCounts counts_;
  CreepingClock clock_;
  OutgoingQueue queue_;
  std::uint32_t depth_ = 0;
  bool takes_all_ = false;
  bool owes_ = false;  // the transport has octets of its own
  bool finishes_ = false;
  std::uint32_t next_[senders] = {};
  std::set<std::uint32_t> kept_;
  std::set<std::uint32_t> refused_;
  std::set<std::uint32_t> withdrawn_;
  std::map<Ticket, Queued> queued_;
};

}  // namespace

TEST_CASE("random senders, flushes, withdrawals and deadlines keep the invariants of the queue") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    Model(seed, nullptr).run(300);
  }
}

TEST_CASE(
    "messages are sealed in the order in which they leave, and withdrawn messages are not sealed") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    NumberingSealer sealer;
    Model(seed, &sealer).run(200);
  }
}

}  // namespace perigee::test
