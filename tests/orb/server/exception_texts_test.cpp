// The texts of exceptions that a server sends, as -ORBSendDetails says.
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <stdexcept>
#include <string>

using namespace perigee;
using namespace perigee::test;

namespace {

using CORBA::COMPLETED_NO;
using ObjectRef = CORBA::object_reference<CORBA::Object>;
using orb::SentDetails;

constexpr stub::Operation act_operation{"act", stub::Operation::Kind::twoway, {}};

class NotDeclared final : public CORBA::UserException {
 public:
  [[nodiscard]] const char* _rep_id() const noexcept override { return "IDL:Test/Mine:1.0"; }
  [[nodiscard]] const char* _name() const noexcept override { return "Mine"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder&) const override {}
};

void raise_own(orb::ServerRequest&) {
  throw CORBA::NO_PERMISSION(7, COMPLETED_NO, "only for brokers");
}
void raise_of_call(orb::ServerRequest&) {
  throw CORBA::TRANSIENT(2, COMPLETED_NO, "connecting: connect to iiop://10.0.0.7:1: refused");
}
void raise_passed_on(orb::ServerRequest&) {
  throw CORBA::NO_PERMISSION(7, COMPLETED_NO, "raised by the server: inner text");
}
void raise_foreign(orb::ServerRequest&) { throw std::runtime_error("password: secret"); }
void raise_not_declared(orb::ServerRequest&) { throw NotDeclared(); }

const std::string from_server = "raised by the server";
const std::string undeclared =
    ": the servant has thrown an exception that the operation does not declare";

/// A server whose servant raises, and a client in another ORB.
class Raising {
 public:
  Raising(SentDetails details, ActingServant::Action action)
      : server_(settings(details), std::move(action)),
        object_(client_.core().make_object(server_.object->_reference()->ior())) {}

  /// The text of the exception that the client gets.
  [[nodiscard]] std::string text() const {
    try {
      stub::invoke(*object_, act_operation, nullptr, nullptr);
    } catch (const CORBA::SystemException& exception) {
      return exception.detail();
    }
    return "nothing was thrown";
  }
  [[nodiscard]] const ServerFixture& server() const { return server_; }

 private:
  static orb::Settings settings(SentDetails details) {
    orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
    settings.sent_details = details;
    return settings;
  }

  ServerFixture server_;
  TestOrb client_;
  ObjectRef object_;
};

}  // namespace

TEST_CASE("by default a client gets the texts that the server has written itself") {
  CHECK(orb::Settings().sent_details == SentDetails::own);
  CHECK(Raising(SentDetails::own, raise_own).text() == from_server + ": only for brokers");
  CHECK(Raising(SentDetails::own, raise_of_call).text() == from_server);
  CHECK(Raising(SentDetails::own, raise_passed_on).text() == from_server);
  CHECK(Raising(SentDetails::own, raise_foreign).text() == from_server + undeclared);
  CHECK(Raising(SentDetails::own, raise_not_declared).text() == from_server + undeclared);
}

TEST_CASE("with -ORBSendDetails all, a client gets every text") {
  CHECK(Raising(SentDetails::all, raise_own).text() == from_server + ": only for brokers");
  CHECK(Raising(SentDetails::all, raise_of_call).text() ==
        from_server + ": connecting: connect to iiop://10.0.0.7:1: refused");
  CHECK(Raising(SentDetails::all, raise_passed_on).text() ==
        from_server + ": raised by the server: inner text");
  CHECK(Raising(SentDetails::all, raise_foreign).text() ==
        from_server + undeclared + ": password: secret");
  CHECK(Raising(SentDetails::all, raise_not_declared).text() ==
        from_server + undeclared + ": IDL:Test/Mine:1.0");
}

TEST_CASE("with -ORBSendDetails no, replies have no text") {
  CHECK(Raising(SentDetails::none, raise_own).text() == from_server);
  CHECK(Raising(SentDetails::none, raise_not_declared).text() == from_server);
}

TEST_CASE("only replies with system exceptions have the service context") {
  const ServerFixture server(ThreadStrategy::thread_per_connection, add_one);
  RawClient client(server.endpoint);
  const RawReply result = client.call({.key = server.key, .argument = 41});
  CHECK(result.contexts() == 0);
  CHECK(result.result() == 42);
  CHECK(result.message.size() == 28);
  const RawReply missing = client.call({.key = octets('n', 'o')});
  CHECK(missing.contexts() == 1);
  CHECK(missing.ulong(24) == 14);  // ExceptionDetailMessage
}

TEST_CASE("the service context is sent in every version of GIOP") {
  const Raising raising(SentDetails::own, raise_own);
  for (const unsigned minor : {0U, 1U, 2U}) {
    RawClient client(raising.server().endpoint);
    const RawReply reply = client.call({.key = raising.server().key, .minor = minor});
    CHECK(reply.minor() == minor);
    CHECK(reply.contexts() == 1);
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  }
}

TEST_CASE("a text for which the reply has no room is left out") {
  TestParts parts{.settings = server_settings(ThreadStrategy::thread_per_connection)};
  parts.limits.message_size_max = 200;
  const ServerFixture server(std::move(parts), [](orb::ServerRequest&) {
    throw CORBA::NO_PERMISSION(7, COMPLETED_NO, std::string(200, 'x'));
  });
  RawClient client(server.endpoint);
  const RawReply reply = client.call({.key = server.key});
  CHECK(reply.contexts() == 0);
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

TEST_CASE("a collocated call gets every text") {
  const Raising raising(SentDetails::none, raise_foreign);
  try {
    stub::invoke(*raising.server().object, act_operation, nullptr, nullptr);
    FAIL("nothing was thrown");
  } catch (const CORBA::UNKNOWN& exception) {
    CHECK(exception.detail() == from_server + undeclared + ": password: secret");
  }
}

TEST_CASE("OBJECT_NOT_EXIST names the key, and says why there is no object") {
  const ServerFixture server(ThreadStrategy::thread_per_connection);
  const TestOrb client;
  const auto text_for = [&](OctetSpan key) -> std::string {
    iop::Ior ior{
        "",
        {client.core().protocols().find("iiop")->make_profile(server.endpoint, {1, 2, key, {}})}};
    try {
      stub::invoke(*client.core().make_object(std::move(ior)), act_operation, nullptr, nullptr);
    } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
      return exception.detail();
    }
    return "nothing was thrown";
  };
  CHECK(text_for(octets('B', 'a', 'n', 'k')) == from_server + ": no POA here has the key 'Bank'");
  Octets of_other_run = server.key;
  of_other_run[1] ^= std::byte{1};
  CHECK(text_for(of_other_run).ends_with("belongs to another server, or to one that has ended"));
  const Octets gone = server.key;
  server.orb.root()->deactivate_object(server.orb.root()->reference_to_id(server.object));
  CHECK(text_for(gone).starts_with(from_server + ": no object is active with the key '%f1"));
}
