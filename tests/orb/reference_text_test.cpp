// string_to_object, object_to_string and initial references.
#include "orb/fixture.h"
#include "orb/references/reference.h"
#include "support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

namespace perigee::test {

namespace {

std::uint32_t bad_param_minor(CORBA::ORB& orb, const std::string& text) {
  return caught<CORBA::BAD_PARAM>([&] { (void)orb.string_to_object(text); }).minor() &
         0xfff;  // OMG minor 7: scheme, 8: address, 9: scheme specific part, 10: other
}

/// A file in a folder of its own.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(path_) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("reference");
};

struct OrbFixture : Fixture {
  using Fixture::Fixture;
  CORBA::ORB orb{core().shared_from_this()};
};

}  // namespace

TEST_CASE("a reference survives object_to_string and string_to_object") {
  OrbFixture fixture;
  const auto object = fixture.object({"a", "b"});
  const auto again = fixture.orb.string_to_object(fixture.orb.object_to_string(object));
  CHECK(again->_reference()->ior() == object->_reference()->ior());
  CHECK(again->_is_equivalent(object));
}

TEST_CASE("the text of a nil reference gives a nil reference") {
  OrbFixture fixture;
  CHECK_FALSE(fixture.orb.string_to_object(fixture.orb.object_to_string(nullptr)));
}

TEST_CASE("a malformed reference raises BAD_PARAM with the OMG minor code of its error") {
  OrbFixture fixture;
  CHECK(bad_param_minor(fixture.orb, "gopher:x") == 7);
  CHECK(bad_param_minor(fixture.orb, "") == 7);
  CHECK(bad_param_minor(fixture.orb, "corbaname::host#a//b") == 9);
  CHECK(bad_param_minor(fixture.orb, "corbaloc:nosuch:host/key") >= 7);
  CHECK(bad_param_minor(fixture.orb, "IOR:zz") >= 7);
  CHECK(bad_param_minor(fixture.orb, "file:///no/such/file") == 9);
}

TEST_CASE("a corbaloc leads to its object") {
  OrbFixture fixture;
  fixture.peer("server", reply_with_nothing());
  const auto object = fixture.orb.string_to_object("corbaloc:test:1.2@server/key");
  ping(object);
  CHECK(fixture.counts("server").sends == 1);
}

TEST_CASE("a file may have white space before and after its reference") {
  OrbFixture fixture;
  const auto object = fixture.object({"a"});
  const TemporaryFile file("\n " + fixture.orb.object_to_string(object) + " \n");
  CHECK(fixture.orb.string_to_object("file://" + file.path())->_is_equivalent(object));
  CHECK(fixture.orb.string_to_object("file:" + file.path())->_is_equivalent(object));
}

TEST_CASE("a file that is larger than the limit raises BAD_PARAM, and the text names the limit") {
  OrbFixture fixture;
  const auto object = fixture.object({"a"});
  const std::string reference = fixture.orb.object_to_string(object);
  const TemporaryFile largest(std::string(128 * 1024 - reference.size(), ' ') + reference);
  CHECK(fixture.orb.string_to_object("file:" + largest.path())->_is_equivalent(object));
  std::ofstream(largest.path(), std::ios::app) << ' ';
  const auto error = caught<CORBA::BAD_PARAM>(
      [&] { (void)fixture.orb.string_to_object("file:" + largest.path()); });
  CHECK((error.minor() & 0xfff) == 9);
  CHECK(error.detail().contains("131072 octets"));
}

TEST_CASE("a file that names itself raises BAD_PARAM") {
  OrbFixture fixture;
  const TemporaryFile file("");
  std::ofstream(file.path()) << "file://" << file.path();
  CHECK(bad_param_minor(fixture.orb, "file://" + file.path()) == 10);
}

TEST_CASE("initial references come from the options, then the table, then the default") {
  orb::Settings settings;
  settings.initial_references = {{"Configured", "corbaloc:test:1.2@server/configured"}};
  settings.default_initial_reference = "corbaloc:test:1.2@server";
  OrbFixture fixture(settings);
  const auto registered = fixture.object({"a"});
  fixture.orb.register_initial_reference("Registered", registered);
  CHECK(fixture.orb.resolve_initial_references("Registered") == registered);
  CHECK(fixture.orb.string_to_object("corbaloc:rir:/Registered") == registered);
  const auto same = [&](const char* name, const char* url) {
    return fixture.orb.resolve_initial_references(name)->_is_equivalent(
        fixture.orb.string_to_object(url));
  };
  CHECK(same("Configured", "corbaloc:test:1.2@server/configured"));
  CHECK(same("Other", "corbaloc:test:1.2@server/Other"));
  CHECK(fixture.orb.list_initial_services() ==
        std::vector<std::string>{"Configured", "CodecFactory", "ORBPolicyManager", "PolicyCurrent",
                                 "RTORB", "Registered", "TypeCodeFactory"});
}

TEST_CASE("an unknown initial reference raises InvalidName, and so does a second registration") {
  OrbFixture fixture;
  const auto object = fixture.object({"a"});
  CHECK_THROWS_AS((void)fixture.orb.resolve_initial_references("None"), CORBA::InvalidName);
  CHECK_THROWS_AS((void)fixture.orb.string_to_object("corbaloc:rir:/None"), CORBA::BAD_PARAM);
  fixture.orb.register_initial_reference("Once", object);
  CHECK_THROWS_AS(fixture.orb.register_initial_reference("Once", object), CORBA::InvalidName);
  CHECK_THROWS_AS(fixture.orb.register_initial_reference("Nil", nullptr), CORBA::BAD_PARAM);
}

TEST_CASE("an initial reference that is defined by itself raises BAD_PARAM") {
  orb::Settings settings;
  settings.initial_references = {{"Loop", "corbaloc:rir:/Loop"}};
  OrbFixture fixture(settings);
  CHECK_THROWS_AS((void)fixture.orb.resolve_initial_references("Loop"), CORBA::BAD_PARAM);
}

}  // namespace perigee::test
