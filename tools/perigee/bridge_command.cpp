// Runs the command `perigee bridge`. The bridge uses the protocols of an ORB, which serves no
// objects.
#include "bridge_command.h"

#include "bridge_arguments.h"
#include "ior_command.h"
#include "make_orb.h"
#include "reach.h"
#include "result.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/bridge/bridge.h>
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace perigee::tool {

namespace {

/// An error. `text` is a message for the user.
struct Failure {
  std::string text;
};

/// A corbaloc is converted into a reference.
iop::Ior parse_reference(CORBA::ORB& orb, const std::string& reference) {
  const auto text = reference_text(reference);
  if (!text) throw Failure{text.error()};
  try {
    auto ior = iop::parse_ior_string(orb.object_to_string(orb.string_to_object(*text)));
    if (!ior) throw Failure{ior.error().text};
    return std::move(*ior);
  } catch (const CORBA::SystemException& exception) {
    throw Failure{exception.detail().empty() ? exception.what() : exception.detail()};
  }
}

/// The text for scripts: the references, one per line, or else the addresses at which the bridge
/// listens.
Result describe(const bridge::Bridge& bridge) {
  Result result{{},
                {{"target", to_string(bridge.target())},
                 {"listening", nlohmann::json::array()},
                 {"references", nlohmann::json::array()}}};
  for (const iop::Ior& ior : bridge.references()) {
    result.text += to_ior_string(ior) + '\n';
    result.json["references"].push_back(to_ior_string(ior));
  }
  for (const transport::Endpoint& endpoint : bridge.listening()) {
    if (bridge.references().empty()) result.text += "listening at " + to_string(endpoint) + '\n';
    result.json["listening"].push_back(to_string(endpoint));
  }
  return result;
}

/// The ORB of the command has TLS only if an option of TLS is given.
void check_tls(const transport::ProtocolRegistry& protocols, const bridge::Options& options) {
  if (protocols.find("ssliop") != nullptr) return;
  const auto check = [](const transport::Endpoint& endpoint, const char* advice) {
    if (endpoint.scheme == "ssliop")
      throw Failure{printable(to_string(endpoint)) + ": TLS is off; " + advice};
  };
  for (const transport::Endpoint& endpoint : options.listen)
    check(endpoint, "give the bridge a certificate with -ORBTlsCertificate and -ORBTlsKey");
  if (options.target)
    check(
        *options.target,
        "name the authorities to trust with -ORBTlsAuthorities, or trust those of the system with "
        "-ORBTls allowed");
}

void serve(CORBA::ORB& orb, const BridgeArguments& arguments, bridge::Options options) {
  check_tls(protocols(orb), options);
  for (const std::string& reference : arguments.references)
    options.references.push_back(parse_reference(orb, reference));
  auto bridge = bridge::Bridge::start(protocols(orb), std::move(options));
  if (!bridge) throw Failure{printable(explain(bridge.error()))};
  const auto served = (*bridge)->serve_until_signal([&] {
    print(describe(**bridge), format_of(arguments.json));
    std::cout << std::flush;
  });
  if (!served) throw Failure{to_string(served.error())};
}

void run(BridgeArguments arguments, const std::vector<std::string>& orb_options) {
  const auto wrong = [](const std::string& text) { return UsageError("perigee bridge: " + text); };
  if (const auto read = read_config(arguments); !read) throw wrong(read.error());
  auto options = to_options(arguments);
  if (!options) throw wrong(options.error());
  try {
    const auto orb = make_orb("perigee bridge", orb_options);
    serve(*orb, arguments, std::move(*options));
    orb->destroy();
  } catch (const Failure& failure) {
    std::cerr << "perigee bridge: " << failure.text << '\n';
    throw CLI::RuntimeError(exit_failed);
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee bridge: " << exception.what() << '\n';
    throw CLI::RuntimeError(exit_failed);
  }
}

}  // namespace

void add_bridge_command(CLI::App& program, const std::vector<std::string>& orb_options) {
  CLI::App* command = program.add_subcommand(
      "bridge", "Pass requests from one protocol to another, and refuse some of them");
  const auto arguments = std::make_shared<BridgeArguments>();
  add_options(*command, *arguments);
  add_json_option(*command, arguments->json);
  command->callback([arguments, &orb_options] { run(*arguments, orb_options); });
}

}  // namespace perigee::tool
