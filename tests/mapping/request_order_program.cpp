// The program of docs/migrating.md that does not wait for its calls, and needs them executed in
// order.
#include "compat/running_orb.h"
#include "dimmerAmiC.h"
#include "dimmerS.h"
#include <perigee/corba.h>

#include <doctest/doctest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Options = std::vector<std::string>;

class Dimmer final : public CORBA::servant_traits<Lamps::Dimmer>::base_type {
 public:
  std::int32_t level() override { return level_; }
  void level(std::int32_t level) override {
    if (level % 50 == 0) std::this_thread::sleep_for(30ms);
    level_ = level;
  }

 private:
  std::atomic<std::int32_t> level_ = 0;
};

class Levels final : public CORBA::amic_traits<Lamps::Dimmer>::replyhandler_base_type {
 public:
  void get_level(std::int32_t level) override { seen.push_back(level); }
  void get_level_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { ++failures; }
  void set_level() override {}
  void set_level_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { ++failures; }

  std::vector<std::int32_t> seen;
  int failures = 0;
};

/// The levels that a client reads if it does not wait for its calls.
std::vector<std::int32_t> read_levels(Options options, std::int32_t count) {
  options.insert(options.end(), {"-ORBRequestOrder", "connection"});
  auto server = CORBA::ORB_init(options, "dimmer-server");
  auto poa =
      IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto reference = server->object_to_string(CORBA::make_reference<Dimmer>()->_this());
  std::optional<perigee::test::RunningOrb> running(server);

  Options none;
  auto orb = CORBA::ORB_init(none, "dimmer-client");
  using Asynchronous = CORBA::amic_traits<Lamps::Dimmer>;
  auto dimmer = Asynchronous::narrow(orb->string_to_object(reference));
  auto levels = CORBA::make_reference<Levels>();
  for (std::int32_t level = 0; level < count; ++level) {
    dimmer->sendc_set_level(levels, level);
    dimmer->sendc_get_level(levels);
  }
  while (static_cast<std::int32_t>(levels->seen.size()) + levels->failures < count)
    orb->perform_work();
  CHECK(levels->failures == 0);
  orb->destroy();
  running.reset();
  server->destroy();
  return levels->seen;
}

}  // namespace

TEST_CASE("with -ORBRequestOrder connection, a get sees the previous set, under each strategy") {
  constexpr std::int32_t count = 200;
  char folder[] = "/tmp/perigee-order-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  std::vector<std::int32_t> expected;
  for (std::int32_t level = 0; level < count; ++level) expected.push_back(level);
  for (const char* strategy :
       {"auto", "thread-per-connection", "thread-pool", "reactor-per-core", "reactive"}) {
    for (const std::string& endpoint :
         {std::string("iiop://127.0.0.1:0"), "uiop://" + std::string(folder) + "/socket"}) {
      CAPTURE(strategy);
      CAPTURE(endpoint);
      CHECK(read_levels({"-ORBThreadStrategy", strategy, "-ORBThreads", "4", "-ORBListenEndpoints",
                         endpoint},
                        count) == expected);
    }
  }
  std::filesystem::remove_all(folder);
}
