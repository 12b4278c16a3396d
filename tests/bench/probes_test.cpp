// The time probes, used by an application. In a build with probes it finds the points of a call and
// its own points, in the order of the call. In a build without probes it finds nothing.
#include "helloC.h"
#include "helloS.h"
#include <perigee/base/probe.h>
#include <perigee/corba.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using perigee::probe::Point;

constexpr Point greeting_made = perigee::probe::application_point(7);

class Greeter final : public CORBA::servant_traits<Demo::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override {
    perigee::probe::stamp(Point::upcall_begins);
    std::string greeting = "Hello, " + name;
    perigee::probe::stamp(greeting_made);
    perigee::probe::stamp(Point::upcall_ended);
    return greeting;
  }
};

auto root_poa(CORBA::ORB& orb) {
  return IDL::traits<PortableServer::POA>::narrow(orb.resolve_initial_references("RootPOA"));
}

// Makes one call over a connection: the server and the client are two ORBs.
void make_call() {
  std::vector<std::string> arguments{"probes", "-ORBListenEndpoints", "iiop://127.0.0.1:0",
                                     "-ORBLocalTransports", "none"};
  std::vector<std::string> client_arguments = arguments;
  auto server = CORBA::ORB_init(arguments, "server");
  auto poa = root_poa(*server);
  const std::string reference = server->object_to_string(CORBA::make_reference<Greeter>()->_this());
  poa->the_POAManager()->activate();
  std::jthread serving([&server] { server->run(); });
  auto client = CORBA::ORB_init(client_arguments, "client");
  auto hello = IDL::traits<Demo::Hello>::narrow(client->string_to_object(reference));
  if (hello->greet("world") != "Hello, world") throw std::string("another greeting");
  client->destroy();
  server->shutdown(true);
  serving.join();
  server->destroy();
}

// Whether a thread has these stamps in this order, maybe with others between them.
bool has_stamps(const std::vector<std::vector<perigee::probe::Stamp>>& threads,
                const std::vector<Point>& expected) {
  return std::ranges::any_of(threads, [&expected](const auto& stamps) {
    std::size_t found = 0;
    std::uint64_t before = 0;
    for (const auto& stamp : stamps) {
      if (stamp.ticks < before) return false;
      before = stamp.ticks;
      if (found < expected.size() && stamp.point == expected[found]) ++found;
    }
    return found == expected.size();
  });
}

void check(bool condition, const char* what) {
  if (!condition) throw std::string(what);
}

void check_stamps() {
  const auto threads = perigee::probe::stamps();
  if (!perigee::probe::enabled) {
    check(threads.empty(), "a build without probes has stamps");
    return;
  }
  check(has_stamps(threads, {Point::call_begins, Point::initialised, Point::connection_found,
                             Point::request_begun, Point::arguments_encoded, Point::send_begins,
                             Point::sent, Point::reply_parsed, Point::call_ended}),
        "the stamps of the client are missing");
  check(has_stamps(threads, {Point::request_parsed, Point::admitted, Point::key_parsed,
                             Point::servant_found, Point::adapter_found, Point::upcall_prepared,
                             Point::upcall_begins, greeting_made, Point::upcall_ended,
                             Point::reply_begun, Point::reply_finished, Point::sent}),
        "the stamps of the server are missing");
  const perigee::probe::StampClock clock = perigee::probe::measure_clock();
  check(clock.ns_per_tick > 0 && clock.stamp_ns > 0, "the clock was not measured");
}

}  // namespace

int main() {
  try {
    make_call();
    check_stamps();
  } catch (const std::string& failure) {
    std::cerr << failure << '\n';
    return 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
  return 0;
}
