// Requests and replies that pass the bridge.
#include "bridge/bridged.h"
#include "support/temporary_folder.h"

#include <chrono>
#include <thread>

using namespace perigee;
using namespace perigee::test;

TEST_CASE("a request passes from TCP to a UNIX-domain socket, and its reply back") {
  const TemporaryFolder folder;
  Bridged ends({}, {"uiop", folder.file("target")});
  RawClient client = ends.connect();
  for (std::uint32_t id = 7; id < 10; ++id) {
    client.send(make_request({.key = key_k, .id = id, .argument = 0x01020304}));
    static std::optional<RawClient> target;
    if (id == 7) target.emplace(ends.target.accept());
    const RawReply request(target->receive());
    CHECK(contains(request.message, "key1"));
    CHECK(request.ulong(request.message.size() - 4) == 0x01020304);
    target->send(make_reply(request.ulong(12), 5 + id));
    const RawReply reply = client.reply();
    CHECK(reply.id() == id);
    CHECK(reply.result() == 5 + id);
    if (id == 9) target.reset();
  }
}

TEST_CASE(
    "requests have the count of bridges until a reply shows that the target is not a bridge") {
  Bridged ends;
  RawClient client = ends.connect();
  const auto pass = [&](RawClient& target, const Octets& request) {
    client.send(request);
    const RawReply received(target.receive());
    target.send(make_reply(received.ulong(12), 1));
    CHECK(client.reply().result() == 1);
    return received.message;
  };
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  const RawReply first(target.receive());
  CHECK(contains(first.message, std::string("\x02\x45\x47\x50", 4)));  // the count of bridges
  target.send(make_reply(first.ulong(12), 1));
  CHECK(client.reply().result() == 1);
  CHECK(pass(target, make_request({.key = key_k})).size() == make_request({.key = key_k}).size());
}

TEST_CASE("contexts pass unchanged, except listen points") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request(
      {.key = key_k, .context_id = 0x12345678, .context = octets('d', 'a', 't', 'a')}));
  RawClient target = ends.target.accept();
  const RawReply request(target.receive());
  CHECK(contains(request.message, "data"));
  target.send(make_reply(request.ulong(12), 1));
  CHECK(client.reply().result() == 1);
  client.send(make_request(
      {.key = key_k, .context_id = iop::context_bi_dir_iiop, .context = octets('l', 'i', 's')}));
  CHECK_FALSE(contains(target.receive(), "lis"));
}

TEST_CASE("exceptions of the target pass") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  Writer body(std::endian::native);
  body.text("IDL:omg.org/CORBA/BAD_PARAM:1.0").ulong(17).ulong(2);
  target.send(make_reply_with(RawReply(target.receive()).ulong(12), 2, body.octets()));
  const RawReply reply = client.reply();
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/BAD_PARAM:1.0");
  CHECK(reply.minor_code() == 17);
  CHECK(reply.completed() == 2);
}

TEST_CASE("oneways pass in their order, between calls") {
  Bridged ends;
  RawClient client = ends.connect();
  for (std::uint32_t number = 0; number < 20; ++number)
    client.send(make_request({.key = key_k,
                              .id = number,
                              .response_flags = number % 3 == 0 ? 3u : 0u,
                              .argument = number}));
  RawClient target = ends.target.accept();
  for (std::uint32_t number = 0; number < 20; ++number) {
    const RawReply request(target.receive());
    CHECK(request.ulong(request.message.size() - 4) == number);
  }
}

TEST_CASE("a LocateRequest passes, and its answer too") {
  for (const unsigned minor : {0u, 1u, 2u}) {
    Bridged ends;
    RawClient client = ends.connect();
    client.send(make_locate_request(key_k, 77, minor));
    RawClient target = ends.target.accept();
    const RawReply request(target.receive());
    CHECK(request.type() == 3);
    CHECK(contains(request.message, "key1"));
    Writer answer(std::endian::native);
    begin_message(answer, minor, std::endian::native, 4);
    answer.ulong(request.ulong(12)).ulong(0);
    target.send(finish(answer, std::endian::native));
    const RawReply reply = client.reply();
    CHECK(reply.type() == 4);
    CHECK(reply.ulong(12) == 77);
    CHECK(reply.ulong(16) == 0);
  }
}

TEST_CASE("CancelRequest passes") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k, .id = 4}));
  RawClient target = ends.target.accept();
  const RawReply request(target.receive());
  client.send(make_cancel_request(4));
  const RawReply cancel(target.receive());
  CHECK(cancel.type() == 2);
  CHECK(cancel.ulong(12) == request.ulong(12));
}

TEST_CASE("code sets: clients with other code sets have connections of their own") {
  Bridged ends;
  const auto announce = [](std::uint32_t of_char) {
    return iop::encode_code_set_context({of_char, iop::code_set_utf_16});
  };
  RawClient latin = ends.connect();
  latin.send(make_request({.key = key_k,
                           .context_id = iop::context_code_sets,
                           .context = announce(iop::code_set_iso_8859_1)}));
  RawClient first = ends.target.accept();
  const RawReply of_latin(first.receive());
  CHECK(contains(of_latin.message, std::string("\x01\x00\x01\x00\x09\x01\x01\x00", 8)));
  RawClient utf_8 = ends.connect();
  utf_8.send(make_request({.key = key_k,
                           .context_id = iop::context_code_sets,
                           .context = announce(iop::code_set_utf_8)}));
  RawClient second = ends.target.accept();
  const RawReply of_utf_8(second.receive());
  CHECK(contains(of_utf_8.message, std::string("\x01\x00\x01\x05\x09\x01\x01\x00", 8)));
  // The client announces its code sets only once. On its connection to the target, the bridge
  // repeats them in each request until the target has replied.
  latin.send(make_request({.key = key_k, .id = 2}));
  CHECK(contains(first.receive(), std::string("\x01\x00\x01\x00\x09\x01\x01\x00", 8)));
}

TEST_CASE("large messages pass in both directions, in fragments") {
  Bridged ends;
  RawClient client = ends.connect();
  Writer request(std::endian::little);
  begin_message(request, 2, std::endian::little, 0);
  request.ulong(1).octet(3).octet(0).octet(0).octet(0);
  request.ushort(0).sequence(key_k).text("act").ulong(0).align(8);
  const Octets body(3'000'000, std::byte{'x'});
  request.raw(body);
  const Octets message = finish(request, std::endian::little);
  std::thread sender([&] { client.send(message); });
  RawClient target = ends.target.accept();
  std::size_t received = 0;
  Octets piece = target.receive();
  const std::uint32_t id = RawReply(piece).ulong(12);
  while (RawReply(piece).octet(6) & 2) {
    received += piece.size();
    piece = target.receive();
  }
  received += piece.size();
  CHECK(received > body.size());
  sender.join();
  target.send(make_reply_with(id, 0, body));
  piece = client.receive();
  received = piece.size();
  while (RawReply(piece).octet(6) & 2) received += (piece = client.receive()).size();
  CHECK(received > body.size());
}

TEST_CASE("a bridge whose target is the bridge itself is refused") {
  const TemporaryFolder folder;
  bridge::Options options;
  options.listen = {{"uiop", folder.file("b")}};
  options.target = {"uiop", folder.file("b")};
  auto started = bridge::Bridge::start(protocols(), options);
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().kind == IoErrorKind::bad_address);
}

TEST_CASE("bridges that form a loop refuse requests, and no other message circulates for ever") {
  // The target of the first bridge is the second bridge, whose target is the first bridge.
  RawTarget place;
  const transport::Endpoint second_place = place.endpoint();
  const TemporaryFolder folder;
  const auto make = [](transport::Endpoint listen, transport::Endpoint target) {
    bridge::Options options;
    options.listen = {std::move(listen)};
    options.target = std::move(target);
    options.threads = 1;
    options.stop_timeout = std::chrono::milliseconds(100);
    return bridge::Bridge::start(protocols(), options).value();
  };
  const auto first = make({"iiop", "127.0.0.1:0"}, {"uiop", folder.file("second")});
  const auto second = make({"uiop", folder.file("second")}, first->listening().front());
  RawClient client(first->listening().front());
  client.send(make_locate_request(key_k, 1, 2));
  CHECK(client.reply().ulong(16) == 1);  // OBJECT_HERE
  for (int call = 0; call < 3; ++call) {
    const RawReply reply = client.call({.key = key_k});
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
    CHECK(reply.completed() == 1);
  }
}
