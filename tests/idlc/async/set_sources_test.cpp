// Pollable sets. The tests make the events of the pollables themselves.
#include "dynamic/polling/source.h"
#include <perigee/corba.h>
#include <perigee/dynamic/polling.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

/// The state of a pollable, and the calls that the pollable has received.
struct Watched {
  std::function<void()> at_wake_at_change = [] {};
  std::function<void()> at_wait = [] {};
  bool was_done = false;  // what the wait's `done` returned after `at_wait`
  int wakes = 0;
  int looks = 0;  // calls of `stage`
  std::weak_ptr<polling::Watcher> watcher;
  void settle() {
    stage = polling::Source::Stage::ready;
    if (const auto told = watcher.lock()) told->settled();
  }
  bool is_destroyed = false;
  bool is_of_queue = false;
  bool is_idle = false;
  polling::Source::Stage stage = polling::Source::Stage::waiting;
};

class WatchedPollable final : public virtual CORBA::Pollable, private polling::Source {
 public:
  explicit WatchedPollable(Watched& watched) : watched_(watched) {}
  ~WatchedPollable() override { watched_.is_destroyed = true; }

  bool is_ready(std::uint32_t /*timeout*/) override { return watched_.stage == Stage::ready; }
  CORBA::object_reference<CORBA::PollableSet> create_pollable_set() override { return nullptr; }
  [[nodiscard]] polling::Source& _source() const noexcept override {
    return const_cast<WatchedPollable&>(*this);
  }
  [[nodiscard]] const value::Description& _description() const noexcept override {
    static constexpr value::Description description{_type_id};
    return description;
  }
  void _marshal(cdr::Encoder& /*encoder*/) const override {}
  void _unmarshal(cdr::Decoder& /*decoder*/) override {}

 private:
  [[nodiscard]] Stage stage() const noexcept override {
    ++watched_.looks;
    return watched_.stage;
  }
  [[nodiscard]] bool watch(std::weak_ptr<polling::Watcher> watcher) override {
    if (watched_.stage != Stage::waiting) return false;
    watched_.watcher = std::move(watcher);
    return true;
  }
  void wait(function_ref<bool()> done, std::uint32_t /*timeout*/) const override {
    watched_.at_wait();
    watched_.was_done = done();
  }
  [[nodiscard]] bool is_of_queue() const noexcept override { return watched_.is_of_queue; }
  [[nodiscard]] bool is_idle() const noexcept override { return watched_.is_idle; }
  void wake_at_change() const noexcept override { watched_.at_wake_at_change(); }
  void wake() const noexcept override { ++watched_.wakes; }
  [[nodiscard]] const void* orb() const noexcept override { return nullptr; }

  Watched& watched_;
};

CORBA::valuetype_reference<CORBA::Pollable> make_pollable(Watched& watched) {
  return CORBA::valuetype_reference<CORBA::Pollable>(make_counted<WatchedPollable>(watched));
}

}  // namespace

TEST_CASE("a set keeps a pollable alive while it adds it, even if the set gives it out meanwhile") {
  Watched watched;
  watched.stage = polling::Source::Stage::ready;
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  bool was_destroyed = true;
  watched.at_wake_at_change = [&] {
    (void)set->get_ready_pollable(0);
    was_destroyed = watched.is_destroyed;
  };
  set->add_pollable(make_pollable(watched));
  CHECK_FALSE(was_destroyed);
  CHECK(watched.is_destroyed);
  CHECK(watched.wakes == 1);
}

TEST_CASE("a set wakes the waiting threads when a pollable is added or removed") {
  Watched watched;
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  const auto pollable = make_pollable(watched);
  set->add_pollable(pollable);
  CHECK(watched.wakes == 1);
  set->remove(pollable);
  CHECK(watched.wakes == 2);
}

TEST_CASE("a set looks at each pollable a fixed number of times, however many it contains") {
  constexpr std::size_t count = 2000;
  std::vector<Watched> watched(count);
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  std::vector<CORBA::valuetype_reference<CORBA::Pollable>> pollables;
  for (Watched& each : watched) set->add_pollable(pollables.emplace_back(make_pollable(each)));
  for (std::size_t index = count; index-- != 0;) {
    CHECK_THROWS_AS((void)set->get_ready_pollable(0), CORBA::NO_RESPONSE);
    watched[index].settle();
    CHECK(set->get_ready_pollable(0) == pollables[index]);
  }
  CHECK(set->number_left() == 0);
  for (const Watched& each : watched) CHECK(each.looks <= 2);
}

TEST_CASE("a set with a poller waits although no dynamic request is left") {
  Watched queue;
  queue.is_of_queue = true;
  queue.is_idle = true;
  Watched poller;
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  const auto of_poller = make_pollable(poller);
  set->add_pollable(make_pollable(queue));
  set->add_pollable(of_poller);
  queue.at_wait = [&] { poller.settle(); };
  CHECK(set->get_ready_pollable(polling::wait_for_ever) == of_poller);
  set->add_pollable(make_pollable(queue));
  CHECK_THROWS_AS((void)set->get_ready_pollable(polling::wait_for_ever), CORBA::BAD_INV_ORDER);
}

TEST_CASE("a wait without a limit ends when another thread removes the last poller of a set") {
  Watched queue;
  queue.is_of_queue = true;
  queue.is_idle = true;
  Watched poller;
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  const auto of_poller = make_pollable(poller);
  set->add_pollable(make_pollable(queue));
  set->add_pollable(of_poller);
  queue.at_wait = [&] { set->remove(of_poller); };
  CHECK_THROWS_AS((void)set->get_ready_pollable(polling::wait_for_ever), CORBA::BAD_INV_ORDER);
  CHECK(queue.was_done);
}

TEST_CASE("a set gives pollables in the order of their events") {
  std::vector<Watched> watched(3);
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  std::vector<CORBA::valuetype_reference<CORBA::Pollable>> pollables;
  for (Watched& each : watched) set->add_pollable(pollables.emplace_back(make_pollable(each)));
  watched[2].settle();
  watched[0].settle();
  CHECK(set->get_ready_pollable(0) == pollables[2]);
  CHECK(set->get_ready_pollable(0) == pollables[0]);
}

TEST_CASE("a set waits again for a pollable whose event was taken") {
  Watched watched;
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  const auto pollable = make_pollable(watched);
  set->add_pollable(pollable);
  watched.settle();
  watched.stage = polling::Source::Stage::waiting;
  CHECK_THROWS_AS((void)set->get_ready_pollable(0), CORBA::NO_RESPONSE);
  CHECK(set->number_left() == 1);
  watched.settle();
  CHECK(set->get_ready_pollable(0) == pollable);
}

}  // namespace perigee::test
