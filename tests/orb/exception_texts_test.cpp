// The texts of exceptions at the client: the server's own text, the object key, names and limits.
#include "orb/async/observers.h"
#include "orb/fixture.h"
#include "support/octets.h"
#include <perigee/iop/exception_detail.h>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::test {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Answers with a system exception and a service context.
OnMessage reply_with_context(const char* repository_id, iop::ServiceContext context) {
  return [=](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    giop_session().begin_reply(encoder, message.version,
                               {.request_id = request->header.request_id,
                                .status = ReplyStatus::system_exception,
                                .contexts = {&context, 1}},
                               messaging::Body::present);
    encoder.write_string(repository_id);
    encoder.write(std::uint32_t{7});
    encoder.write_enum(static_cast<std::uint32_t>(CORBA::COMPLETED_NO));
    giop_session().finish(encoder);
    transport.deliver(buffer);
  };
}

constexpr const char* no_permission = "IDL:omg.org/CORBA/NO_PERMISSION:1.0";
constexpr const char* object_not_exist = "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0";

}  // namespace

TEST_CASE("what() has the text that the server sends with a system exception") {
  const Octets data = iop::encode_exception_detail("only for brokers");
  Fixture fixture;
  fixture.peer("peer", reply_with_context(no_permission, {14, data}));
  const auto object = fixture.object({"peer"});
  CHECK(std::string(caught<CORBA::NO_PERMISSION>([&] { ping(object); }).what()) ==
        "NO_PERMISSION, minor 7, COMPLETED_NO: raised by the server: only for brokers");
}

TEST_CASE("what() of an asynchronous call has the text of the server, too") {
  const Octets data = iop::encode_exception_detail("only for brokers");
  Fixture fixture;
  fixture.peer("peer", reply_with_context(no_permission, {14, data}));
  Observed observed;
  stub::CallHandle call = stub::send(*fixture.object({"peer"}), ping_operation, {}, observed);
  call.wait();
  CHECK(observed.failure<CORBA::NO_PERMISSION>().detail() ==
        "raised by the server: only for brokers");
}

TEST_CASE("a text that does not decode, or of another service context, is ignored") {
  const Octets text = iop::encode_exception_detail("text");
  const Octets cut(text.begin(), text.end() - 1);
  Fixture fixture;
  fixture.peer("cut", reply_with_context(no_permission, {14, cut}));
  fixture.peer("other", reply_with_context(no_permission, {15, text}));
  for (const char* address : {"cut", "other"}) {
    const auto object = fixture.object({address});
    CHECK(caught<CORBA::NO_PERMISSION>([&] { ping(object); }).detail() == "raised by the server");
  }
}

TEST_CASE("OBJECT_NOT_EXIST names the object key if the server sends no text") {
  Fixture fixture;
  fixture.peer("peer", reply_with_exception(object_not_exist, 0, CORBA::COMPLETED_NO));
  const auto object = fixture.object({"peer"});
  CHECK(caught<CORBA::OBJECT_NOT_EXIST>([&] { ping(object); }).detail() ==
        "raised by the server: the object key of the request is 'key'");
}

TEST_CASE("a long object key is cut in texts, and other octets than text are escaped") {
  CHECK(orb::key_text(octets_of(std::string_view("Bank/\x01"))) == "'Bank/%01'");
  const std::string text = orb::key_text(Octets(1000, std::byte{'k'}));
  CHECK(text == "'" + std::string(64, 'k') + "...'");
}

TEST_CASE("InvalidName tells the name, and the option that defines it") {
  Fixture fixture;
  CHECK(contains(caught<CORBA::InvalidName>([&] {
                   (void)fixture.core().resolve_initial_reference("Bank");
                 }).what(),
                 "InvalidName:1.0: no initial reference is named 'Bank'; '-ORBInitRef "
                 "Bank=<reference>' names one"));
  // This core has no server.
  CHECK(contains(caught<CORBA::InvalidName>([&] {
                   (void)fixture.core().resolve_initial_reference("RootPOA");
                 }).what(),
                 "RootPOA needs libperigee_server: link the program with Perigee::perigee"));
  const auto object = fixture.object({"peer"});
  fixture.core().register_initial_reference("Bank", object);
  CHECK(contains(caught<CORBA::InvalidName>([&] {
                   fixture.core().register_initial_reference("Bank", object);
                 }).what(),
                 "'Bank' already"));
}

TEST_CASE("tells_of_call recognises the texts of failed calls") {
  Fixture fixture;
  const auto object = fixture.object({"nowhere"});
  const std::string text = caught<CORBA::TRANSIENT>([&] { ping(object); }).detail();
  CAPTURE(text);
  CHECK(orb::tells_of_call(text));
  CHECK_FALSE(orb::tells_of_call("connecting people"));
  CHECK_FALSE(orb::tells_of_call(""));
}

TEST_CASE("IMP_LIMIT for a request names the option, its value and the size") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  const std::vector<char> text(64u << 20, 'x');
  const auto call = [&] {
    stub::invoke(
        *object, ping_operation,
        [&](cdr::Encoder& encoder) { encoder.write_array(std::span<const char>(text)); }, nullptr);
  };
  const std::string what = caught<CORBA::IMP_LIMIT>(call).what();
  CAPTURE(what);
  CHECK(contains(what, "encoding: the request has 671089"));
  CHECK(contains(what, " octets; -ORBMessageSizeMax allows 67108864"));
}

TEST_CASE("COMM_FAILURE for a reply that is too large names the option, its value and the size") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage&) {
    transport.deliver(octets('G', 'I', 'O', 'P', 1, 2, 1, 1,  // a Reply
                             0, 0, 0, 5,                      // of 80 MiB and its header
                             0, 0, 0, 0));
  });
  const auto object = fixture.object({"peer"});
  const std::string what = caught<CORBA::COMM_FAILURE>([&] { ping(object); }).what();
  CAPTURE(what);
  CHECK(contains(what,
                 "the server has sent a message of 83886092 octets or more; "
                 "-ORBMessageSizeMax allows 67108864"));
}

TEST_CASE("COMM_FAILURE after MessageError tells the size of the request") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage&) {
    transport.deliver(octets('G', 'I', 'O', 'P', 1, 2, 1, 6, 0, 0, 0, 0));
  });
  const auto object = fixture.object({"peer"});
  const std::string what = caught<CORBA::COMM_FAILURE>([&] { (void)echo(object, 1); }).what();
  CAPTURE(what);
  CHECK(contains(what, "answered MessageError; the request has "));
  CHECK(contains(what, "(its -ORBMessageSizeMax)"));
}

}  // namespace perigee::test
