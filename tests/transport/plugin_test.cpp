// Loading shared libraries with protocols. A suitable library works at once; an unsuitable library
// is an error with a reason, and changes nothing.
#include <perigee/transport/plugin.h>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace perigee::transport {
namespace {

std::string library(const std::string& name) {
  return PERIGEE_PLUGIN_FOLDER "/test_plugin_" + name + ".so";
}

/// The error of loading a library, without the path; empty if the library was loaded.
std::string failure_of(ProtocolRegistry& registry, const std::string& name) {
  const std::vector<std::string> schemes = registry.schemes();
  const auto loaded = registry.load(library(name));
  if (loaded) return {};
  CHECK(registry.schemes() == schemes);
  std::string text = to_string(loaded.error());
  const std::size_t path = text.find(library(name));
  if (path != std::string::npos) text.replace(path, library(name).size(), "X");
  return text;
}

std::string failure_of(const std::string& name) {
  ProtocolRegistry registry;
  return failure_of(registry, name);
}

TEST_CASE("a plug-in's protocols are found once it is loaded") {
  ProtocolRegistry registry;
  CHECK(failure_of(registry, "fitting").empty());
  CHECK(registry.find("plugged")->name() == "plugged");
  CHECK(registry.find("plugged2")->name() == "plugged2");
  ProtocolRegistry other;  // another ORB in the process
  CHECK(failure_of(other, "fitting").empty());
  CHECK(registry.find("plugged") != other.find("plugged"));
}

TEST_CASE("a plug-in is loaded once; another plug-in with its scheme is refused") {
  ProtocolRegistry registry;
  CHECK(failure_of(registry, "fitting").empty());
  const std::string there = "protocol plugged is registered already: the plug-in cannot be used";
  CHECK(failure_of(registry, "fitting") == there);
  CHECK(failure_of(registry, "same_twice") == there);
  CHECK(failure_of("same_twice") == there);
}

TEST_CASE("a removed protocol is not found any more, and can be loaded again") {
  ProtocolRegistry registry;
  CHECK(failure_of(registry, "fitting").empty());
  ProtocolFactory* const in_use = registry.find("plugged");
  CHECK(registry.remove("plugged"));
  CHECK(registry.remove("plugged2"));
  CHECK_FALSE(registry.remove("plugged"));
  CHECK(registry.find("plugged") == nullptr);
  CHECK(in_use->name() == "plugged");
  CHECK(failure_of(registry, "fitting").empty());
  CHECK(registry.find("plugged") != in_use);
}

TEST_CASE("a missing file and a file that is not a shared library have their own errors") {
  ProtocolRegistry registry;
  CHECK(failure_of(registry, "missing").find("No such file or directory") != std::string::npos);
  const auto text = registry.load(PERIGEE_SOURCE_FOLDER "/README.md");
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error().kind == IoErrorKind::bad_plugin);
  CHECK(to_string(text.error()).find("invalid ELF header") != std::string::npos);
  CHECK_FALSE(registry.load("").has_value());
}

TEST_CASE("the error for a missing name without a folder explains how to name a local file") {
  ProtocolRegistry registry;
  const auto loaded = registry.load("libperigee_none.so");
  REQUIRE_FALSE(loaded.has_value());
  CHECK(to_string(loaded.error()).find("write ./libperigee_none.so") != std::string::npos);
  CHECK(failure_of("missing").find("write ./") == std::string::npos);
}

TEST_CASE("only a regular file is opened: opening a pipe would block") {
  const std::string path = "/tmp/perigee_plugin_test_" + std::to_string(::getpid()) + ".fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  ProtocolRegistry registry;
  const auto pipe = registry.load(path);
  CHECK(::unlink(path.c_str()) == 0);
  REQUIRE_FALSE(pipe.has_value());
  CHECK(to_string(pipe.error()).find("not a regular file") != std::string::npos);
  CHECK_FALSE(registry.load("/tmp").has_value());
}

TEST_CASE("a library that is not a plug-in, or lacks symbols, has its own error") {
  CHECK(failure_of("other") ==
        "load X (not a plug-in: there is no symbol perigee_protocol_plugin): "
        "the plug-in cannot be used");
  CHECK(failure_of("incomplete").find("undefined symbol: perigee_function_of_the_future") !=
        std::string::npos);
}

TEST_CASE("data with the name of the entry function is not executed") {
  CHECK(failure_of("data") ==
        "load X (not a plug-in: perigee_protocol_plugin is not a function): the plug-in cannot be "
        "used");
}

TEST_CASE("a plug-in for another ORB is not called, and the error names the difference") {
  CHECK(failure_of("other_magic") ==
        "load X (not a plug-in of this ORB, or made for another plug-in interface): "
        "the plug-in cannot be used");
  CHECK(failure_of("other_build") == "load X (built with gcc 4, headers 0.0.1, the ORB with " +
                                         std::string(plugin_build) +
                                         "): the plug-in cannot be used");
  CHECK(failure_of("other_home") ==
        "load X (linked with another copy of the ORB than the program): "
        "the plug-in cannot be used");
}

TEST_CASE("a description without a build or a function is refused") {
  CHECK(failure_of("no_build") ==
        "load X (its description names no build): the plug-in cannot be used");
  CHECK(failure_of("no_function") ==
        "load X (its description names no function): the plug-in cannot be used");
}

TEST_CASE("a plug-in that fails or brings no protocol changes nothing") {
  CHECK(failure_of("nothing") == "load X (it has no protocols): the plug-in cannot be used");
  CHECK(failure_of("exception") ==
        "load X (it has failed: out of order): the plug-in cannot be used");
  CHECK(failure_of("number") ==
        "load X (it has failed with an exception of no standard type): the plug-in cannot be used");
}

}  // namespace
}  // namespace perigee::transport
