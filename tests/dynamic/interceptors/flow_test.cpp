// The interception points of each kind of call, in their order.
#include "desk.h"
#include "outcome.h"
#include <perigee/async/call.h>

#include <chrono>
#include <future>

namespace perigee::test {

namespace {

enum class Way : std::uint8_t { blocking, handler, task, collocated };

std::int32_t call_twice(DeskOrbs& orbs, Way way, std::int32_t value) {
  switch (way) {
    case Way::blocking:
      return orbs.clerk->twice(value);
    case Way::collocated:
      return orbs.local_clerk->twice(value);
    case Way::task:
      return orbs.clerk->_async().twice(value).get();
    case Way::handler:
      break;
  }
  const auto outcome = CORBA::make_reference<Outcome>();
  CORBA::amic_traits<Desk::Clerk>::narrow(orbs.clerk)->sendc_twice(outcome, value);
  auto result = static_cast<Outcome&>(*outcome).get_future();
  while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    orbs.client->perform_work(std::chrono::milliseconds(10));
  return result.get();
}

Lines points(std::initializer_list<const char*> names) {
  Lines lines;
  for (const std::string name : names) lines.push_back(name + " twice");
  return lines;
}

/// What the caller sees of a call.
std::string outcome_of(DeskOrbs& orbs, Way way, std::int32_t value) {
  try {
    return std::to_string(call_twice(orbs, way, value));
  } catch (const Desk::Refused& refused) {
    return "Refused " + refused.reason();
  } catch (const CORBA::SystemException& exception) {
    return exception._name() + (" " + std::to_string(exception.minor()));
  }
}

constexpr Way ways[] = {Way::blocking, Way::handler, Way::task, Way::collocated};
constexpr Kind kinds[] = {Kind::plain, Kind::deferred, Kind::coroutine};

}  // namespace

TEST_CASE("each kind of call passes the points of results and exceptions in the standard order") {
  struct Row {
    std::int32_t value;
    const char* outcome;
    const char* server_end;
    const char* client_end;
  };
  const Row rows[] = {{21, "42", "send_reply", "receive_reply"},
                      {-1, "Refused negative", "send_exception", "receive_exception"},
                      {forbidden, "NO_PERMISSION 7", "send_exception", "receive_exception"}};
  for (const Kind kind : kinds) {
    DeskOrbs orbs({}, kind);
    for (const Way way : ways)
      for (const Row& row : rows) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(static_cast<int>(way));
        CAPTURE(row.value);
        orbs.log.clear();
        CHECK(outcome_of(orbs, way, row.value) == row.outcome);
        const std::string server_end = std::string("server 1 ") + row.server_end;
        const std::string client_end = std::string("client 1 ") + row.client_end;
        CHECK(orbs.log.lines() ==
              points({"client 1 send_request", "server 1 receive_request_service_contexts",
                      "server 1 receive_request", server_end.c_str(), client_end.c_str()}));
      }
  }
}

TEST_CASE("a oneway ends at receive_other and send_other") {
  for (const Kind kind : kinds) {
    DeskOrbs orbs({}, kind);
    orbs.clerk->note(1);
    orbs.await_notes(1);
    CHECK(orbs.clerk->twice(1) == 2);  // the oneway has ended on the server
    Lines client;
    Lines server;
    for (const std::string& line : orbs.log.lines())
      if (line.ends_with(" note")) (line.starts_with("client") ? client : server).push_back(line);
    CHECK(client == Lines{"client 1 send_request note", "client 1 receive_other note"});
    CHECK(server == Lines{"server 1 receive_request_service_contexts note",
                          "server 1 receive_request note", "server 1 send_other note"});
  }
}

TEST_CASE("the ending points of two interceptors run in reverse order") {
  DeskOrbs orbs({.clients = {{}, {}}, .servers = {{}, {}}});
  CHECK(orbs.clerk->twice(2) == 4);
  CHECK(orbs.log.lines() == Lines{"client 1 send_request twice", "client 2 send_request twice",
                                  "server 1 receive_request_service_contexts twice",
                                  "server 2 receive_request_service_contexts twice",
                                  "server 1 receive_request twice",
                                  "server 2 receive_request twice", "server 2 send_reply twice",
                                  "server 1 send_reply twice", "client 2 receive_reply twice",
                                  "client 1 receive_reply twice"});
}

}  // namespace perigee::test
