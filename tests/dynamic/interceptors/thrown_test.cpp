// Interceptors that throw and forward at each point.
#include "desk.h"

namespace perigee::test {

namespace {

constexpr std::uint32_t thrown_minor = 99;

void throw_no_resources() { throw CORBA::NO_RESOURCES(thrown_minor, CORBA::COMPLETED_NO); }

std::string outcome_of(const ClerkRef& clerk, std::int32_t value) {
  try {
    return std::to_string(clerk->twice(value));
  } catch (const Desk::Refused&) {
    return "Refused";
  } catch (const CORBA::SystemException& exception) {
    return exception._name() + (" " + std::to_string(exception.minor()));
  }
}

Lines lines_of(const Log& log, const std::string& side) {
  Lines lines;
  for (const std::string& line : log.lines())
    if (line.starts_with(side)) lines.push_back(line.substr(0, line.rfind(' ')));
  return lines;
}

}  // namespace

TEST_CASE("an exception at a client point replaces the outcome for the other interceptors") {
  struct Row {
    const char* point;
    std::int32_t value;
    Lines lines;
  };
  const Row rows[] = {
      {"send_request",
       1,
       {"client 1 send_request", "client 2 send_request", "client 1 receive_exception"}},
      {"receive_reply",
       1,
       {"client 1 send_request", "client 2 send_request", "client 2 receive_reply",
        "client 1 receive_exception"}},
      {"receive_exception",
       -1,
       {"client 1 send_request", "client 2 send_request", "client 2 receive_exception",
        "client 1 receive_exception"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.point);
    std::string seen;
    DeskOrbs orbs(
        {.clients = {{{"receive_exception",
                       [&](const ClientInfoRef& info) { seen = info->received_exception_id(); }}},
                     {{row.point, [](const ClientInfoRef&) { throw_no_resources(); }}}}});
    CHECK(outcome_of(orbs.clerk, row.value) == "NO_RESOURCES 99");
    CHECK(lines_of(orbs.log, "client") == row.lines);
    CHECK(seen == "IDL:omg.org/CORBA/NO_RESOURCES:1.0");
  }
}

TEST_CASE("an exception at a server point becomes the reply, which the other interceptors see") {
  struct Row {
    const char* point;
    std::int32_t value;
    Lines lines;
  };
  const Row rows[] = {
      {"receive_request_service_contexts",
       1,
       {"server 1 receive_request_service_contexts", "server 2 receive_request_service_contexts",
        "server 1 send_exception"}},
      {"receive_request",
       1,
       {"server 1 receive_request_service_contexts", "server 2 receive_request_service_contexts",
        "server 1 receive_request", "server 2 receive_request", "server 2 send_exception",
        "server 1 send_exception"}},
      {"send_reply",
       1,
       {"server 1 receive_request_service_contexts", "server 2 receive_request_service_contexts",
        "server 1 receive_request", "server 2 receive_request", "server 2 send_reply",
        "server 1 send_exception"}},
      {"send_exception",
       -1,
       {"server 1 receive_request_service_contexts", "server 2 receive_request_service_contexts",
        "server 1 receive_request", "server 2 receive_request", "server 2 send_exception",
        "server 1 send_exception"}},
  };
  for (const Kind kind : {Kind::plain, Kind::deferred, Kind::coroutine})
    for (const Row& row : rows) {
      CAPTURE(row.point);
      DeskOrbs orbs(
          {.servers = {{}, {{row.point, [](const ServerInfoRef&) { throw_no_resources(); }}}}},
          kind);
      CHECK(outcome_of(orbs.clerk, row.value) == "NO_RESOURCES 99");
      CHECK(lines_of(orbs.log, "server") == row.lines);
      CHECK(outcome_of(orbs.local_clerk, row.value) == "NO_RESOURCES 99");
    }
}

TEST_CASE("a foreign exception of an interceptor becomes UNKNOWN") {
  DeskOrbs client({.clients = {{{"send_request", [](const ClientInfoRef&) { throw 1; }}}}});
  CHECK(outcome_of(client.clerk, 1) == "UNKNOWN 0");
  DeskOrbs server({.servers = {{{"receive_request", [](const ServerInfoRef&) { throw 1; }}}}});
  CHECK(outcome_of(server.clerk, 1) == "UNKNOWN 0");
}

TEST_CASE("a client interceptor forwards a call to another object") {
  for (const char* const point : {"send_request", "receive_exception"}) {
    CAPTURE(point);
    ClerkRef other;
    bool forwards = true;
    DeskOrbs orbs({.clients = {{{point, [&](const ClientInfoRef&) {
                                   if (std::exchange(forwards, false))
                                     throw PortableInterceptor::ForwardRequest(other);
                                 }}}}});
    other = orbs.serve(make_clerk(Kind::coroutine, orbs.noted));
    const auto gone = orbs.serve(make_clerk(Kind::plain, orbs.noted));
    orbs.poa->deactivate_object(orbs.poa->reference_to_id(
        orbs.server->string_to_object(orbs.client->object_to_string(gone))));
    CHECK(gone->twice(4) == 8);
    const auto lines = lines_of(orbs.log, "client");
    CHECK(lines.back() == "client 1 receive_reply");
    CHECK_FALSE(forwards);
    CHECK(orbs.clerk->_async().twice(4).get() == 8);
  }
}

TEST_CASE("a server interceptor forwards a request, and the client sees a location forward") {
  for (const char* const point : {"receive_request_service_contexts", "receive_request"}) {
    CAPTURE(point);
    CORBA::object_reference<CORBA::Object> other;
    bool forwards = true;
    DeskOrbs orbs({.servers = {{}, {{point, [&](const ServerInfoRef&) {
                                       if (std::exchange(forwards, false))
                                         throw PortableInterceptor::ForwardRequest(other);
                                     }}}}});
    other = orbs.serve(make_clerk(Kind::plain, orbs.noted));
    CHECK(orbs.clerk->twice(5) == 10);
    CHECK(lines_of(orbs.log, "client") == Lines{"client 1 send_request", "client 1 receive_other",
                                                "client 1 send_request", "client 1 receive_reply"});
    const auto lines = lines_of(orbs.log, "server");
    CHECK(std::ranges::count(lines, "server 1 send_other") == 1);
    CHECK(std::ranges::count(lines, "server 1 send_reply") == 1);
  }
}

TEST_CASE("interceptors that forward for ever end with TRANSIENT") {
  ClerkRef itself;
  DeskOrbs orbs({.clients = {{{"send_request", [&](const ClientInfoRef&) {
                                 throw PortableInterceptor::ForwardRequest(itself);
                               }}}}});
  itself = orbs.clerk;
  CHECK(outcome_of(orbs.clerk, 1).starts_with("TRANSIENT"));
  CHECK_THROWS_AS((void)orbs.clerk->_async().twice(1).get(), CORBA::TRANSIENT);
}

TEST_CASE("a forward to nil becomes INV_OBJREF") {
  DeskOrbs orbs({.clients = {{{"send_request", [](const ClientInfoRef&) {
                                 throw PortableInterceptor::ForwardRequest(nullptr);
                               }}}}});
  CHECK(outcome_of(orbs.clerk, 1).starts_with("INV_OBJREF"));
}

TEST_CASE("an interceptor calls another object, and that call is intercepted too") {
  ClerkRef other;
  DeskOrbs orbs({.clients = {{{"send_request", [&](const ClientInfoRef& info) {
                                 const auto called = std::exchange(other, nullptr);
                                 if (called) CHECK(called->twice(3) == 6);
                                 CHECK(info->operation() == "twice");
                               }}}}});
  other = orbs.serve(make_clerk(Kind::plain, orbs.noted));
  CHECK(orbs.clerk->twice(5) == 10);
  CHECK(lines_of(orbs.log, "client") == Lines{"client 1 send_request", "client 1 send_request",
                                              "client 1 receive_reply", "client 1 receive_reply"});
}

TEST_CASE("a call that cannot connect ends at receive_exception") {
  DeskOrbs orbs;
  const auto nowhere =
      IDL::traits<Desk::Clerk>::narrow(IDL::traits<Desk::Clerk>::narrow(orbs.clerk));
  const auto text = orbs.client->object_to_string(nowhere);
  orbs.server->shutdown(true);
  orbs.log.clear();
  const auto outcome = outcome_of(orbs.clerk, 1);
  CHECK(outcome.starts_with("TRANSIENT"));
  const auto lines = lines_of(orbs.log, "client");
  CHECK(lines.front() == "client 1 send_request");
  CHECK(lines.back() == "client 1 receive_exception");
}

}  // namespace perigee::test
