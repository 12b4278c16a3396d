// Plug-ins with ORB initializers, which -ORBInitializerLibrary loads.
#include "desk.h"
#include <perigee/orb/tagged_components.h>
#include <perigee/poa/request_contexts.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace perigee::test {

namespace {

using Data = std::vector<std::uint8_t>;

std::string plugin(const std::string& name) {
  return PERIGEE_PLUGIN_FOLDER "/test_initializer_plugin_" + name + ".so";
}

/// The error of ORB_init, with X in place of the path of the plug-in.
std::string failure_of(const std::string& name, std::vector<std::string> options = {}) {
  const std::string path = plugin(name);
  if (options.empty()) options = {"program", "-ORBInitializerLibrary", path};
  try {
    make_orb("plug-in " + name, options, nullptr)->destroy();
    return "no error";
  } catch (const CORBA::INITIALIZE& exception) {
    std::string text = exception.detail();
    if (const std::size_t at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), "X");
    return text;
  }
}

class ContextClerk final : public CORBA::servant_traits<Desk::Clerk>::base_type {
 public:
  std::int32_t twice(std::int32_t value) override {
    const auto context = request_service_context(0x48000001);
    seen = context ? context->context_data() : Data{};
    return 2 * value;
  }
  void note(std::int32_t) override {}
  Data seen;
};

}  // namespace

TEST_CASE("a plug-in adds contexts and components to a client and a server without changes") {
  const std::vector<std::string> option{"-ORBInitializerLibrary", plugin("tenant")};
  Data reply_data;
  DeskOrbs orbs({.clients = {{{"receive_reply",
                               [&](const ClientInfoRef& info) {
                                 reply_data =
                                     info->get_reply_service_context(0x48000002).context_data();
                               }}}},
                 .servers = {},
                 .client_options = option},
                Kind::plain, option);
  const auto servant = CORBA::make_reference<ContextClerk>();
  const ClerkRef remote = orbs.serve(servant);
  const auto local = IDL::traits<Desk::Clerk>::narrow(
      orbs.server->string_to_object(orbs.client->object_to_string(remote)));
  for (const ClerkRef& clerk : {remote, local}) {
    CHECK(clerk->twice(1) == 2);
    CHECK(std::exchange(static_cast<ContextClerk&>(*servant).seen, {}) == Data{4, 5});
    CHECK(std::exchange(reply_data, {}) == Data{3});
  }
  CHECK(tagged_components(remote, 0x48000001) == IOP::TaggedComponentSeq{{0x48000001, {1, 2}}});
}

TEST_CASE("a plug-in concerns only the ORBs that load it") {
  DeskOrbs with({.clients = {}, .servers = {}}, Kind::plain,
                {"-ORBInitializerLibrary", plugin("tenant")});
  const DeskOrbs without({.clients = {}, .servers = {}});
  CHECK(tagged_components(with.clerk, 0x48000001).size() == 1);
  CHECK(tagged_components(without.clerk, 0x48000001).empty());
}

TEST_CASE("a plug-in that is named twice makes two initializers, whose names clash") {
  const std::vector<std::string> options{
      "program",        "-ORBInitializerLibrary", plugin("tenant"),    "-ORBInitializerLibrary",
      plugin("tenant"), "-ORBListenEndpoints",    "iiop://127.0.0.1:0"};
  CHECK_THROWS_AS((void)make_orb("twice", options, nullptr),
                  PortableInterceptor::ORBInitInfo::DuplicateName);
}

TEST_CASE("a plug-in that cannot be used makes ORB_init fail, and the error gives the reason") {
  const std::string cannot = ": the plug-in cannot be used";
  CHECK(failure_of("missing").find("No such file or directory") != std::string::npos);
  CHECK(failure_of("nothing") == "load X (it has no initializer)" + cannot);
  CHECK(failure_of("exception") == "load X (it has failed: out of order)" + cannot);
  CHECK(failure_of("number") ==
        "load X (it has failed with an exception of no standard type)" + cannot);
  CHECK(failure_of("strange").starts_with("load X (built with gcc 4, headers 0.0.1, the ORB with"));
  CHECK(failure_of("other") ==
        "load X (not a plug-in: there is no symbol perigee_initializer_plugin)" + cannot);
  CHECK(failure_of("no_build") == "load X (its description names no build)" + cannot);
  CHECK(failure_of("no_function") == "load X (its description names no function)" + cannot);
  CHECK(failure_of("thrown") == "load X (it has failed: out of order)" + cannot);
  CHECK(failure_of("tenant") == "no error");
}

TEST_CASE("the error of a plug-in in a configuration file names the place in the file") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("perigee_plugins_" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file) << "[interceptors]\nload = [\"" << plugin("nothing") << "\"]\n";
  const std::string text = failure_of("nothing", {"program", "-ORBConfigFile", file.string()});
  std::filesystem::remove(file);
  CHECK(text.find("it has no initializer") != std::string::npos);
  CHECK(text.find(".toml:2:") != std::string::npos);
}

}  // namespace perigee::test
