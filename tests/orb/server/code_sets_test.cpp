// The use that a server makes of the code sets that its client announces. CORBA 3.0, 13.10.2;
// interop facts 28 and 32 of docs/interop.md.
#include "orb/server/server_fixture.h"

using namespace perigee;
using namespace perigee::test;
using cdr::CharSet;
using cdr::WideSet;

namespace {

constexpr std::uint32_t utf_8 = 0x05010001;
constexpr std::uint32_t utf_16 = 0x00010109;
constexpr std::uint32_t latin_1 = 0x00010001;
constexpr std::uint32_t omg = 0x4f4d0000;

const std::string data_conversion = "IDL:omg.org/CORBA/DATA_CONVERSION:1.0";
const std::string marshal = "IDL:omg.org/CORBA/MARSHAL:1.0";
const std::string bad_param = "IDL:omg.org/CORBA/BAD_PARAM:1.0";
const std::string incompatible = "IDL:omg.org/CORBA/CODESET_INCOMPATIBLE:1.0";

/// The data of a CodeSets service context.
Octets announcement(std::uint32_t chars, std::uint32_t wide) {
  Writer writer(std::endian::big);
  writer.octet(0).ulong(chars).ulong(wide);
  return writer.octets();
}

/// A GIOP 1.`minor` request. `code_sets`: the data of its CodeSets context; empty: no context.
Octets request(const ServerFixture& server, const Octets& code_sets, const Octets& body,
               unsigned minor = 2) {
  Writer writer(std::endian::little);
  begin_message(writer, minor, std::endian::little, 0);
  const auto contexts = [&] {
    writer.ulong(code_sets.empty() ? 0 : 1);
    if (!code_sets.empty()) writer.ulong(1).sequence(code_sets);
  };
  if (minor < 2) contexts();
  // The three zeros are padding in GIOP 1.0, and reserved in later versions.
  writer.ulong(1).octet(minor < 2 ? 1 : 3).octet(0).octet(0).octet(0);
  if (minor == 2) writer.ushort(0);
  writer.sequence(server.key).text("act");
  if (minor < 2) {
    writer.ulong(0).align(4).raw(body);
  } else {
    contexts();
    writer.align(8).raw(body);
  }
  return finish(writer, std::endian::little);
}

/// A servant that stores its string or wstring argument in `seen`, and replies with it.
template <typename T>
ActingServant::Action echo(T& seen) {
  return [&seen](orb::ServerRequest& request) {
    request.arguments() >> seen;
    request.end_of_arguments();
    request.reply([&seen](cdr::Encoder& encoder) { encoder << seen; });
  };
}

/// The octets after the headers of a GIOP 1.2 reply without service contexts.
Octets body_of(const RawReply& reply) { return {reply.message.begin() + 24, reply.message.end()}; }

struct Raised {
  std::string id;
  std::uint32_t minor;
  bool operator==(const Raised&) const = default;
};

Raised raised(const RawReply& reply) {
  REQUIRE(reply.status() == 2);
  return {reply.repository_id(), reply.minor_code()};
}

const Octets e_acute_latin_1 = octets(2, 0, 0, 0, 0xe9, 0);
const Octets euro_utf_16 = octets(2, 0, 0, 0, 0x20, 0xac);

}  // namespace

TEST_CASE("strings are ISO 8859-1 until the client announces a code set for its connection") {
  std::string seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, {}, e_acute_latin_1));
  CHECK(body_of(client.reply()) == e_acute_latin_1);
  CHECK(seen == "\u00e9");
  const Octets e_acute_utf_8 = octets(3, 0, 0, 0, 0xc3, 0xa9, 0);
  for (const Octets& told : {announcement(utf_8, utf_16), announcement(utf_8, utf_16), Octets()}) {
    client.send(request(server, told, e_acute_utf_8));
    CHECK(body_of(client.reply()) == e_acute_utf_8);
    CHECK(seen == "\u00e9");
  }
  RawClient other(server.endpoint);
  other.send(request(server, {}, e_acute_latin_1));
  CHECK(body_of(other.reply()) == e_acute_latin_1);
}

TEST_CASE("wide characters are received and sent in the announced code set") {
  std::wstring seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, announcement(utf_8, utf_16), euro_utf_16));
  CHECK(body_of(client.reply()) == euro_utf_16);
  CHECK(seen == L"\u20ac");
}

TEST_CASE("wide characters without an announced wide code set raise BAD_PARAM, OMG minor 23") {
  std::wstring seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, {}, euro_utf_16));
  CHECK(raised(client.reply()) == Raised{bad_param, omg | 23});
  client.send(request(server, announcement(utf_8, 0), euro_utf_16));
  CHECK(raised(client.reply()) == Raised{bad_param, omg | 23});
}

TEST_CASE("default_wide is the wide code set of clients that announce none") {
  std::wstring seen;
  orb::Settings settings = server_settings(each_strategy());
  settings.code_sets.default_wide = WideSet::utf_16;
  const ServerFixture server(settings, echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, {}, euro_utf_16));
  CHECK(body_of(client.reply()) == euro_utf_16);
}

TEST_CASE("wide characters in GIOP 1.0 raise MARSHAL, OMG minor 5 in a request, 6 in a reply") {
  std::wstring seen;
  const ServerFixture reads(each_strategy(), echo(seen));
  RawClient reader(reads.endpoint);
  reader.send(request(reads, {}, euro_utf_16, 0));
  CHECK(raised(reader.reply()) == Raised{marshal, omg | 5});
  const ServerFixture writes(
      ThreadStrategy::thread_per_connection, [](orb::ServerRequest& request) {
        request.end_of_arguments();
        request.reply([](cdr::Encoder& encoder) { encoder << std::wstring(L"a"); });
      });
  RawClient writer(writes.endpoint);
  writer.send(request(writes, {}, {}, 0));
  CHECK(raised(writer.reply()) == Raised{marshal, omg | 6});
}

TEST_CASE("code sets that the server does not support raise CODESET_INCOMPATIBLE, OMG minor 2") {
  std::string seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, announcement(0x00030010, utf_16), e_acute_latin_1));
  CHECK(raised(client.reply()) == Raised{incompatible, omg | 2});
  client.send(request(server, announcement(utf_8, 0x00030010), e_acute_latin_1));
  CHECK(raised(client.reply()) == Raised{incompatible, omg | 2});
  client.send(request(server, {}, e_acute_latin_1));
  CHECK(body_of(client.reply()) == e_acute_latin_1);
}

TEST_CASE("a second, different announcement raises MARSHAL, OMG minor 9; the first stays valid") {
  std::string seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  client.send(request(server, announcement(latin_1, utf_16), e_acute_latin_1));
  CHECK(body_of(client.reply()) == e_acute_latin_1);
  client.send(request(server, announcement(utf_8, utf_16), e_acute_latin_1));
  CHECK(raised(client.reply()) == Raised{marshal, omg | 9});
  client.send(request(server, {}, e_acute_latin_1));
  CHECK(body_of(client.reply()) == e_acute_latin_1);
}

TEST_CASE("a malformed announcement raises MARSHAL") {
  std::string seen;
  const ServerFixture server(each_strategy(), echo(seen));
  RawClient client(server.endpoint);
  for (const Octets& broken : {octets(0, 0, 0), octets(2, 0, 0, 0, 5, 1, 0, 1, 0, 1, 1, 9)}) {
    client.send(request(server, broken, e_acute_latin_1));
    CHECK(raised(client.reply()) == Raised{marshal, 0});
  }
}

TEST_CASE("arguments and results that cannot be converted raise DATA_CONVERSION") {
  std::string seen;
  const Octets half_a_pair = octets(2, 0, 0, 0, 0xd8, 0x34);
  const ServerFixture writes(
      ThreadStrategy::thread_per_connection, [](orb::ServerRequest& request) {
        std::wstring text;
        if (request.arguments().remaining() > 0) request.arguments() >> text;
        request.end_of_arguments();
        request.reply([](cdr::Encoder& encoder) { encoder << std::string("\u20ac"); });
      });
  RawClient writer(writes.endpoint);
  writer.send(request(writes, announcement(latin_1, utf_16), half_a_pair));
  CHECK(raised(writer.reply()) == Raised{data_conversion, omg | 1});
  writer.send(request(writes, {}, {}));
  CHECK(raised(writer.reply()) == Raised{data_conversion, omg | 1});
  orb::Settings latin = server_settings(ThreadStrategy::thread_per_connection);
  latin.code_sets.native_char = CharSet::iso_8859_1;
  const ServerFixture reads(latin, echo(seen));
  RawClient reader(reads.endpoint);
  reader.send(request(reads, announcement(utf_8, utf_16), octets(4, 0, 0, 0, 0xe2, 0x82, 0xac, 0)));
  CHECK(raised(reader.reply()) == Raised{data_conversion, omg | 1});
}
