// CORBA::Context: properties, scopes and patterns, and how a request carries them.
#include "orb/fixture.h"
#include <perigee/orb/context.h>

#include <doctest/doctest.h>

namespace perigee::test {

namespace {

using ContextRef = IDL::traits<CORBA::Context>::ref_type;
using CORBA::ContextValues;

ContextRef make_root() {
  const ContextRef root(perigee::make_counted<CORBA::Context>("root"));
  root->set_values({{"user", "root"}, {"lang.first", "en"}, {"lang.second", "de"}});
  return root;
}

Octets encoded(const ContextRef& context, std::initializer_list<std::string_view> patterns) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << stub::selected(context, patterns);
  CHECK(encoder.ok());
  return buffer.flatten();
}

// Decodes a context; nil if the octets are refused.
ContextRef decoded(const Octets& octets) {
  cdr::Decoder decoder(octets, std::endian::native);
  ContextRef context;
  decoder >> context;
  CHECK(decoder.ok() == static_cast<bool>(context));
  return context;
}

// A sequence that claims to have `count` strings, and has only `there` strings.
Octets strings(std::uint32_t count, std::size_t there) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder.write_length(count);
  for (std::size_t index = 0; index < there; ++index) encoder.write_string(std::to_string(index));
  return buffer.flatten();
}

std::uint32_t bad_context(auto&& call) { return caught<CORBA::BAD_CONTEXT>(call).minor(); }

constexpr std::uint32_t no_context = CORBA::OMGVMCID | 1;
constexpr std::uint32_t no_property = CORBA::OMGVMCID | 2;

}  // namespace

TEST_CASE("an ORB has one default context, which has no name and no parent") {
  Fixture fixture;
  CORBA::ORB orb(fixture.core().shared_from_this());
  const auto root = orb.get_default_context();
  CHECK(root == orb.get_default_context());
  CHECK(root->context_name().empty());
  CHECK_FALSE(root->parent());
  const auto child = root->create_child("session");
  CHECK(child->context_name() == "session");
  CHECK(child->parent() == root);
}

TEST_CASE("child contexts inherit a property unless they have their own") {
  const auto root = make_root();
  const auto child = root->create_child("child");
  CHECK(child->get_values("", 0, "user") == ContextValues{{"user", "root"}});
  child->set_one_value("user", "ada");
  CHECK(child->get_values("", 0, "user") == ContextValues{{"user", "ada"}});
  CHECK(root->get_values("", 0, "user") == ContextValues{{"user", "root"}});
}

TEST_CASE("a pattern that ends with a star matches all names with this prefix") {
  const auto child = make_root()->create_child("child");
  child->set_one_value("lang.second", "fr");
  CHECK(child->get_values("", 0, "lang.*") ==
        ContextValues{{"lang.first", "en"}, {"lang.second", "fr"}});
  CHECK(child->get_values("", 0, "*").size() == 3);
  CHECK(bad_context([&] { (void)child->get_values("", 0, "lang"); }) == no_property);
}

TEST_CASE("names of properties are not case-sensitive") {
  const auto root = make_root();
  root->set_one_value("User", "ada");
  CHECK(root->get_values("", 0, "USER").at("user") == "ada");
  CHECK(root->get_values("", 0, "LANG*").size() == 2);
  CHECK(root->get_values("", 0, "*").size() == 3);
}

TEST_CASE("a search may begin at a context further up, and end there") {
  const auto root = make_root();
  const auto child = root->create_child("child");
  const auto leaf = child->create_child("leaf");
  leaf->set_one_value("user", "leaf");
  child->set_one_value("colour", "red");
  CHECK(leaf->get_values("child", 0, "user").at("user") == "root");
  CHECK(bad_context([&] { (void)leaf->get_values("child", CORBA::CTX_RESTRICT_SCOPE, "user"); }) ==
        no_property);
  CHECK(leaf->get_values("child", CORBA::CTX_RESTRICT_SCOPE, "*").size() == 1);
  CHECK(bad_context([&] { (void)leaf->get_values("nobody", 0, "user"); }) == no_context);
}

TEST_CASE("properties are deleted by patterns, in their own context only") {
  const auto root = make_root();
  const auto child = root->create_child("child");
  CHECK(bad_context([&] { child->delete_values("user"); }) == no_property);
  root->delete_values("lang.*");
  CHECK(child->get_values("", 0, "*") == ContextValues{{"user", "root"}});
}

TEST_CASE("a name that is empty or a pattern raises BAD_PARAM, and nothing is set") {
  const auto root = make_root();
  CHECK_THROWS_AS(root->set_one_value("", "x"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(root->set_one_value("lang*", "x"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(root->set_values({{"a", "x"}, {"b*", "x"}}), CORBA::BAD_PARAM);
  CHECK(root->get_values("", 0, "*").size() == 3);
}

TEST_CASE("a request carries each property that the context clause names once") {
  const auto child = make_root()->create_child("child");
  child->set_one_value("user", "ada");
  cdr::Buffer expected;
  cdr::Encoder encoder(expected);
  encoder.write_length(4);
  for (const char* text : {"lang.first", "en", "user", "ada"}) encoder.write_string(text);
  CHECK(encoded(child, {"user", "lang.first", "lang.first*", "absent"}) == expected.flatten());
  CHECK(encoded(child, {"absent"}) == strings(0, 0));
  CHECK(encoded(nullptr, {"user"}) == strings(0, 0));
}

TEST_CASE("the receiver gets the properties that were sent") {
  const auto received = decoded(encoded(make_root(), {"*"}));
  REQUIRE(received);
  CHECK(received->get_values("", 0, "*") ==
        ContextValues{{"user", "root"}, {"lang.first", "en"}, {"lang.second", "de"}});
  CHECK_FALSE(received->parent());
  CHECK(decoded(strings(0, 0)));
}

TEST_CASE("contexts that are not pairs, truncated or too large are refused") {
  CHECK_FALSE(decoded(strings(3, 3)));
  CHECK_FALSE(decoded(strings(4, 3)));
  CHECK_FALSE(decoded(strings(0xffff'fffe, 2)));
  const std::size_t most = 2 * stub::context_values_max;
  CHECK(decoded(strings(static_cast<std::uint32_t>(most), most)));
  CHECK_FALSE(decoded(strings(static_cast<std::uint32_t>(most + 2), most + 2)));
  const Octets whole = encoded(make_root(), {"*"});
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(decoded({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
}

TEST_CASE("encoding fails if a context has too many properties for a request") {
  const auto root = make_root();
  for (std::size_t index = 0; index < stub::context_values_max; ++index)
    root->set_one_value("p" + std::to_string(index), "");
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  const std::string_view all[] = {"*"};
  encoder << stub::selected(root, all);
  CHECK_FALSE(encoder.ok());
}

}  // namespace perigee::test
