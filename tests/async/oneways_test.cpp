// The end of asynchronous oneway calls, as SyncScopePolicy defines it.
#include "async/deferring_servants.h"
#include "orb/policies.h"
#include "orb/server/server_fixture.h"
#include <perigee/async/call.h>

#include <cstdint>
#include <thread>

using namespace perigee;
using namespace perigee::test;

namespace {

/// A server whose servants defer their replies, and a client.
struct Pair {
  Pair() : server(each_strategy(), deferred.servant(Later::answer)) {}
  /// Sends a oneway request.
  [[nodiscard]] call<void> send(Messaging::SyncScope scope) const {
    static constexpr stub::Operation operation{"act", stub::Operation::Kind::oneway, {}};
    const ObjectRef object = client.core().make_object(server.object->_reference()->ior());
    const ObjectRef scoped = object->_set_policy_overrides(
        {make_policy(client.core(), SYNC_SCOPE_POLICY_TYPE, scope)}, SET_OVERRIDE);
    return async::start_call<void>(
        *scoped, operation, [](cdr::Encoder& encoder) { encoder << std::uint32_t{1}; }, nullptr);
  }

  DeferredReplies deferred;
  const ServerFixture server;
  const TestOrb client;
};

}  // namespace

TEST_CASE("an asynchronous oneway ends when it is sent, buffered or not") {
  Pair pair;
  for (const Messaging::SyncScope scope : {Messaging::SYNC_NONE, Messaging::SYNC_WITH_TRANSPORT}) {
    pair.send(scope).get();
    pair.deferred.take(1).send(1);  // the client gets no reply
  }
}

TEST_CASE("an asynchronous oneway with scope server ends before its servant replies") {
  Pair pair;
  pair.send(Messaging::SYNC_WITH_SERVER).get();
  pair.deferred.take(1).send(1);
}

TEST_CASE("an asynchronous oneway with scope target ends when its servant replies") {
  Pair pair;
  call<void> sent = pair.send(Messaging::SYNC_WITH_TARGET);
  std::jthread replier([&] {
    DeferredReply kept = pair.deferred.take(1);
    CHECK_FALSE(sent.is_over());
    kept.send(1);
  });
  sent.get();
}
