// References of the bridge, in its own list and in location forwards.
#include "bridge/references.h"

#include "bridge/bridged.h"

using namespace perigee;
using namespace perigee::test;

namespace {

/// The reference in a message, from a position of it.
iop::Ior ior_at(const RawReply& reply, std::size_t position) {
  cdr::Decoder decoder(reply.message, std::endian::native, position);
  iop::Ior ior;
  iop::decode(decoder, ior);
  REQUIRE(decoder.ok());
  return ior;
}

transport::ProfileTarget target_of(const iop::Ior& ior) {
  REQUIRE(ior.profiles.size() == 1);
  auto target = protocols().claim(ior.profiles.front());
  REQUIRE(target);
  return std::move(*target);
}

/// A reference to an object at this port of the host.
iop::Ior reference_to(std::size_t port) {
  return {"",
          {iop::encode_profile({1, 2, "127.0.0.1", static_cast<std::uint16_t>(port), key_k, {}})}};
}

}  // namespace

TEST_CASE("a reference of the bridge has the key, version and code sets of the target reference") {
  RawTarget target;
  const auto code_sets = iop::encode_code_sets({{iop::code_set_iso_8859_1, {}}, {}});
  for (const std::uint8_t minor : {std::uint8_t{1}, std::uint8_t{2}}) {
    bridge::Options options;
    options.listen = {{"iiop", "127.0.0.1:0"}};
    options.references = {target.reference(key_k, minor, {code_sets})};
    const auto made = bridge::Bridge::start(protocols(), options).value();
    CHECK(made->target() == target.endpoint());
    REQUIRE(made->references().size() == 1);
    const auto profile = target_of(made->references().front());
    CHECK(profile.endpoints.front().endpoint == made->listening().front());
    CHECK(profile.object_key == key_k);
    CHECK(profile.minor == minor);
    const auto* const published = iop::find_component(profile.components, iop::tag_code_sets);
    REQUIRE(published != nullptr);
    CHECK(published->data == code_sets.data);
  }
}

TEST_CASE("references in location forwards lead through the bridge") {
  Bridged ends;
  RawTarget elsewhere;
  RawClient client = ends.connect();
  const auto forward = [&](const iop::Ior& to, std::uint32_t status) {
    client.send(make_request({.key = key_k}));
    static std::optional<RawClient> target;
    if (status == 3) target.emplace(ends.target.accept());
    target->send(make_reply_with(RawReply(target->receive()).ulong(12), status, encoded(to)));
    const RawReply reply = client.reply();
    CHECK(reply.status() == status);
    if (status == 4) target.reset();
    return ior_at(reply, reply.body());
  };
  const Octets other = octets('o', 't', 'h', 'e', 'r');
  // A forward to another object of the target keeps the key.
  const iop::Ior same = forward(ends.target.reference(other), 3);
  CHECK(target_of(same).object_key == other);
  CHECK(target_of(same).endpoints.front().endpoint == ends.bridge->listening().front());
  // A forward to another server gets a key of the bridge, which leads there.
  const iop::Ior routed = forward(elsewhere.reference(other), 4);
  CHECK(target_of(routed).endpoints.front().endpoint == ends.bridge->listening().front());
  const Octets key = target_of(routed).object_key;
  CHECK(key != other);
  client.send(make_request({.key = key, .id = 30, .argument = 1}));
  RawClient second = elsewhere.accept();
  const RawReply request(second.receive());
  CHECK(contains(request.message, "other"));
  CHECK_FALSE(contains(request.message, "PGB"));
  second.send(make_reply(request.ulong(12), 3));
  CHECK(client.reply().result() == 3);
}

TEST_CASE("references to the bridge, nil references and unknown profiles pass unchanged") {
  Bridged ends;
  RawClient client = ends.connect();
  const auto protocol = protocols().find("iiop");
  const iop::Ior own{"IDL:Test:1.0",
                     {protocol->make_profile(ends.bridge->listening().front(),
                                             {.object_key = key_k, .components = {}})}};
  const iop::Ior unknown{"IDL:Test:1.0", {{0x7777, octets(1, 2, 3)}}};
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  RawReply request(target.receive());
  for (const iop::Ior& ior : {own, unknown, iop::Ior{}}) {
    target.send(make_reply_with(request.ulong(12), 3, encoded(ior)));
    const RawReply reply = client.reply();
    CHECK(ior_at(reply, reply.body()) == ior);
    client.send(make_request({.key = key_k}));
    request = RawReply(target.receive());
  }
}

TEST_CASE("a LocateReply with OBJECT_FORWARD is rewritten too") {
  Bridged ends;
  RawTarget elsewhere;
  RawClient client = ends.connect();
  client.send(make_locate_request(key_k, 5, 2));
  RawClient target = ends.target.accept();
  const RawReply request(target.receive());
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  Writer head(std::endian::native);
  begin_message(head, 2, std::endian::native, 4);
  head.ulong(request.ulong(12)).ulong(2);
  encoder.write_octets(head.octets());
  iop::encode(encoder, elsewhere.reference(key_k));
  Writer message(std::endian::native);
  message.raw(buffer.flatten());
  target.send(finish(message, std::endian::native));
  const RawReply reply = client.reply();
  CHECK(reply.ulong(12) == 5);
  CHECK(reply.ulong(16) == 2);
  const auto forwarded = target_of(ior_at(reply, 20));
  CHECK(forwarded.endpoints.front().endpoint == ends.bridge->listening().front());
}

TEST_CASE("a malformed reference in a forward gets MARSHAL, COMPLETED_NO") {
  Bridged ends;
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  target.send(make_reply_with(RawReply(target.receive()).ulong(12), 3,
                              octets(255, 255, 255, 127, 0, 0, 0, 0)));
  const RawReply reply = client.reply();
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  CHECK(reply.completed() == 1);
}

TEST_CASE("a forward to a target beyond the limit gets IMP_LIMIT, COMPLETED_NO") {
  Bridged ends;
  RawClient client = ends.connect();
  std::optional<RawClient> target;
  const auto forward_to = [&](std::size_t port) {
    client.send(make_request({.key = key_k}));
    if (!target) target.emplace(ends.target.accept());
    target->send(
        make_reply_with(RawReply(target->receive()).ulong(12), 3, encoded(reference_to(port))));
    return client.reply();
  };
  for (std::size_t port = 2; port < 2 + bridge::References::learned_max; ++port)
    REQUIRE(forward_to(port).status() == 3);
  const RawReply refused = forward_to(5000);
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/IMP_LIMIT:1.0");
  CHECK(refused.completed() == 1);
}

TEST_CASE("a key of another bridge, and a key that is cut, get OBJECT_NOT_EXIST") {
  Bridged ends;
  RawClient client = ends.connect();
  for (const Octets& key :
       {octets(0xff, 'P', 'G', 'B', 1, 2, 3, 4, 5, 6, 7, 8, 'k'), octets(0xff, 'P', 'G', 'B', 1)}) {
    const RawReply reply = client.call({.key = key});
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
    CHECK(reply.completed() == 1);
  }
}

TEST_CASE("the bridge learns a limited number of targets") {
  bridge::References references(protocols());
  references.set_main_target({{"iiop", "127.0.0.1:1"}, {1, 2}, false});
  const auto forward_to = [&](std::size_t port) { return references.rewrite(reference_to(port)); };
  for (std::size_t port = 2; port < 2 + bridge::References::learned_max; ++port)
    REQUIRE(forward_to(port));
  CHECK(forward_to(2));
  const auto refused = forward_to(5000);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == IoErrorKind::limit);
}
