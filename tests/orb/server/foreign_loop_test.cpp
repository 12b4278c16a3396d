// Servers inside an application's own event loop: work_pending, perform_work and the handle.
#include "orb/server/server_fixture.h"
#include <perigee/event/reactor.h>

#include <poll.h>

using namespace perigee;
using namespace perigee::test;

namespace {

struct Fixture {
  TestOrb orb{server_settings(ThreadStrategy::reactive)};
  CORBA::ORB face{orb.core().shared_from_this()};
  CORBA::object_reference<CORBA::Object> object =
      orb.root()->servant_to_reference(make_servant(add_one));
  Octets key = orb.key_of(object);
  Fixture() { orb.root()->the_POAManager()->activate(); }

  /// Waits for the handle and then performs work, as an application does.
  void turn() {
    pollfd handle{face._work_handle(), POLLIN, 0};
    REQUIRE(::poll(&handle, 1, 10'000) == 1);
    CHECK(face.work_pending());
    face.perform_work();
  }
};

}  // namespace

TEST_CASE("a reactive server is served by a foreign loop") {
  Fixture f;
  auto reply = std::async(std::launch::async, [&] {
    RawClient client(f.orb.endpoint_of(f.object));
    return client.call({.key = f.key, .id = 1, .argument = 5}).result();
  });
  while (reply.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (f.face.work_pending()) f.turn();
    std::this_thread::yield();
  }
  CHECK(reply.get() == 6);
}

TEST_CASE("the handle of a foreign loop becomes readable when a timer of the ORB is due") {
  Fixture f;
  while (f.face.work_pending()) f.face.perform_work();
  event::Reactor& loop = *f.orb.core().server()->own_loop();
  bool fired = false;
  loop.schedule(loop.clock().now() + std::chrono::milliseconds(20), [&fired] { fired = true; });
  while (!fired) f.turn();
  CHECK(loop.timers_armed() == 0);
}

TEST_CASE("without work, work_pending is false and perform_work returns") {
  Fixture f;
  while (f.face.work_pending()) f.face.perform_work();  // the acceptors are registered
  f.face.perform_work();
  CHECK(!f.face.work_pending());
}

TEST_CASE("a server with threads of its own has no work for a foreign loop") {
  const ServerFixture server(ThreadStrategy::thread_per_connection);
  CORBA::ORB face(server.orb.core().shared_from_this());
  CHECK(face._work_handle() == -1);
  CHECK(!face.work_pending());
  face.perform_work();
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
}

TEST_CASE("an ORB that a foreign loop served can be shut down, and has no work afterwards") {
  Fixture f;
  f.face.perform_work();
  f.face.shutdown(true);
  CHECK_THROWS_AS(f.face.perform_work(), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS((void)f.face.work_pending(), CORBA::BAD_INV_ORDER);
}
