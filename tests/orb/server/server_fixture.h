// A server with one acting servant, and raw clients of it.
#pragma once

#include "orb/server/raw_client.h"
#include "poa/fakes.h"
#include "poa/test_orb.h"
#include <perigee/cdr/operators.h>

#include <future>
#include <string>
#include <utility>

namespace perigee::test {

using orb::ThreadStrategy;

/// All strategies in turn: call it first in a test case.
inline ThreadStrategy each_strategy() {
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  SUBCASE("reactive") { strategy = ThreadStrategy::reactive; }
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  SUBCASE("reactor-per-core") { strategy = ThreadStrategy::reactor_per_core; }
  return strategy;
}

/// One thread that serves all connections, under each strategy that can have it.
inline orb::Settings each_single_thread() {
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  settings.threads = 1;
  SUBCASE("reactive") {}
  SUBCASE("thread-pool") { settings.thread_strategy = ThreadStrategy::thread_pool; }
  SUBCASE("reactor-per-core") { settings.thread_strategy = ThreadStrategy::reactor_per_core; }
  return settings;
}

inline std::uint32_t argument_of(orb::ServerRequest& request) {
  std::uint32_t value = 0;
  request.arguments() >> value;
  request.end_of_arguments();
  return value;
}

/// Replies with its argument plus one.
inline void add_one(orb::ServerRequest& request) {
  const std::uint32_t value = argument_of(request);
  request.reply([value](cdr::Encoder& encoder) { encoder << value + 1; });
}

class ServerFixture {
 public:
  explicit ServerFixture(ThreadStrategy strategy, ActingServant::Action action = add_one)
      : ServerFixture(server_settings(strategy), std::move(action)) {}
  explicit ServerFixture(orb::Settings settings, ActingServant::Action action = add_one)
      : ServerFixture(TestParts{.settings = std::move(settings)}, std::move(action)) {}
  explicit ServerFixture(TestParts parts, ActingServant::Action action = add_one)
      : orb(std::move(parts)),
        object(orb.root()->servant_to_reference(make_servant(std::move(action)))),
        key(orb.key_of(object)),
        endpoint(orb.endpoint_of(object)) {
    orb.serve();
  }

  TestOrb orb;
  CORBA::object_reference<CORBA::Object> object;
  Octets key;
  transport::Endpoint endpoint;
};

constexpr unsigned type_reply = 1;
constexpr unsigned type_locate_reply = 4;
constexpr unsigned type_close_connection = 5;
constexpr unsigned type_message_error = 6;

}  // namespace perigee::test
