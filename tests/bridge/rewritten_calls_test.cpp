// References inside of arguments, results and exceptions, in calls that pass a bridge.
#include "bridge/bridged.h"
#include <perigee/cdr/typecode.h>
#include <perigee/giop/giop.h>

using namespace perigee;
using namespace perigee::test;

namespace {

using cdr::TypeKind;
using cdr::TypeNode;

constexpr cdr::TypeMember refused_members[] = {{.type = &cdr::object_node}};
constexpr TypeNode refused{.kind = TypeKind::tk_struct, .members = refused_members};

constexpr cdr::TypeMember entry_members[] = {{.type = &cdr::object_node}};
/// valuetype Entry { public Object holder; };
constexpr TypeNode entry{
    .kind = TypeKind::tk_value, .id = "IDL:Entry:1.0", .members = entry_members};

/// interface Bank { Object open() raises (Refused); void close(in string why, in Object account);
/// };
void describe_bank(bridge::Options& options) {
  options.rewriting.operations["open"] = {{}, {&cdr::object_node}};
  options.rewriting.operations["close"] = {{&cdr::string_node<>, &cdr::object_node}, {}};
  options.rewriting.exceptions["IDL:Refused:1.0"] = &refused;
}

/// A bridge, one client, and the connection to the target once there is one.
struct Bank : Bridged {
  explicit Bank(const Change& change = describe_bank) : Bridged(change), client(connect()) {}

  RawReply pass_request(const RawRequest& request, const Octets& body) {
    client.send(with_body(request, body));
    if (!to_target) to_target.emplace(target.accept());
    return RawReply(to_target->receive());
  }
  RawReply answer(const RawReply& request, std::uint32_t status, const Octets& body) {
    to_target->send(make_reply_with(request.ulong(12), status, body));
    return client.reply();
  }
  /// The body has values of 4 octets at most, so its phase in GIOP 1.0 and 1.1 may be 0 or 4.
  static Octets with_body(const RawRequest& request, const Octets& body) {
    Writer writer(request.order);
    writer.raw(make_request(request));
    if (!body.empty()) writer.align(request.minor < 2 ? 4 : 8).raw(body);
    return finish(writer, request.order);
  }
  [[nodiscard]] transport::Endpoint bridge_place() const { return bridge->listening().front(); }

  RawClient client;
  std::optional<RawClient> to_target;
};

RawRequest request_of(std::string_view operation) {
  return {.key = key_k, .id = 5, .operation = operation, .order = std::endian::native};
}

iop::Ior ior_in(const RawReply& reply, std::size_t position) {
  cdr::Decoder decoder(reply.message, std::endian::native, position);
  iop::Ior ior;
  iop::decode(decoder, ior);
  REQUIRE(decoder.ok());
  CHECK(decoder.remaining() == 0);
  return ior;
}

/// The address and the key in the only profile.
std::pair<transport::Endpoint, iop::ObjectKey> place_of(const iop::Ior& ior) {
  REQUIRE(ior.profiles.size() == 1);
  const auto profile = protocols().claim(ior.profiles.front());
  REQUIRE(profile);
  return {profile->endpoints.front().endpoint, profile->object_key};
}

Octets close_arguments(const iop::Ior& account, std::endian order = std::endian::native) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder.write_string("why");
  iop::encode(encoder, account);
  return buffer.flatten();
}

/// The reference in the arguments of a request of `close`.
iop::Ior closed_account(const RawReply& request, std::endian order = std::endian::native) {
  const auto protocol = giop::make_giop();
  const auto session = protocol->open(messaging::Role::acceptor, {});
  messaging::ContextStorage contexts;
  messaging::IncomingMessage message;
  message.version = {1, static_cast<std::uint8_t>(request.minor())};
  message.order = order;
  message.octets = request.message;
  auto parsed = session->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->body.read_string_view() == "why");
  iop::Ior ior;
  iop::decode(parsed->body, ior);
  REQUIRE(parsed->body.ok());
  CHECK(parsed->body.remaining() == 0);
  return ior;
}

/// The bridge's own reference to an object of the main target.
iop::Ior bridged(const Bank& bank, const Octets& key) {
  return {"IDL:Test:1.0",
          {protocols().find("iiop")->make_profile(
              bank.bridge_place(), {.major = 1, .minor = 2, .object_key = key, .components = {}})}};
}

}  // namespace

TEST_CASE("a reference in a result leads through the bridge, and comes back as the target's own") {
  Bank bank;
  const Octets key = octets('a', 'c', 'c', '7');
  const RawReply opened = bank.pass_request(request_of("open"), {});
  const RawReply reply = bank.answer(opened, 0, encoded(bank.target.reference(key)));
  const iop::Ior account = ior_in(reply, reply.body());
  CHECK(account.type_id == "IDL:Test:1.0");
  CHECK(place_of(account) == std::pair(bank.bridge_place(), key));
  // The client calls the object: the request passes the bridge, to the object's key.
  RawRequest call = request_of("balance");
  call.key = key;
  CHECK(contains(bank.pass_request(call, {}).message, "acc7"));
  // The client passes the reference back.
  const RawReply closed = bank.pass_request(request_of("close"), close_arguments(account));
  CHECK(closed_account(closed) == bank.target.reference(key));
}

TEST_CASE("arguments are rewritten in each version and byte order") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const unsigned minor : {0u, 1u, 2u}) {
      Bank bank;
      RawRequest request = request_of("close");
      request.order = order;
      request.minor = minor;
      bank.client.send(
          Bank::with_body(request, close_arguments(bridged(bank, octets('a')), order)));
      RawClient target = bank.target.accept();
      const RawReply received(target.receive_part(4096));
      CHECK(received.minor() == minor);
      CHECK(closed_account(received, order) == bank.target.reference(octets('a')));
    }
  }
}

TEST_CASE("fragments of GIOP 1.1 become one message if a reference in them is rewritten") {
  Bank bank;
  RawRequest request = request_of("close");
  request.minor = 1;
  const Octets whole = Bank::with_body(request, close_arguments(bridged(bank, octets('a'))));
  // The first fragment ends before the profile data, at a multiple of 4. The data of the second
  // fragment begin at octet 12 of their message, so values stay aligned to 4 octets.
  const std::size_t cut = whole.size() / 2 / 4 * 4;
  Octets first(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
  Writer head(std::endian::native);
  head.raw(first);
  first = finish(head, std::endian::native);
  first[6] |= std::byte{2};
  Writer rest(std::endian::native);
  begin_message(rest, 1, std::endian::native, 7);
  rest.raw(OctetSpan(whole).subspan(cut));
  bank.client.send(first + finish(rest, std::endian::native));
  RawClient target = bank.target.accept();
  const RawReply received(target.receive());
  CHECK((received.octet(6) & 2) == 0);
  CHECK(closed_account(received) == bank.target.reference(octets('a')));
}

TEST_CASE("nil, references of other servers, and target references from a client pass unchanged") {
  Bank bank;
  const RawTarget elsewhere;
  for (const iop::Ior& ior : {elsewhere.reference(key_k), iop::Ior{"IDL:Test:1.0", {}}}) {
    const RawReply opened = bank.pass_request(request_of("open"), {});
    const RawReply reply = bank.answer(opened, 0, encoded(ior));
    CHECK(ior_in(reply, reply.body()) == ior);
    CHECK(closed_account(bank.pass_request(request_of("close"), close_arguments(ior))) == ior);
  }
  const iop::Ior own = bank.target.reference(key_k);
  CHECK(closed_account(bank.pass_request(request_of("close"), close_arguments(own))) == own);
}

TEST_CASE("a reference in a user exception leads through the bridge") {
  Bank bank;
  for (const char* const id : {"IDL:Refused:1.0", "IDL:Other:1.0"}) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    encoder.write_string(id);
    iop::encode(encoder, bank.target.reference(key_k));
    const RawReply opened = bank.pass_request(request_of("open"), {});
    const RawReply reply = bank.answer(opened, 1, buffer.flatten());
    CHECK(reply.repository_id() == id);
    const bool is_described = std::string_view(id) == "IDL:Refused:1.0";
    const iop::Ior ior = ior_in(reply, reply.body() + 4 + reply.ulong(reply.body()));
    CHECK((place_of(ior).first == bank.bridge_place()) == is_described);
  }
}

TEST_CASE("a reference in a valuetype leads through the bridge, and unread values get MARSHAL") {
  Bank bank([](bridge::Options& options) {
    describe_bank(options);
    options.rewriting.operations["find"] = {{}, {&cdr::value_base_node}};
    options.rewriting.values["IDL:Entry:1.0"] = &entry;
  });
  const auto value_of = [&bank](std::string_view id) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    encoder.write(std::uint32_t{0x7fffff02});  // a value with a repository id
    encoder.write_string(id);
    iop::encode(encoder, bank.target.reference(key_k));
    return buffer.flatten();
  };
  const RawReply found = bank.pass_request(request_of("find"), {});
  const RawReply reply = bank.answer(found, 0, value_of("IDL:Entry:1.0"));
  CHECK(reply.status() == 0);
  const std::size_t reference = reply.body() + 24;  // after the tag and the id
  CHECK(place_of(ior_in(reply, reference)) == std::pair(bank.bridge_place(), key_k));
  const RawReply again = bank.pass_request(request_of("find"), {});
  const RawReply failed = bank.answer(again, 0, value_of("IDL:Other:1.0"));
  CHECK(failed.repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  CHECK(failed.completed() == 0);  // COMPLETED_YES
}

TEST_CASE("without the IDL, and for other operations, references pass unchanged") {
  Bank unread([](bridge::Options& /*options*/) {});
  const RawReply opened = unread.pass_request(request_of("open"), {});
  const iop::Ior own = unread.target.reference(key_k);
  const RawReply reply = unread.answer(opened, 0, encoded(own));
  CHECK(ior_in(reply, reply.body()) == own);
  Bank bank;
  const RawReply other = bank.pass_request(request_of("other"), {});
  const RawReply passed = bank.answer(other, 0, encoded(bank.target.reference(key_k)));
  CHECK(ior_in(passed, passed.body()) == bank.target.reference(key_k));
}

TEST_CASE("arguments that do not match the IDL get MARSHAL, COMPLETED_NO, and are not passed on") {
  Bank bank;
  bank.client.send(Bank::with_body(request_of("close"), octets(0xff, 0xff, 0xff, 0xff)));
  const RawReply reply = bank.client.reply();
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  CHECK(reply.completed() == 1);
  CHECK(contains(bank.pass_request(request_of("other"), {}).message, "other"));
}

TEST_CASE("refused requests do not count towards the limit of connections to the target") {
  Bank bank;
  for (std::uint32_t number = 0; number < 100; ++number) {
    RawRequest request = request_of("close");
    const Octets context = iop::encode_code_set_context({number, iop::code_set_utf_16});
    request.context_id = iop::context_code_sets;
    request.context = context;
    bank.client.send(Bank::with_body(request, octets(0xff, 0xff, 0xff, 0xff)));
    CHECK(bank.client.reply().repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  }
  CHECK(contains(bank.pass_request(request_of("other"), {}).message, "other"));
}

TEST_CASE("a reference to an object that the rules refuse is not rewritten for the target") {
  const Octets secret = octets('a', 'd', 'm', 'i', 'n');
  Bank bank([&secret](bridge::Options& options) {
    describe_bank(options);
    options.rules.objects_denied = {secret};
  });
  const iop::Ior forged = bridged(bank, secret);
  CHECK(closed_account(bank.pass_request(request_of("close"), close_arguments(forged))) == forged);
  const iop::Ior account = bridged(bank, key_k);
  CHECK(closed_account(bank.pass_request(request_of("close"), close_arguments(account))) ==
        bank.target.reference(key_k));
}

TEST_CASE("results that do not match the IDL get MARSHAL, COMPLETED_YES") {
  Bank bank;
  const RawReply opened = bank.pass_request(request_of("open"), {});
  const Octets own = encoded(bank.target.reference(key_k));
  for (const Octets& body : {own + octets(0), Octets(own.begin(), own.end() - 1), Octets()}) {
    const RawReply reply = bank.answer(bank.pass_request(request_of("open"), {}), 0, body);
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
    CHECK(reply.completed() == 0);
  }
}

TEST_CASE("a reply that the target sends before the execution has no results, and passes") {
  Bank bank;
  RawRequest request = request_of("open");
  request.response_flags = 1;
  const RawReply reply = bank.answer(bank.pass_request(request, {}), 0, {});
  CHECK(reply.status() == 0);
}

TEST_CASE("a oneway and a request that waits for its connection are rewritten") {
  Bank bank;
  const iop::Ior account = bridged(bank, key_k);
  const iop::Ior own = bank.target.reference(key_k);
  // The first request waits for the connection to the target.
  CHECK(closed_account(bank.pass_request(request_of("close"), close_arguments(account))) == own);
  RawRequest oneway = request_of("close");
  oneway.response_flags = 0;
  CHECK(closed_account(bank.pass_request(oneway, close_arguments(account))) == own);
}

TEST_CASE("references that pass between a client and the target of a forward are rewritten, too") {
  Bank bank;
  RawTarget elsewhere;
  const RawReply opened = bank.pass_request(request_of("open"), {});
  const RawReply forwarded = bank.answer(opened, 3, encoded(elsewhere.reference(key_k)));
  const auto [place, routed] = place_of(ior_in(forwarded, forwarded.body()));
  CHECK(place == bank.bridge_place());
  RawRequest call = request_of("open");
  call.key = routed;
  bank.client.send(Bank::with_body(call, {}));
  RawClient other = elsewhere.accept();
  const RawReply request(other.receive());
  other.send(make_reply_with(request.ulong(12), 0, encoded(elsewhere.reference(octets('n')))));
  const RawReply reply = bank.client.reply();
  const iop::Ior made = ior_in(reply, reply.body());
  CHECK(place_of(made).first == bank.bridge_place());
  call.operation = "close";
  bank.client.send(Bank::with_body(call, close_arguments(made)));
  CHECK(closed_account(RawReply(other.receive())) == elsewhere.reference(octets('n')));
}
