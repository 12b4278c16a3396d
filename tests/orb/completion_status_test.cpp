// The completion status of failed calls, and interop facts 19, 21 and 22 of docs/interop.md: one
// test for each case.
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <thread>

namespace perigee::test {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_NO;
using CORBA::COMPLETED_YES;

namespace {
constexpr std::uint32_t no_usable_profile = CORBA::OMGVMCID | 2;
constexpr std::size_t part_of_a_request = 20;  // octets
}  // namespace

TEST_CASE(
    "a refused connection raises TRANSIENT, OMG minor 2, COMPLETED_NO, and names the endpoint") {
  Fixture fixture;
  const auto object = fixture.object({"nobody"});
  const auto exception = caught<CORBA::TRANSIENT>([&] { ping(object); });
  CHECK(exception.minor() == no_usable_profile);
  CHECK(exception.completed() == COMPLETED_NO);
  CHECK(exception.detail().find("test://nobody") != std::string::npos);
  CHECK(exception.detail().find("Connection refused") != std::string::npos);
}

TEST_CASE("a reference without a usable profile raises TRANSIENT, OMG minor 2, COMPLETED_NO") {
  Fixture fixture;
  const auto object = fixture.core().make_object({"IDL:Test:1.0", {{4711, Octets(8)}}});
  const auto exception = caught<CORBA::TRANSIENT>([&] { ping(object); });
  CHECK(exception.minor() == no_usable_profile);
  CHECK(exception.completed() == COMPLETED_NO);
}

TEST_CASE("a send that breaks before the last octet is COMPLETED_NO") {
  Fixture fixture;
  fixture.protocol().add("peer", {.accepts_max = part_of_a_request});
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_NO);
  CHECK(fixture.counts("peer").connects == 1);  // a new connection was not stale: no second try
}

TEST_CASE("a call whose send breaks before the last octet continues at the next profile") {
  Fixture fixture;
  fixture.protocol().add("first", {.accepts_max = part_of_a_request});
  fixture.peer("second", reply_with_long(7));
  CHECK(echo(fixture.object({"first", "second"})) == 7);
}

TEST_CASE("a send that breaks on a re-used connection is retried once on a new connection") {
  Fixture fixture;
  fixture.protocol().add("peer", {.accepts_max = 60, .on_message = reply_with_nothing()});
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  ping(object);
  ping(object);  // exceeds the 60 octets that the transport takes
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE(
    "a connection that ends after the request was sent raises COMM_FAILURE, COMPLETED_MAYBE") {
  Fixture fixture;
  fixture.peer("first", [](ScriptedTransport& transport, const IncomingMessage&) {
    transport.end_of_stream();
  });
  fixture.peer("second", reply_with_nothing());
  const auto object = fixture.object({"first", "second"});
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
  CHECK(fixture.counts("second").connects == 0);  // never retried
}

TEST_CASE("a connection that is reset on re-use after a whole request is COMPLETED_MAYBE") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  fixture.peer("peer", [calls](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1) return send_reply(transport, message, ReplyStatus::no_exception);
    transport.reset();
  });
  const auto object = fixture.object({"peer"});
  ping(object);
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("CloseConnection instead of a reply means not executed: retried on a new connection") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  fixture.peer("peer", [calls](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++*calls == 1) return send_reply(transport, message, ReplyStatus::no_exception);
    send_close_connection(transport);
  });
  fixture.peer("peer", reply_with_long(5));
  const auto object = fixture.object({"peer"});
  ping(object);
  CHECK(echo(object) == 5);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("a call to a server that always closes its connections raises TRANSIENT, COMPLETED_NO") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage&) {
    send_close_connection(transport);
  });
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::TRANSIENT>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_NO);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE(
    "CloseConnection after the first fragment of a reply raises COMM_FAILURE, COMPLETED_MAYBE") {
  Fixture fixture;
  auto calls = std::make_shared<int>(0);
  fixture.peer("peer", [calls](ScriptedTransport& transport, const IncomingMessage& message) {
    ++*calls;
    send_first_fragment(transport, message);
    send_close_connection(transport);
  });
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
  CHECK(*calls == 1);  // the server has executed the request: no second try
}

TEST_CASE("CloseConnection after a fragment of another call's reply means not executed") {
  orb::Settings settings;
  settings.connections_per_endpoint_max = 1;
  settings.first_reply_timeout = std::chrono::milliseconds::zero();
  Fixture fixture(settings);
  std::atomic<bool> cut_reply = false;
  fixture.protocol().add("peer", {.on_message = [&cut_reply](ScriptedTransport& transport,
                                                             const IncomingMessage& message) {
                           messaging::ContextStorage contexts;
                           const auto request = giop_session().parse_request(message, contexts);
                           if (request->header.operation != "ping")
                             return send_close_connection(transport);
                           send_first_fragment(transport, message);
                           cut_reply = true;
                         }});
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  constexpr stub::Operation pong{"pong", stub::Operation::Kind::twoway, {}};
  auto cut = std::async(std::launch::async, [&] {
    return caught<CORBA::COMM_FAILURE>([&] { ping(object); }).completed();
  });
  while (!cut_reply) std::this_thread::yield();
  stub::invoke(*object, pong, nullptr, nullptr);
  CHECK(cut.get() == COMPLETED_MAYBE);
}

TEST_CASE(
    "a call to a peer that never replies raises TIMEOUT, COMPLETED_MAYBE on a new connection") {
  Fixture fixture;
  fixture.peer("peer", {});
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::TIMEOUT>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
}

TEST_CASE("MessageError instead of a reply raises COMM_FAILURE, COMPLETED_MAYBE") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage&) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    giop_session().encode_message_error(encoder, {1, 2});
    transport.deliver(buffer);
  });
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
}

TEST_CASE(
    "a malformed message raises COMM_FAILURE, COMPLETED_MAYBE, and the text says what is wrong") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport& transport, const IncomingMessage&) {
    transport.deliver(octets_of(std::string_view("HTTP/1.1 400 Bad Request")));
  });
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::COMM_FAILURE>([&] { ping(object); });
  CHECK(exception.completed() == COMPLETED_MAYBE);
  CHECK(exception.detail().find("a malformed message") != std::string::npos);
}

TEST_CASE("a system exception in the reply keeps its minor code and completion status") {
  Fixture fixture;
  fixture.peer("peer",
               reply_with_exception("IDL:omg.org/CORBA/NO_RESOURCES:1.0", 4711, COMPLETED_MAYBE));
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::NO_RESOURCES>([&] { ping(object); });
  CHECK(exception.minor() == 4711);
  CHECK(exception.completed() == COMPLETED_MAYBE);
}

TEST_CASE("a system exception that CORBA does not know becomes UNKNOWN, OMG minor 2") {
  Fixture fixture;
  fixture.peer("peer", reply_with_exception("IDL:omg.org/CORBA/NEW_ONE:1.0", 1, COMPLETED_NO));
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::UNKNOWN>([&] { ping(object); });
  CHECK(exception.minor() == (CORBA::OMGVMCID | 2));
  CHECK(exception.completed() == COMPLETED_NO);
}

TEST_CASE("a user exception that the operation does not list becomes UNKNOWN, OMG minor 1") {
  Fixture fixture;
  fixture.peer("peer", reply_with(ReplyStatus::user_exception, [](cdr::Encoder& encoder) {
                 encoder.write_string("IDL:Unlisted:1.0");
               }));
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::UNKNOWN>([&] { ping(object); });
  CHECK(exception.minor() == (CORBA::OMGVMCID | 1));
  CHECK(exception.completed() == COMPLETED_YES);
}

TEST_CASE("results that do not decode raise MARSHAL, COMPLETED_YES, and the connection stays") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  const auto exception = caught<CORBA::MARSHAL>([&] { (void)echo(object); });
  CHECK(exception.completed() == COMPLETED_YES);
  ping(object);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("arguments that do not encode are COMPLETED_NO, and nothing is sent") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  const auto call = [&] {
    stub::invoke(
        *object, ping_operation,
        [](cdr::Encoder& encoder) { encoder.write_string(std::string_view("a\0b", 3)); }, nullptr);
  };
  CHECK(caught<CORBA::BAD_PARAM>(call).completed() == COMPLETED_NO);
  CHECK(fixture.counts("peer").sends == 0);
}

TEST_CASE(
    "a call to a server that needs another addressing mode raises NO_IMPLEMENT, COMPLETED_NO") {
  Fixture fixture;
  fixture.peer("peer", reply_with(ReplyStatus::needs_addressing_mode,
                                  [](cdr::Encoder& encoder) { encoder.write(std::int16_t{2}); }));
  const auto object = fixture.object({"peer"});
  CHECK(caught<CORBA::NO_IMPLEMENT>([&] { ping(object); }).completed() == COMPLETED_NO);
}

TEST_CASE("after shutdown, calls raise BAD_INV_ORDER, OMG minor 4") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const auto object = fixture.object({"peer"});
  fixture.core().shutdown(orb::Completion::wait);
  const auto exception = caught<CORBA::BAD_INV_ORDER>([&] { ping(object); });
  CHECK(exception.minor() == (CORBA::OMGVMCID | 4));
}

}  // namespace perigee::test
