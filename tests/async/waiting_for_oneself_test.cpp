// A thread with a deferred reply that waits for all requests would wait for itself. The ORB refuses
// such waits where it can detect them.
#include "async/serving.h"
#include "orb/act.h"
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include <perigee/poa/answer.h>

#include <cstdint>
#include <functional>

using namespace perigee;
using namespace perigee::test;

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

/// How many of the five ways of waiting for all requests the ORB refuses.
std::uint32_t refusals(const TestOrb& orb) {
  const auto root = orb.root();
  const auto manager = root->the_POAManager();
  const std::function<void()> waits[] = {
      [&] { root->destroy(true, true); },
      [&] { manager->hold_requests(true); },
      [&] { manager->discard_requests(true); },
      [&] { manager->deactivate(true, true); },
      [&] { orb.core().shutdown(orb::Completion::wait); },
  };
  std::uint32_t count = 0;
  for (const auto& wait : waits) {
    try {
      wait();
    } catch (const CORBA::BAD_INV_ORDER& exception) {
      if (exception.minor() == (CORBA::OMGVMCID | 3)) ++count;
    }
  }
  return count;
}

/// Tries the five waits when the sink's reply arrives, and replies with the number of refusals.
class Trying final : public stub::CallObserver {
 public:
  Trying(orb::ServerRequest& request, const TestOrb& orb) : client_(request), orb_(orb) {}
  void ended(stub::CallOutcome& /*outcome*/) noexcept override {
    const std::uint32_t count = refusals(orb_);
    client_.reply([count](cdr::Encoder& encoder) { encoder << count; });
    delete this;
  }

 private:
  skeleton::Answer client_;
  const TestOrb& orb_;
};

/// A server whose servants call a sink.
class Middle {
 public:
  explicit Middle(ActingServant::Action action)
      : server_(each_strategy(), std::move(action)),
        sink_reference_(server_.orb.core().make_object(sink_.object->_reference()->ior())) {}

  [[nodiscard]] const TestOrb& orb() const noexcept { return server_.orb; }
  [[nodiscard]] const ObjectRef& sink() const noexcept { return sink_reference_; }
  /// Calls the servant over TCP, then in the same process.
  void check_refused() {
    RawClient client(server_.endpoint);
    CHECK(client.call({.key = server_.key, .argument = 1}).result() == 5);
    CHECK(act(server_.object, 1) == 5);
  }

 private:
  ServerFixture sink_{ThreadStrategy::thread_per_connection};
  ServerFixture server_;
  ObjectRef sink_reference_;
};

}  // namespace

TEST_CASE("a reply handler with a deferred reply may not wait for all requests") {
  const Middle* middle = nullptr;
  Middle tiers([&](orb::ServerRequest& request) {
    request.arguments().skip(4);
    request.end_of_arguments();
    (void)stub::send(*middle->sink(), act_operation, number(1),
                     *new Trying(request, middle->orb()));
  });
  middle = &tiers;
  tiers.check_refused();
}

TEST_CASE("a coroutine that a reply has resumed may not wait for all requests") {
  const Middle* middle = nullptr;
  Middle tiers(serving([&](std::uint32_t argument) -> task<std::uint32_t> {
    (void)co_await start_act(middle->sink(), argument);
    co_return refusals(middle->orb());
  }));
  middle = &tiers;
  tiers.check_refused();
}
