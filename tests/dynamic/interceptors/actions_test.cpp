// Interceptors that throw, forward and call back, at each point of each way of a call.
#include "ways.h"

#include <algorithm>
#include <functional>

namespace perigee::test {

namespace {

/// What the second interceptor of a side does when its point runs for the first time.
enum class Act : std::uint8_t { raise, throw_foreign, forward, call_back };
constexpr Act acts[] = {Act::raise, Act::throw_foreign, Act::forward, Act::call_back};
constexpr const char* act_names[] = {"raise", "throw_foreign", "forward", "call_back"};

/// Doubles as the plain clerk does, and adds one: the caller sees which object has replied.
class Other final : public CORBA::servant_traits<Desk::Clerk>::base_type {
 public:
  std::int32_t twice(std::int32_t value) override { return 2 * value + 1; }
  void note(std::int32_t) override {}
};

/// The actions of one run. Points of several threads may run at once.
struct Acting {
  Act act;
  ClerkRef other;
  std::atomic<bool> is_done{false};
  std::atomic<int> called_back{0};

  void operator()() {
    if (is_done.exchange(true)) return;
    switch (act) {
      case Act::raise:
        throw CORBA::NO_RESOURCES(99, CORBA::COMPLETED_NO);
      case Act::throw_foreign:
        throw 1;
      case Act::forward:
        throw PortableInterceptor::ForwardRequest(other);
      case Act::call_back:
        called_back = other->twice(4);
        return;
    }
  }
};

bool is_client(const std::string& point) {
  return point == "send_request" || point.starts_with("receive_reply") ||
         point == "receive_exception" || point == "receive_other";
}

/// The points that run in a call of this way.
std::vector<std::string> points_of(Way way) {
  const char* client_end = "receive_reply";
  const char* server_end = "send_reply";
  if (way == Way::exception) {
    client_end = "receive_exception";
    server_end = "send_exception";
  }
  if (way == Way::oneway) {
    client_end = "receive_other";
    server_end = "send_other";
  }
  std::vector<std::string> points = {"send_request", client_end, "receive_request_service_contexts",
                                     "receive_request", server_end};
  if (way == Way::forward) points.insert(points.end(), {"receive_other", "send_other"});
  return points;
}

/// What `WayCall::run` returns. A oneway has been sent when its ending point runs, and its client
/// does not learn what happens in the server.
std::string expected(Way way, const std::string& point, Act act) {
  const bool is_unseen = way == Way::oneway && !is_client(point);
  const bool is_after_reply = point == "receive_reply" || point == "send_reply";
  const std::string plain = way == Way::oneway ? "sent" : way == Way::exception ? "Refused" : "42";
  if (act == Act::call_back || is_unseen) return plain;
  if (act == Act::raise) return "NO_RESOURCES 99";
  if (act == Act::throw_foreign || is_after_reply) return "UNKNOWN 0";
  if (way == Way::oneway) return plain;
  return way == Way::exception ? "-1" : "43";
}

std::ptrdiff_t count_of(const Log& log, const std::string& start) {
  return std::ranges::count_if(log.lines(),
                               [&](const std::string& line) { return line.starts_with(start); });
}

/// Each starting point of the first interceptors has returned, so each has one ending point.
void check_balance(const Log& log) {
  CHECK(count_of(log, "client 1 send_request") == count_of(log, "client 1 receive_"));
  CHECK(count_of(log, "server 1 receive_request_service_contexts") ==
        count_of(log, "server 1 send_"));
}

void act_at(Way way, const std::string& point, Act act) {
  Acting acting{act, nullptr};
  Clients clients = {{}, {}};
  Servers servers = {{}, {}};
  if (is_client(point))
    clients[1][point] = [&acting](const ClientInfoRef&) { acting(); };
  else
    servers[1][point] = [&acting](const ServerInfoRef&) { acting(); };
  DeskOrbs orbs({.clients = clients, .servers = servers}, kind_of(way));
  acting.other = orbs.serve(CORBA::make_reference<Other>());
  if (!is_client(point))  // an interceptor of the server needs a reference of the server's ORB
    acting.other = IDL::traits<Desk::Clerk>::narrow(
        orbs.server->string_to_object(orbs.client->object_to_string(acting.other)));
  WayCall call(orbs, way);
  const bool arrives = point != "send_request" || act == Act::call_back || act == Act::forward;
  CHECK(call.run(arrives) == expected(way, point, act));
  CHECK(acting.is_done);
  if (act == Act::call_back) CHECK(acting.called_back == 9);
  orbs.client->destroy();  // returns after the last points have run
  orbs.server->destroy();
  check_balance(orbs.log);
  acting.other.reset();
}

}  // namespace

TEST_CASE("interceptors act at each point, and each starting point gets one ending point") {
  for (std::size_t index = 0; index < way_count; ++index) {
    const Way way{static_cast<std::uint8_t>(index)};
    for (const std::string& point : points_of(way))
      for (const Act act : acts) {
        CAPTURE(way_names[index]);
        CAPTURE(point);
        CAPTURE(act_names[static_cast<std::size_t>(act)]);
        act_at(way, point, act);
      }
  }
}

}  // namespace perigee::test
