// The code sets that a client chooses and announces, and its conversions of characters. CORBA 3.0,
// 13.10.2; interop facts 32 and 33 of docs/interop.md.
#include "orb/context/code_sets.h"

#include "orb/fixture.h"
#include "orb/references/reference.h"
#include "support/octets.h"
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee::test {

namespace {

using cdr::CharSet;
using cdr::WideSet;

constexpr std::uint32_t utf_8 = 0x05010001;
constexpr std::uint32_t utf_16 = 0x00010109;
constexpr std::uint32_t ucs_4 = 0x00010106;
constexpr std::uint32_t latin_1 = 0x00010001;
constexpr std::uint32_t latin_9 = 0x0001000f;
constexpr std::uint32_t euc_jp = 0x00030010;

orb::CodeSetChoice choose(const iop::CodeSetInfo& server,
                          const orb::CodeSetSettings& settings = {}) {
  const iop::TaggedComponent components[] = {iop::encode_code_sets(server)};
  const auto choice = orb::choose_code_sets(settings, {1, 2}, components);
  REQUIRE(choice.has_value());
  return *choice;
}

/// A peer at `address`: makes references to it with chosen code sets, and records what it receives.
struct Peer {
  Peer(Fixture& of, const char* at) : fixture(of), address(at) {
    of.peer(at, [this](ScriptedTransport& transport, const IncomingMessage& message) {
      messaging::ContextStorage contexts;
      const auto request = giop_session().parse_request(message, contexts);
      REQUIRE(request.has_value());
      versions.push_back(message.version.minor);
      announced.emplace_back();
      for (const iop::ServiceContext& context : contexts)
        if (context.id == iop::context_code_sets)
          announced.back() = iop::decode_code_set_context(context.data).value();
      const OctetSpan body = message.octets.subspan(request->body.position());
      arguments.assign(body.begin(), body.end());
      if (request->header.response == messaging::ResponseFlags::none) return;
      send_reply(transport, message, ReplyStatus::no_exception,
                 [this](cdr::Encoder& encoder) { encoder.write_octets(results); });
    });
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  ObjectRef object(const iop::CodeSetInfo& info, std::uint8_t minor = 2) {
    const iop::TaggedComponent component = iop::encode_code_sets(info);
    return object_with({&component, 1}, minor);
  }
  ObjectRef object_with(std::span<const iop::TaggedComponent> components, std::uint8_t minor = 2) {
    return fixture.core().make_object(
        {"IDL:Test:1.0",
         {fixture.protocol().make_profile(
             {"test", address}, {1, minor, octets_of(std::string_view("key")), components})}});
  }

  Fixture& fixture;
  const char* address;
  std::vector<iop::CodeSetContext> announced;
  std::vector<std::uint8_t> versions;
  Octets arguments;
  Octets results = Octets(4);
};

template <typename T>
void send(const ObjectRef& object, const T& value) {
  stub::invoke(*object, ping_operation, [&](cdr::Encoder& encoder) { encoder << value; }, nullptr);
}

template <typename T>
T receive(const ObjectRef& object) {
  T value{};
  stub::invoke(*object, ping_operation, nullptr, [&](cdr::Decoder& decoder) { decoder >> value; });
  return value;
}

const iop::CodeSetInfo like_ours{{utf_8, {latin_1}}, {utf_16, {}}};
const iop::CodeSetInfo like_omniorb{{latin_1, {utf_8}}, {utf_16, {}}};
const iop::CodeSetInfo latin_only{{latin_1, {}}, {utf_16, {}}};

}  // namespace

TEST_CASE("the native code set of both sides is taken, and nothing is converted") {
  const auto choice = choose(like_ours);
  CHECK(choice.code_sets == cdr::CodeSets{});
  CHECK(choice.announced == iop::CodeSetContext{utf_8, utf_16});
}

TEST_CASE("a client with UTF-8 sends it, if the server converts from it") {
  const auto choice = choose(like_omniorb);
  CHECK(choice.code_sets.chars == CharSet::utf_8);
  CHECK(choice.announced == iop::CodeSetContext{utf_8, utf_16});
  const orb::CodeSetSettings latin{.native_char = CharSet::iso_8859_1};
  CHECK(choose(like_omniorb, latin).announced == iop::CodeSetContext{latin_1, utf_16});
  const orb::CodeSetSettings latin_9_program{.native_char = CharSet::iso_8859_15};
  CHECK(choose(like_omniorb, latin_9_program).announced == iop::CodeSetContext{latin_1, utf_16});
}

TEST_CASE("the next choice is the server's native code set, if the client converts to it") {
  const auto choice = choose(like_omniorb, {.prefer_utf_8 = false});
  CHECK(choice.code_sets.chars == CharSet::iso_8859_1);
  CHECK(choice.announced == iop::CodeSetContext{latin_1, utf_16});
  CHECK(choose({{latin_1, {}}, {utf_16, {}}}).announced == iop::CodeSetContext{latin_1, utf_16});
  CHECK(choose({{utf_8, {}}, {ucs_4, {}}}).code_sets.wide == WideSet::ucs_4);
}

TEST_CASE("the third choice is the client's native code set, if the server converts from it") {
  const auto choice = choose({{euc_jp, {latin_1, utf_8}}, {0x00030020, {ucs_4, utf_16}}});
  CHECK(choice.code_sets.chars == CharSet::utf_8);
  CHECK(choice.code_sets.wide == WideSet::utf_16);
}

TEST_CASE("the fourth choice is a common conversion code set, by the server's number for it") {
  const auto choice = choose({{euc_jp, {euc_jp, latin_9}}, {0x00030020, {0x00010105}}});
  CHECK(choice.code_sets.chars == CharSet::iso_8859_15);
  CHECK(choice.code_sets.wide == WideSet::ucs_4);
  CHECK(choice.announced == iop::CodeSetContext{latin_9, 0x00010105});
}

TEST_CASE("the last choice is UTF-8 and UTF-16, which every ORB must understand") {
  const auto choice = choose({{euc_jp, {}}, {0x00030020, {}}});
  CHECK(choice.announced == iop::CodeSetContext{utf_8, utf_16});
}

TEST_CASE("a server without wide code sets gets no wide code set") {
  const auto choice = choose({{utf_8, {}}, {0, {}}});
  CHECK(choice.code_sets.wide == WideSet::none);
  CHECK(choice.announced == iop::CodeSetContext{utf_8, 0});
}

TEST_CASE("the published code sets of this ORB begin with its native code set") {
  CHECK(orb::published_code_sets({}) ==
        iop::CodeSetInfo{{utf_8, {latin_1, latin_9}}, {utf_16, {}}});
  CHECK(orb::published_code_sets(
            {.native_char = CharSet::iso_8859_1, .default_char = {}, .default_wide = {}})
            .for_char == iop::CodeSetList{latin_1, {utf_8, latin_9}});
}

TEST_CASE("code sets are announced with every request until the first reply, then no more") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  const auto object = peer.object(latin_only);
  stub::invoke(*object, notify_operation, nullptr, nullptr);
  stub::invoke(*object, notify_operation, nullptr, nullptr);
  send(object, std::string("\u00e9"));
  CHECK(peer.arguments == octets(2, 0, 0, 0, 0xe9, 0));
  send(object, std::string("\u00e9"));
  CHECK(peer.arguments == octets(2, 0, 0, 0, 0xe9, 0));
  const iop::CodeSetContext told{latin_1, utf_16};
  CHECK(peer.announced == std::vector<iop::CodeSetContext>{told, told, told, {}});
}

TEST_CASE("results are read in the connection's code sets") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  peer.results = octets(2, 0, 0, 0, 0xe9, 0);
  CHECK(receive<std::string>(peer.object(latin_only)) == "\u00e9");
}

TEST_CASE(
    "a character that the chosen code set does not have raises DATA_CONVERSION, before sending") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  const auto object = peer.object(latin_only);
  const auto failure = caught<CORBA::DATA_CONVERSION>([&] { send(object, std::string("\u20ac")); });
  CHECK(failure.minor() == orb::omg_minor(1));
  CHECK(failure.completed() == CORBA::COMPLETED_NO);
  CHECK(failure.detail().contains("-ORBPreferUtf8"));
  CHECK(peer.announced.empty());
}

TEST_CASE("a result that cannot be converted raises DATA_CONVERSION, COMPLETED_YES") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  peer.results = octets(2, 0, 0, 0, 0xd8, 0x34);  // half of a surrogate pair
  const auto object = peer.object(like_ours);
  const auto failure = caught<CORBA::DATA_CONVERSION>([&] { (void)receive<std::wstring>(object); });
  CHECK(failure.completed() == CORBA::COMPLETED_YES);
}

TEST_CASE("a profile without code sets means ISO 8859-1, no wide characters, no announcement") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  const auto object = peer.object_with({});
  send(object, std::string("\u00e9"));
  CHECK(peer.arguments == octets(2, 0, 0, 0, 0xe9, 0));
  CHECK(peer.announced == std::vector<iop::CodeSetContext>(1));
  const auto failure = caught<CORBA::INV_OBJREF>([&] { send(object, std::wstring(L"a")); });
  CHECK(failure.minor() == orb::omg_minor(2));
  CHECK(failure.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("a code set component that does not decode is ignored") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  const iop::TaggedComponent broken{iop::tag_code_sets, octets(1, 2, 3)};
  send(peer.object_with({&broken, 1}), std::string("\u00e9"));
  CHECK(peer.announced == std::vector<iop::CodeSetContext>(1));
}

TEST_CASE("a setting gives the code sets of servers that publish none") {
  orb::Settings settings;
  settings.code_sets.default_char = CharSet::utf_8;
  settings.code_sets.default_wide = WideSet::utf_16;
  Fixture fixture(settings);
  Peer peer(fixture, "peer");
  send(peer.object_with({}), std::wstring(L"\u20ac"));
  CHECK(peer.arguments == octets(2, 0, 0, 0, 0x20, 0xac));
  CHECK(peer.announced == std::vector<iop::CodeSetContext>{{utf_8, utf_16}});
}

TEST_CASE("GIOP 1.0 has ISO 8859-1, no wide characters and no announcement") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  const auto object = peer.object(like_ours, 0);
  send(object, std::string("\u00e9"));
  CHECK(peer.arguments == octets(2, 0, 0, 0, 0xe9, 0));
  CHECK(peer.announced == std::vector<iop::CodeSetContext>(1));
  const auto failure = caught<CORBA::MARSHAL>([&] { send(object, L'a'); });
  CHECK(failure.minor() == orb::omg_minor(5));
  CHECK(caught<CORBA::MARSHAL>([&] { (void)receive<wchar_t>(object); }).minor() ==
        orb::omg_minor(6));
}

TEST_CASE("without a common code set in any profile, a call raises CODESET_INCOMPATIBLE") {
  orb::Settings settings;
  settings.code_sets.native_char = CharSet::iso_8859_1;
  Fixture fixture(settings);
  Peer peer(fixture, "japanese");
  Peer other(fixture, "western");
  const auto object = peer.object({{euc_jp, {}}, {utf_16, {}}});
  const auto failure = caught<CORBA::CODESET_INCOMPATIBLE>([&] { ping(object); });
  CHECK(failure.minor() == orb::omg_minor(1));
  CHECK(failure.completed() == CORBA::COMPLETED_NO);
  iop::Ior both = object->_reference()->ior();
  both.profiles.push_back(other.object(like_ours)->_reference()->ior().profiles[0]);
  send(fixture.core().make_object(both), std::string("\xe9"));
  CHECK(peer.announced.empty());
  CHECK(other.announced == std::vector<iop::CodeSetContext>{{utf_8, utf_16}});
}

TEST_CASE("profiles of one endpoint with other code sets or versions use other connections") {
  Fixture fixture;
  Peer peer(fixture, "peer");
  send(peer.object(like_ours), std::string("\u00e9"));
  send(peer.object(latin_only), std::string("\u00e9"));
  send(peer.object(like_ours, 1), std::string("\u00e9"));
  CHECK(fixture.counts("peer").connects == 3);
  send(peer.object(like_ours), std::string("\u20ac"));
  CHECK(fixture.counts("peer").connects == 3);
  CHECK(peer.announced ==
        std::vector<iop::CodeSetContext>{{utf_8, utf_16}, {latin_1, utf_16}, {utf_8, utf_16}, {}});
  CHECK(peer.versions == std::vector<std::uint8_t>{2, 2, 1, 2});
}

TEST_CASE("a forward brings its own code sets, and arguments are encoded anew") {
  Fixture fixture;
  Peer target(fixture, "new");
  fixture.peer("old", fixture.forward_to(target.object(latin_only)->_reference()->ior()));
  send(fixture.object({"old"}), std::string("\u00e9"));
  CHECK(target.arguments == octets(2, 0, 0, 0, 0xe9, 0));
  CHECK(target.announced == std::vector<iop::CodeSetContext>{{latin_1, utf_16}});
}

}  // namespace perigee::test
