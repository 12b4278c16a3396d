// Connections and messages in the log.
#include "orb/fixture.h"
#include "support/log_lines.h"
#include <perigee/base/log.h>

#include <doctest/doctest.h>

namespace perigee::test {

namespace {

void exchange_messages() {
  Fixture fixture;
  fixture.peer("a",
               reply_with_exception("IDL:omg.org/CORBA/NO_PERMISSION:1.0", 0, CORBA::COMPLETED_NO));
  CHECK_THROWS_AS(ping(fixture.object({"a"})), CORBA::NO_PERMISSION);
}

}  // namespace

TEST_CASE("at level debug the log shows connections and the headers of messages") {
  LogLines lines(log::Level::debug);
  exchange_messages();
  CHECK(lines.have("connection: test://peer opened"));
  CHECK(lines.have("message: sent to test://peer: GIOP 1.2 Request"));
  CHECK(lines.have("'ping' to key, contexts"));
  CHECK(lines.have("received from test://peer: GIOP 1.2 Reply"));
  CHECK(lines.have("SYSTEM_EXCEPTION 'IDL:omg.org/CORBA/NO_PERMISSION:1.0'"));
  CHECK(lines.have("connection: test://peer ended"));
  CHECK(!lines.have("47 49 4f 50"));
}

TEST_CASE("names from peers are quoted and cut, so that they cannot forge lines of the log") {
  LogLines lines(log::Level::debug);
  Fixture fixture;
  fixture.peer("a", reply_with_exception("IDL:X:1.0\n[error] forged", 0, CORBA::COMPLETED_NO));
  const auto object = fixture.object({"a"});
  const std::string name = "op'\n[error] forged" + std::string(1000, 'x');
  const stub::Operation operation{name, stub::Operation::Kind::twoway, {}};
  CHECK_THROWS_AS(stub::invoke(*object, operation, nullptr, nullptr), CORBA::SystemException);
  CHECK(lines.have("SYSTEM_EXCEPTION 'IDL:X:1.0\\n[error] forged'"));
  CHECK(lines.have("'op\\'\\n[error] forgedxxx"));
  CHECK(lines.have("xxx'... to key"));
  CHECK(!lines.have("\n[error]"));
}

TEST_CASE("at level trace the log shows the octets of messages") {
  LogLines lines(log::Level::trace);
  exchange_messages();
  CHECK(lines.have("0000  47 49 4f 50 01 02"));
  CHECK(lines.have("GIOP.."));
}

TEST_CASE("at other levels the log shows neither connections nor messages") {
  LogLines lines(log::Level::info);
  exchange_messages();
  CHECK(!lines.have("ping"));
  CHECK(!lines.have("opened"));
}

}  // namespace perigee::test
