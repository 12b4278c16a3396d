// OutboundCalls: random operations against a model, with the invariants after each step; and
// threads that call, reply, hand the read role over and close. The build with the thread sanitizer
// also runs these tests.
#include "engine/connection/outbound_calls.h"

#include "engine/connection/waiting_call.h"
#include <perigee/base/clock.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using engine::OutboundCall;
using engine::OutboundCalls;
using engine::WaitingCall;
using State = OutboundCall::State;
using Status = OutboundCalls::Status;

class Call final : public OutboundCall {
 public:
  State expected = State::ended;
};

class CallsModel {
 public:
  explicit CallsModel(std::uint32_t seed)
      : random_(seed),
        role_(seed % 2 == 0 ? messaging::Role::opener : messaging::Role::acceptor),
        calls_max_(1 + static_cast<std::uint32_t>(random_() % 200)),
        // Some runs begin shortly before the ids wrap around.
        calls_(role_, calls_max_, seed % 3 == 0 ? (std::uint64_t{1} << 31) - 50 : 0) {}

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      act();
      REQUIRE(calls_.check_invariants());
      REQUIRE(calls_.listed() == listed());
      REQUIRE(calls_.in_table() == in_table());
    }
    CHECK(calls_.close());
    CHECK_FALSE(calls_.close());
    Call late;
    CHECK(calls_.submit(late) == Status::closed);
    CHECK(calls_.depart(late) == Status::closed);
    while (auto* const call = static_cast<Call*>(calls_.take_any())) {
      REQUIRE(call->expected != State::ended);
      call->expected = State::ended;
    }
    CHECK(listed() == 0);
    CHECK(calls_.check_invariants());
  }

 private:
  [[nodiscard]] static bool is_in_table(const Call& call) {
    const bool departed = call.expected == State::departing || call.expected == State::awaiting;
    return departed && call.expects_reply;
  }
  [[nodiscard]] std::size_t listed() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        all_, [](const auto& call) { return call->expected != State::ended; }));
  }
  [[nodiscard]] std::size_t in_table() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [](const auto& call) { return is_in_table(*call); }));
  }
  [[nodiscard]] Call& any() { return *all_[random_() % all_.size()]; }
  [[nodiscard]] Call& make() {
    const auto ended =
        std::ranges::find_if(all_, [](const auto& call) { return call->expected == State::ended; });
    if (ended != all_.end() && random_() % 2 == 0) return **ended;
    return *all_.emplace_back(std::make_unique<Call>());
  }

  void act() {
    switch (all_.empty() ? 0 : random_() % 9) {
      case 0:
      case 1:
        return submit();
      case 2:
      case 3:
        return depart();
      case 4: {
        Call& call = any();
        calls_.sent(call);
        if (call.expected == State::departing) call.expected = State::awaiting;
        return;
      }
      case 5:
        return take(any().id);
      case 6: {
        Call& call = any();
        REQUIRE(calls_.withdraw(call) == (call.expected != State::ended));
        call.expected = State::ended;
        return;
      }
      case 7:
        return take_to_lead();
      default:
        return take_oneway();
    }
  }

  void submit() {
    Call& call = make();
    if (call.expected != State::ended) return;
    call.expects_reply = random_() % 4 != 0;
    const bool full = listed() == calls_max_;
    REQUIRE(calls_.submit(call) == (full ? Status::full : Status::ok));
    if (!full) call.expected = State::unsent;
  }

  // The first unsent call, or a new call.
  void depart() {
    auto* call = random_() % 2 == 0 ? static_cast<Call*>(calls_.first_unsent()) : &make();
    if (call == nullptr) return;
    const bool is_new = call->expected == State::ended;
    if (!is_new && call->expected != State::unsent) return;
    if (is_new) call->expects_reply = random_() % 4 != 0;
    call->id = calls_.next_id();
    REQUIRE((call->id & 1) == (role_ == messaging::Role::opener ? 0 : 1));
    for (const auto& other : all_)
      if (other.get() != call && is_in_table(*other)) REQUIRE(other->id != call->id);
    const bool full = is_new && listed() == calls_max_;
    REQUIRE(calls_.depart(*call) == (full ? Status::full : Status::ok));
    if (!full) call->expected = State::departing;
  }

  void take(std::uint32_t id) {
    const auto wanted = std::ranges::find_if(
        all_, [id](const auto& call) { return is_in_table(*call) && call->id == id; });
    OutboundCall* const found = calls_.take(id);
    REQUIRE(found == (wanted == all_.end() ? nullptr : wanted->get()));
    if (found != nullptr) static_cast<Call*>(found)->expected = State::ended;
  }

  void take_to_lead() {
    const bool any_waits = std::ranges::any_of(all_, [](const auto& call) {
      return call->expected == State::awaiting && is_in_table(*call);
    });
    REQUIRE(calls_.any_awaiting() == any_waits);
    auto* const call = static_cast<Call*>(calls_.take_to_lead());
    REQUIRE((call != nullptr) == any_waits);
    if (call == nullptr) return;
    REQUIRE(call->expected == State::awaiting);
    REQUIRE(call->state() == State::leading);
    call->expected = State::ended;
    REQUIRE_FALSE(calls_.withdraw(*call));
    all_.erase(std::ranges::find_if(all_, [&](const auto& known) { return known.get() == call; }));
  }

  void take_oneway() {
    auto* const call = static_cast<Call*>(calls_.take_oneway());
    if (call == nullptr) return;
    REQUIRE_FALSE(call->expects_reply);
    call->expected = State::ended;
  }

  std::mt19937 random_;
  const messaging::Role role_;
  const std::uint32_t calls_max_;
  OutboundCalls calls_;
  std::vector<std::unique_ptr<Call>> all_;
};

}  // namespace

TEST_CASE("outbound calls: random operations keep the invariants") {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    CallsModel(seed).run(600);
  }
}

TEST_CASE("outbound calls: when the ids wrap around, the id of a long call is passed over") {
  OutboundCalls calls(messaging::Role::opener, 10, (std::uint64_t{1} << 31) - 1);
  Call last;
  last.id = calls.next_id();
  CHECK(last.id == 0xfffffffe);
  REQUIRE(calls.depart(last) == Status::ok);
  Call lasting;
  lasting.id = 2;
  REQUIRE(calls.depart(lasting) == Status::ok);
  CHECK(calls.next_id() == 0);
  CHECK(calls.next_id() == 4);
  CHECK(calls.take(2) == &lasting);
  CHECK(calls.take(last.id) == &last);
}

TEST_CASE("outbound calls: thousands of calls are found, whatever the order of their replies") {
  constexpr std::uint32_t count = 5000;
  OutboundCalls calls(messaging::Role::acceptor, count);
  std::vector<std::unique_ptr<Call>> all;
  for (std::uint32_t number = 0; number < count; ++number) {
    Call& call = *all.emplace_back(std::make_unique<Call>());
    call.id = calls.next_id();
    REQUIRE(calls.depart(call) == Status::ok);
  }
  Call surplus;
  CHECK_FALSE(calls.has_room());
  CHECK(calls.depart(surplus) == Status::full);
  std::ranges::shuffle(all, std::mt19937(1));
  for (const auto& call : all) REQUIRE(calls.take(call->id) == call.get());
  CHECK(calls.in_table() == 0);
  CHECK(calls.check_invariants());
}

namespace {

class SharedCall final : public WaitingCall {
 public:
  std::uint32_t replied = 0;
};

struct CallingThreads {
  static constexpr std::uint32_t callers = 4;
  static constexpr std::uint32_t calls_each = 3000;

  OutboundCalls calls{messaging::Role::opener, callers};
  std::atomic<std::uint32_t> ended{0};
  std::atomic<std::uint32_t> wrong{0};
  std::mutex mutex;  // guards `sent`
  std::set<std::uint32_t> sent;

  // The call ends with its own reply, or this thread takes it out of the table.
  void call(std::mt19937& dice) {
    SharedCall call;
    call.id = calls.next_id();
    call.share();
    if (calls.depart(call) != Status::ok) return call.unshare();
    {
      const std::lock_guard lock(mutex);
      sent.insert(call.id);
    }
    calls.sent(call);
    const Deadline end = dice() % 4 == 0 ? Deadline::after(std::chrono::microseconds(dice() % 50),
                                                           steady_clock().now())
                                         : Deadline::never();
    WaitingCall::End how = call.await(end, steady_clock());
    if (how == WaitingCall::End::none && !calls.withdraw(call))
      how = call.await(Deadline::never(), steady_clock());
    if (how == WaitingCall::End::reply && call.replied != call.id) wrong.fetch_add(1);
    ended.fetch_add(1);
  }

  void reply() {
    std::uint32_t id = 0;
    {
      const std::lock_guard lock(mutex);
      if (sent.empty()) return;
      id = *sent.begin();
      sent.erase(sent.begin());
    }
    auto* const call = static_cast<SharedCall*>(calls.take(id));
    if (call == nullptr) return;  // late
    call->replied = id;
    call->complete(WaitingCall::End::reply);
  }

  void hand_over() {
    if (OutboundCall* const call = calls.take_to_lead())
      static_cast<SharedCall*>(call)->complete(WaitingCall::End::leads);
  }
};

}  // namespace

TEST_CASE("outbound calls: each call of many threads ends once") {
  CallingThreads state;
  std::atomic<bool> over{false};
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (!over.load()) state.reply();
  });
  threads.emplace_back([&] {
    while (!over.load()) {
      state.hand_over();
      if (!state.calls.check_invariants()) state.wrong.fetch_add(1);
      std::this_thread::yield();
    }
  });
  {
    std::vector<std::jthread> callers;
    for (std::uint32_t caller = 0; caller < CallingThreads::callers; ++caller)
      callers.emplace_back([&state, caller] {
        std::mt19937 dice(caller);
        for (std::uint32_t count = 0; count < CallingThreads::calls_each; ++count) state.call(dice);
      });
  }
  over.store(true);
  threads.clear();
  CHECK(state.wrong.load() == 0);
  CHECK(state.ended.load() == CallingThreads::callers * CallingThreads::calls_each);
  CHECK(state.calls.listed() == 0);
}

TEST_CASE("outbound calls: the end of the connection ends waiting calls") {
  CallingThreads state;
  std::vector<std::jthread> callers;
  for (std::uint32_t caller = 0; caller < CallingThreads::callers; ++caller)
    callers.emplace_back([&state] {
      std::mt19937 dice(1);  // the first call has no deadline
      state.call(dice);
    });
  while (state.calls.in_table() != CallingThreads::callers) std::this_thread::yield();
  state.calls.close();
  while (auto* const call = static_cast<SharedCall*>(state.calls.take_any()))
    call->complete(WaitingCall::End::failed);
  callers.clear();
  CHECK(state.ended.load() == CallingThreads::callers);
}

}  // namespace perigee::test
