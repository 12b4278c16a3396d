// The sources of references for `perigee ior`, and the errors if there is no reference.
#include "ior_command.h"
#include "orb_options.h"
#include "support/memory_protocol.h"
#include "support/octets.h"
#include <perigee/iop/ior.h>
#include <perigee/transport/tcp.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace perigee;

namespace {

const transport::ProtocolRegistry& protocols() {
  static const auto* const made = [] {
    auto* const fresh = new transport::ProtocolRegistry;
    REQUIRE(fresh->add(transport::make_tcp_protocol()));
    REQUIRE(fresh->add(test::make_memory_protocol(std::make_shared<test::MemoryHub>())));
    return fresh;
  }();
  return *made;
}

std::expected<std::string, std::string> describe_reference(
    const std::string& reference, tool::Format format = tool::Format::text) {
  return tool::describe_reference(reference, protocols(), format);
}

std::string example_ior() {
  const iop::IiopProfile profile{.host = "h", .port = 1, .object_key = test::octets('k')};
  return iop::to_ior_string({.type_id = "IDL:A:1.0", .profiles = {iop::encode_profile(profile)}});
}

/// A reference with a profile of the memory protocol, which this test has added to the registry.
std::string memory_ior() {
  const Octets key = test::octets('k');
  const iop::TaggedComponent component{.tag = 4711, .data = test::octets('c')};
  const transport::ProfileSource source{
      .major = 1, .minor = 2, .object_key = key, .components = {&component, 1}};
  const auto profile = protocols().find("memory")->make_profile({"memory", "hall"}, source);
  return iop::to_ior_string({.type_id = "IDL:A:1.0", .profiles = {profile}});
}

// A file of this test in the working folder, which the destructor deletes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(path_) << text; }
  ~TemporaryFile() {
    std::error_code ignored;  // a remaining file does no harm
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  // Copies of the test may run at the same time.
  std::string path_ = "test_ior_command." + std::to_string(::getpid()) + ".ior";
};

}  // namespace

TEST_CASE("an IOR on the command line is described") {
  const auto text = describe_reference(example_ior());
  REQUIRE(text.has_value());
  CHECK(text->starts_with("type id: IDL:A:1.0\n"));
  CHECK(
      text->ends_with("a client here tries:\n  1. iiop://h:1 (profile 1): through the network\n"));
}

TEST_CASE("the description is also available as JSON") {
  const auto text = describe_reference(example_ior(), perigee::tool::Format::json);
  REQUIRE(text.has_value());
  CHECK(text->find("\"type_id\":\"IDL:A:1.0\"") != std::string::npos);
}

TEST_CASE("a file's reference is described, with or without file:") {
  const TemporaryFile file(" \n" + example_ior() + "\n");
  for (const std::string& name : {file.path(), "file:" + file.path()}) {
    CAPTURE(name);
    CHECK(describe_reference(name) == describe_reference(example_ior()));
  }
}

TEST_CASE("a corbaloc on the command line is described") {
  const auto text = describe_reference("corbaloc:rir:/NameService");
  REQUIRE(text.has_value());
  CHECK(*text == "initial reference: NameService\n");
}

TEST_CASE("text that is neither a reference nor a file is an error with this reason") {
  const auto text = describe_reference("no/such/file");
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error() ==
        "no/such/file: neither a file nor an IOR:, corbaloc: or corbaname: reference");
}

TEST_CASE("a file may name another file, which must contain a reference; a loop is an error") {
  const TemporaryFile inner(example_ior());
  const std::string outer_path = "outer." + inner.path();
  const auto write = [&](const std::string& text) { std::ofstream(outer_path) << text; };
  write("file:" + inner.path());
  CHECK(describe_reference("file:" + outer_path) == describe_reference(example_ior()));
  write("file:" + outer_path);
  CHECK(describe_reference(outer_path).error() ==
        outer_path + ": each file names another file; write a reference into one of them");
  write(inner.path());  // a path, not a URL
  CHECK(describe_reference(outer_path).error() ==
        "'" + inner.path() + "' is not a reference: neither IOR:, corbaloc:, corbaname: nor file:");
  std::filesystem::remove(outer_path);
}

TEST_CASE("a corbaname is described by its naming context and its name") {
  const auto text = describe_reference("corbaname::h:1#a/b");
  REQUIRE(text.has_value());
  CHECK(text->find("address: iiop 1.0 at h:1\n") != std::string::npos);
  CHECK(text->find("|NameService|") != std::string::npos);
  CHECK(
      text->ends_with("  name in the context: a/b\na client here tries:\n"
                      "  1. iiop://h:1: through the network\n"));
  const auto json = describe_reference("corbaname::h:1/Other#a", tool::Format::json);
  REQUIRE(json.has_value());
  CHECK(json->find("\"name\":\"a\"") != std::string::npos);
  CHECK(json->find("\"endpoint\":\"iiop://h:1\"") != std::string::npos);
}

TEST_CASE("an empty file and a damaged IOR are errors") {
  const TemporaryFile file(" \n");
  CHECK_FALSE(describe_reference(file.path()).has_value());
  const std::string damaged = example_ior();
  CHECK_FALSE(describe_reference(damaged.substr(0, damaged.size() - 3)).has_value());
  CHECK_FALSE(describe_reference("IOR:xyz").has_value());
}

TEST_CASE("a profile of an added protocol is described by that protocol") {
  const auto text = describe_reference(memory_ior());
  REQUIRE(text.has_value());
  CHECK(text->find("address:    memory://hall\n  object key: ") != std::string::npos);
  CHECK(text->find("component:  unknown (tag 4711)") != std::string::npos);
  CHECK(text->find("  1. memory://hall (profile 1): ") != std::string::npos);
  const auto json = describe_reference(memory_ior(), tool::Format::json);
  REQUIRE(json.has_value());
  CHECK(json->find("\"memory://hall\"") != std::string::npos);
}

TEST_CASE("options of ORBs are removed from the words, with their values") {
  std::vector<std::string> words{"ior", "-ORBProtocolLibrary", "a.so", "x", "-ORBHelp", "-"};
  const std::vector<std::string> options = tool::take_orb_options(words);
  CHECK(options == std::vector<std::string>{"-ORBProtocolLibrary", "a.so", "-ORBHelp"});
  CHECK(words == std::vector<std::string>{"ior", "x", "-"});
  words = {"ior", "-ORBTraceLevel"};
  CHECK(tool::take_orb_options(words).size() == 1);
  CHECK(words.size() == 1);
}
