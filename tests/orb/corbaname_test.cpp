// corbaname URLs and names as text. CORBA 3.0, 13.6.10.5; Naming Service 1.3, 2.4.
#include "orb/references/corbaname.h"

#include "orb/fixture.h"
#include "orb/references/reference.h"

#include <doctest/doctest.h>

namespace perigee::test {

using orb::NameComponent;
using orb::parse_corbaname;
using orb::parse_name;
using Components = std::vector<NameComponent>;

TEST_CASE("a name is components with ids and kinds") {
  CHECK(*parse_name("a/b.c/d") == Components{{"a", ""}, {"b", "c"}, {"d", ""}});
  CHECK(*parse_name(".kind") == Components{{"", "kind"}});
  CHECK(*parse_name(".") == Components{{"", ""}});
  CHECK(*parse_name("a/./b") == Components{{"a", ""}, {"", ""}, {"b", ""}});
}

TEST_CASE("a backslash escapes the next character") {
  CHECK(*parse_name("a\\/b.c\\.d\\\\") == Components{{"a/b", "c.d\\"}});
}

TEST_CASE("malformed names are refused") {
  for (const char* text : {"", "/", "a/", "/a", "a//b", "a.", "a.b.c", "a\\", "a\\b", "a/b."})
    CHECK_MESSAGE(!parse_name(text), text);
}

TEST_CASE("a corbaname is a corbaloc and a name") {
  const auto url = parse_corbaname("corbaname::host:1234/Key#x%20y.z/b");
  REQUIRE(url);
  CHECK(url->corbaloc == "corbaloc::host:1234/Key");
  CHECK(url->name == Components{{"x y", "z"}, {"b", ""}});
}

TEST_CASE("without a key the key is NameService, without a name the URL means the context") {
  CHECK(parse_corbaname("corbaname::host")->corbaloc == "corbaloc::host/NameService");
  CHECK(parse_corbaname("corbaname::host/")->corbaloc == "corbaloc::host/NameService");
  CHECK(parse_corbaname("corbaname::host#a")->corbaloc == "corbaloc::host/NameService");
  CHECK(parse_corbaname("corbaname:rir:#a")->corbaloc == "corbaloc:rir:/NameService");
  CHECK(parse_corbaname("corbaname:rir:/Other#a")->corbaloc == "corbaloc:rir:/Other");
  CHECK(parse_corbaname("corbaname::host")->name.empty());
  CHECK(parse_corbaname("corbaname::host#")->name.empty());
}

TEST_CASE("malformed corbaname URLs are refused") {
  for (const char* text : {"corbaname:", "corbaname:#a", "corbaname::h#a%", "corbaname::h#a%2g",
                           "corbaname::h#a%00", "corbaname::h#a//b", "corbaname::h o#a"})
    CHECK_MESSAGE(!parse_corbaname(text), text);
}

TEST_CASE("resolving a corbaname asks the naming context for the name") {
  Fixture fixture;
  std::string asked;
  const auto target = fixture.ior({"target"});
  fixture.peer("names", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    asked = std::string(request->header.operation);
    cdr::Decoder arguments = request->body;
    for (auto count = arguments.read<std::uint32_t>(); count > 0; --count) {
      asked += ' ' + std::string(arguments.read_string_view());
      asked += '.' + std::string(arguments.read_string_view());
    }
    send_reply(transport, message, ReplyStatus::no_exception,
               [&](cdr::Encoder& encoder) { iop::encode(encoder, target); });
  });
  fixture.core().register_initial_reference("NameService", fixture.object({"names"}));
  const auto found = fixture.core().string_to_object("corbaname:rir:#a.k/b");
  CHECK(asked == "resolve a.k b.");
  CHECK(found->_reference()->ior() == target);
}

TEST_CASE("a name that is not bound raises BAD_PARAM") {
  Fixture fixture;
  fixture.peer("names", reply_with(ReplyStatus::user_exception, [](cdr::Encoder& encoder) {
                 encoder.write_string("IDL:omg.org/CosNaming/NamingContext/NotFound:1.0");
                 encoder.write(std::uint32_t{0});
                 encoder.write(std::uint32_t{0});
               }));
  fixture.core().register_initial_reference("NameService", fixture.object({"names"}));
  const auto exception =
      caught<CORBA::BAD_PARAM>([&] { (void)fixture.core().string_to_object("corbaname:rir:#a"); });
  CHECK(exception.minor() == orb::omg_minor(10));
}

}  // namespace perigee::test
