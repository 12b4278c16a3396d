// The errors at both sides when a message exceeds a limit. They name the limit, its option, its
// value and the size.
#include "orb/server/deferred_replies.h"
#include "orb/server/server_fixture.h"
#include "support/log_lines.h"
#include <perigee/orb/stub.h>
#include <perigee/poa/stop_token.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

constexpr stub::Operation act_operation{"act", stub::Operation::Kind::twoway, {}};
constexpr stub::Operation tell_operation{"tell", stub::Operation::Kind::oneway, {}};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TestParts limited_to(std::uint32_t size, ThreadStrategy strategy) {
  TestParts parts{.settings = server_settings(strategy)};
  parts.limits.message_size_max = size;
  return parts;
}

ObjectRef seen_by(const TestOrb& client, const ServerFixture& server) {
  return client.core().make_object(server.object->_reference()->ior());
}

void call(const ObjectRef& object, std::size_t size,
          const stub::Operation& operation = act_operation) {
  const std::vector<char> text(size, 'x');
  stub::invoke(
      *object, operation,
      [&](cdr::Encoder& encoder) { encoder.write_array(std::span<const char>(text)); }, nullptr);
}

template <typename Exception>
std::string text_of(auto&& call) {
  try {
    call();
  } catch (const Exception& exception) {
    return exception.what();
  }
  FAIL("nothing was thrown");
  return {};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t place = 0; (place = text.find(part, place)) != text.npos; ++place) ++times;
  return times;
}

}  // namespace

TEST_CASE("a request that is too large gets the reply IMP_LIMIT, which names the limit") {
  const ServerFixture server(limited_to(2000, each_strategy()), [](orb::ServerRequest&) {});
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  const std::string what = text_of<CORBA::IMP_LIMIT>([&] { call(object, 5000); });
  CAPTURE(what);
  CHECK(contains(what, "COMPLETED_NO: raised by the server: the server refuses a message of 5"));
  CHECK(contains(what, " octets or more; -ORBMessageSizeMax allows 2000"));
  call(object, 100);  // the next call is not disturbed
}

TEST_CASE("a request of many mebibytes that the server refuses raises IMP_LIMIT, too") {
  const ServerFixture server(limited_to(1U << 20, each_strategy()), [](orb::ServerRequest&) {});
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  for (int round = 0; round < 3; ++round) {
    const std::string what = text_of<CORBA::IMP_LIMIT>([&] { call(object, 40U << 20); });
    CHECK(contains(what, "-ORBMessageSizeMax allows 1048576"));
    call(object, 100);
  }
}

namespace {

// The header announces 16 MiB.
Octets begin_of_large_request(const ServerFixture& server) {
  Octets message = make_request({.key = server.key});
  message[11] = std::byte{1};
  return message;
}

}  // namespace

TEST_CASE("a client that goes on sending a refused request can send the whole request") {
  TestParts parts = limited_to(2000, ThreadStrategy::thread_per_connection);
  constexpr std::chrono::milliseconds silence{500};
  parts.settings.drain_idle_timeout = silence;
  const ServerFixture server(std::move(parts), add_one);
  RawClient client(server.endpoint);
  client.send(begin_of_large_request(server));
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  CHECK(client.reply().type() == type_close_connection);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < start + 2 * silence) {
    CHECK(client.try_send(Octets(1000)));
    std::this_thread::sleep_for(silence / 50);
  }
  CHECK(client.at_end());
}

// A client that is blocked in a send, because its window is zero, would wait for minutes if the
// server closed the connection without a reset.
TEST_CASE(
    "a client that never stops sending a refused request is disconnected, and does not hang") {
  TestParts parts = limited_to(2000, each_strategy());
  parts.settings.drain_timeout = std::chrono::milliseconds(50);
  const ServerFixture server(std::move(parts), add_one);
  const Octets rest(std::size_t{1} << 20);
  for (int round = 0; round < 4; ++round) {
    RawClient client(server.endpoint);
    client.send(begin_of_large_request(server));
    const auto start = std::chrono::steady_clock::now();
    while (client.try_send(rest)) {
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  }
}

TEST_CASE("a server logs one line for each connection whose message exceeds a limit") {
  LogLines log(log::Level::warning);
  const ServerFixture server(limited_to(2000, ThreadStrategy::thread_per_connection),
                             [](orb::ServerRequest&) {});
  Octets message = make_request({.key = server.key});
  message.resize(3000);
  message[8] = std::byte{0xac};  // 3000 - 12, little-endian
  message[9] = std::byte{0x0b};
  RawClient client(server.endpoint);
  client.send(message + message + message);
  CHECK(client.reply().type() == type_reply);
  CHECK(client.reply().type() == type_close_connection);
  const std::string text = log.text();
  CAPTURE(text);
  CHECK(count(text,
              "has sent a message of 3000 octets or more; -ORBMessageSizeMax allows 2000: the "
              "connection is closed") == 1);
}

TEST_CASE("a oneway that is too large closes the connection, and the log names the limit") {
  LogLines log(log::Level::warning);
  const ServerFixture server(limited_to(2000, ThreadStrategy::thread_per_connection),
                             [](orb::ServerRequest&) {});
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  call(object, 3000, tell_operation);
  while (!log.have("-ORBMessageSizeMax allows 2000")) std::this_thread::yield();
}

TEST_CASE("after a request that is too large, the earlier requests get their replies") {
  std::promise<orb::ServerRequest*> deferred;
  const ServerFixture server(
      limited_to(2000, ThreadStrategy::thread_per_connection),
      [&](orb::ServerRequest& request) { deferred.set_value(request.defer()); });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1}));
  Octets large = make_request({.key = server.key, .id = 2});
  large[9] = std::byte{0x10};  // more than 4096 octets
  client.send(large);
  const RawReply refusal = client.reply();
  CHECK(refusal.id() == 2);
  CHECK(refusal.repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  std::unique_ptr<orb::ServerRequest> earlier(deferred.get_future().get());
  client.send(Octets(4000));  // the rest of the large request, and more
  earlier->reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  earlier.reset();
  const RawReply reply = client.reply();
  CHECK(reply.id() == 1);
  CHECK(reply.result() == 7);
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
}

// The deferred reply may wait for a later request, which is dropped.
TEST_CASE("after a request that is too large, an earlier request has the drain time-out") {
  DeferredReplies deferred;
  TestParts parts = limited_to(2000, each_strategy());
  parts.settings.drain_timeout = std::chrono::milliseconds(50);
  const ServerFixture server(std::move(parts), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  skeleton::Answer earlier = deferred.take(1);
  client.send(begin_of_large_request(server));
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  await_stop(stop_token_of(earlier));
  send_result(std::move(earlier), 7);
  CHECK(client.at_end());
}

TEST_CASE("a reply that is too large raises IMP_LIMIT, which names the limit of the server") {
  const ServerFixture server(
      limited_to(2000, ThreadStrategy::thread_per_connection), [](orb::ServerRequest& request) {
        const std::vector<char> text(3000, 'x');
        request.reply(
            [&](cdr::Encoder& encoder) { encoder.write_array(std::span<const char>(text)); });
      });
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  const std::string what = text_of<CORBA::IMP_LIMIT>([&] { call(object, 1); });
  CAPTURE(what);
  CHECK(contains(what,
                 "COMPLETED_YES: raised by the server: encoding: the reply has 3024 octets; "
                 "-ORBMessageSizeMax allows 2000"));
}

TEST_CASE("a refused request tells the client which limit of the server it meets") {
  TestParts parts = limited_to(2000, ThreadStrategy::thread_per_connection);
  parts.settings.requests_max = 0;
  const ServerFixture server(std::move(parts), add_one);
  const TestOrb client;
  const std::string what = text_of<CORBA::TRANSIENT>([&] { call(seen_by(client, server), 1); });
  CAPTURE(what);
  CHECK(contains(what, "the server has 0 requests in progress (-ORBRequestsMax)"));
}

TEST_CASE("too many service contexts end the connection, and the log names the limit") {
  LogLines log(log::Level::warning);
  TestParts parts = limited_to(2000, ThreadStrategy::thread_per_connection);
  parts.limits.service_contexts_max = 0;
  const ServerFixture server(std::move(parts), add_one);
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .context_id = 99}));
  CHECK(client.reply().type() == type_message_error);
  CHECK(log.have("a message with more than 0 service contexts; -ORBServiceContextsMax"));
}
