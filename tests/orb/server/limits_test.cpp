// Limits at their boundary, over TCP. The server serves as much as a limit allows; beyond it the
// client gets the exception of docs/limits.md. Other limits are tested beside their code.
#include "orb/server/held_pair.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/metrics.h>
#include <perigee/orb/stub.h>

using namespace perigee;
using namespace perigee::test;

namespace {

using CORBA::COMPLETED_NO;
using CORBA::COMPLETED_YES;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

constexpr stub::Operation act_operation{"act", stub::Operation::Kind::twoway, {}};

TestParts with_strategy(ThreadStrategy strategy) {
  TestParts parts;
  parts.settings = server_settings(strategy);
  return parts;
}

std::uint32_t read_argument(orb::ServerRequest& request) {
  std::uint32_t value = 0;
  request.arguments() >> value;
  return value;
}

ObjectRef seen_by(const TestOrb& client, const ServerFixture& server) {
  return client.core().make_object(server.object->_reference()->ior());
}

void call(const ObjectRef& object, stub::ArgumentEncoder encode) {
  stub::invoke(*object, act_operation, encode, nullptr);
}

void act(const ObjectRef& object, std::uint32_t argument) {
  call(object, [argument](cdr::Encoder& encoder) { encoder << argument; });
}

// The minor code and completion status of the exception, which the reply must have.
template <typename Exception>
std::pair<std::uint32_t, CORBA::CompletionStatus> refusal(auto&& call) {
  try {
    call();
  } catch (const Exception& exception) {
    return {exception.minor(), exception.completed()};
  }
  FAIL("nothing was thrown");
  return {};
}

void encode_reference(cdr::Encoder& encoder, std::uint32_t profiles) {
  iop::Ior ior{"IDL:Test:1.0", {}};
  for (std::uint32_t index = 0; index < profiles; ++index) ior.profiles.push_back({0x50470fff, {}});
  iop::encode(encoder, ior);
}

}  // namespace

TEST_CASE("a request as long as allowed is served, a longer request gets IMP_LIMIT") {
  const auto padded = [](const ServerFixture& server, std::size_t size) {
    Octets message = make_request({.key = server.key, .argument = 41});
    message.resize(size);
    message[8] = static_cast<std::byte>(size - 12);
    return message;
  };
  TestParts parts = with_strategy(each_strategy());
  parts.limits.message_size_max = 120;
  const ServerFixture server(std::move(parts), [](orb::ServerRequest&) {});
  RawClient client(server.endpoint);
  client.send(padded(server, 120));
  CHECK(client.reply().type() == type_reply);
  client.send(padded(server, 121));
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
}

TEST_CASE("requests and replies that are too long to send raise IMP_LIMIT") {
  TestParts parts = with_strategy(each_strategy());
  parts.limits.message_size_max = 1000;
  const ServerFixture server(std::move(parts), [](orb::ServerRequest& request) {
    const std::string text(read_argument(request), 'x');
    request.reply([&](cdr::Encoder& encoder) { encoder.write_string(text); });
  });
  TestParts client_parts;
  client_parts.limits.message_size_max = 10'000;
  const TestOrb client(std::move(client_parts));
  const ObjectRef object = seen_by(client, server);
  constexpr std::uint32_t before_text = 24 + 4 + 1;  // header, length, NUL
  act(object, 1000 - before_text);
  CHECK(refusal<CORBA::IMP_LIMIT>([&] { act(object, 1001 - before_text); }) ==
        std::pair(0U, COMPLETED_YES));
  const std::string text(10'000, 'x');
  CHECK(refusal<CORBA::IMP_LIMIT>([&] {
          call(object, [&](cdr::Encoder& encoder) { encoder.write_string(text); });
        }) == std::pair(0U, COMPLETED_NO));
}

TEST_CASE("more fragmented messages in progress than allowed get MessageError") {
  TestParts parts = with_strategy(each_strategy());
  parts.limits.partial_messages_max = 2;
  const ServerFixture server(std::move(parts));
  RawClient client(server.endpoint);
  const auto first_piece = [](std::uint32_t id) {
    Writer writer(std::endian::little);
    writer.raw(octets('G', 'I', 'O', 'P', 1, 2, 3, 0)).ulong(4).ulong(id);
    return writer.octets();
  };
  client.send(first_piece(1) + first_piece(2));
  CHECK(client.call({.key = server.key, .id = 9, .argument = 1}).result() == 2);
  client.send(first_piece(3));
  CHECK(client.reply().type() == type_message_error);
  CHECK(client.at_end());
}

TEST_CASE("more service contexts than allowed get MessageError") {
  TestParts parts = with_strategy(each_strategy());
  parts.limits.service_contexts_max = 1;
  const ServerFixture server(std::move(parts), [](orb::ServerRequest&) {});
  RawClient client(server.endpoint);
  const auto request = [&](std::uint32_t contexts) {
    Writer writer(std::endian::little);
    begin_message(writer, 2, std::endian::little, 0);
    writer.ulong(1).octet(3).octet(0).octet(0).octet(0);
    writer.ushort(0).sequence(server.key).text("act").ulong(contexts);
    for (std::uint32_t index = 0; index < contexts; ++index) writer.ulong(77).ulong(0);
    return finish(writer, std::endian::little);
  };
  client.send(request(1));
  CHECK(client.reply().type() == type_reply);
  client.send(request(2));
  CHECK(client.reply().type() == type_message_error);
}

TEST_CASE("arguments that are nested too deep, or hold too many objects, raise IMP_LIMIT") {
  bool nests = false;
  SUBCASE("depth") { nests = true; }
  SUBCASE("objects") {}
  TestParts parts;
  parts.limits.values = {.depth_max = 5, .objects_max = 5};
  const ServerFixture server(std::move(parts), [nests](orb::ServerRequest& request) {
    for (std::uint32_t left = read_argument(request); left > 0; --left)
      nests ? request.arguments().enter() : request.arguments().count_object();
    request.end_of_arguments();
  });
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  act(object, 5);
  CHECK(refusal<CORBA::IMP_LIMIT>([&] { act(object, 6); }) == std::pair(0U, COMPLETED_NO));
}

TEST_CASE("results that are nested too deep raise IMP_LIMIT, COMPLETED_YES") {
  const ServerFixture server(ThreadStrategy::reactive);
  TestParts parts;
  parts.limits.values.depth_max = 5;
  const TestOrb client(std::move(parts));
  const ObjectRef object = seen_by(client, server);
  const auto results_of_depth = [&](std::uint32_t depth) {
    stub::invoke(
        *object, act_operation, [](cdr::Encoder& encoder) { encoder << std::uint32_t{0}; },
        [depth](cdr::Decoder& decoder) {
          for (std::uint32_t level = 0; level < depth; ++level) decoder.enter();
        });
  };
  results_of_depth(5);
  CHECK(refusal<CORBA::IMP_LIMIT>([&] { results_of_depth(6); }) == std::pair(0U, COMPLETED_YES));
}

TEST_CASE("references with more profiles than allowed raise IMP_LIMIT as arguments") {
  TestParts parts = with_strategy(each_strategy());
  parts.settings.reference_limits.profiles_max = 2;
  const ServerFixture server(std::move(parts), [](orb::ServerRequest& request) {
    (void)stub::decode_reference(request.arguments());
    request.end_of_arguments();
  });
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  call(object, [](cdr::Encoder& encoder) { encode_reference(encoder, 2); });
  CHECK(refusal<CORBA::IMP_LIMIT>([&] {
          call(object, [](cdr::Encoder& encoder) { encode_reference(encoder, 3); });
        }) == std::pair(0U, COMPLETED_NO));
}

TEST_CASE("more requests in progress in the server than allowed get TRANSIENT, then are served") {
  TestParts parts;
  parts.settings.requests_max = 2;
  std::promise<void> leave;
  const auto left = leave.get_future().share();
  std::atomic<std::uint32_t> entered{0};
  const ServerFixture server(std::move(parts), [&](orb::ServerRequest& request) {
    if (read_argument(request) == 0) return;
    ++entered;
    entered.notify_all();
    left.wait();
  });
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  first.send(make_request({.key = server.key, .argument = 1}));
  second.send(make_request({.key = server.key, .argument = 1}));
  for (std::uint32_t seen = entered; seen < 2; seen = entered) entered.wait(seen);
  const TestOrb client;
  const ObjectRef object = seen_by(client, server);
  CHECK(refusal<CORBA::TRANSIENT>([&] { act(object, 0); }) ==
        std::pair(orb::minor_too_many_in_all, COMPLETED_NO));
  leave.set_value();
  (void)first.reply();
  (void)second.reply();
  // A request ends only after its reply was sent.
  RawClient third(server.endpoint);
  while (third.call({.key = server.key, .argument = 0}).status() != 0) std::this_thread::yield();
}

namespace {

/// The number of requests that ended with `outcome`. Null: the number of all requests.
std::uint64_t request_count(const ServerFixture& server, const char* outcome = nullptr) {
  const auto metrics = server.orb.core().metrics_snapshot();
  if (outcome == nullptr) return metrics.value("perigee_requests_total");
  return metrics.value("perigee_requests_total", {{"outcome", outcome}});
}

}  // namespace

TEST_CASE("a limited number of requests of several clients wait for a POAManager") {
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // each loop has a limit of its own
  settings.held_requests_max = 1;
  const ServerFixture server(settings, [](orb::ServerRequest&) {});
  server.orb.root()->the_POAManager()->hold_requests(false);
  HeldPair pair(server, make_request({.key = server.key, .id = 1}));
  pair.check_refusal();
  while (request_count(server, "refused") == 0)
    std::this_thread::yield();  // counted after its reply
  CHECK(request_count(server, "refused") == 1);
  server.orb.root()->the_POAManager()->activate();
  CHECK(pair.held().type() == type_reply);
}

TEST_CASE("a request that no POAManager may hold counts as refused") {
  orb::Settings settings = server_settings(each_strategy());
  settings.held_requests_max = 0;
  const ServerFixture server(settings);
  server.orb.root()->the_POAManager()->hold_requests(false);
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  while (request_count(server) == 0) std::this_thread::yield();  // counted after its reply
  CHECK(request_count(server) == 1);
  CHECK(request_count(server, "refused") == 1);
}

TEST_CASE("more active objects, or POAs, than allowed raise NO_RESOURCES") {
  TestParts parts;
  parts.adapter_limits = {.adapters_max = 2, .objects_max = 2};
  const TestOrb orb(std::move(parts));
  constexpr std::uint32_t minor_table_full = CORBA::PERIGEE_VMCID | 1;
  (void)orb.root()->servant_to_reference(make_servant(nullptr));
  const auto second = orb.root()->activate_object(make_servant(nullptr));
  const auto activate = [&] { (void)orb.root()->activate_object(make_servant(nullptr)); };
  CHECK(refusal<CORBA::NO_RESOURCES>(activate) == std::pair(minor_table_full, COMPLETED_NO));
  orb.root()->deactivate_object(second);
  activate();
  (void)orb.root()->create_POA("second", nullptr, {});
  CHECK(refusal<CORBA::NO_RESOURCES>([&] { (void)orb.root()->create_POA("third", nullptr, {}); }) ==
        std::pair(minor_table_full, COMPLETED_NO));
}
