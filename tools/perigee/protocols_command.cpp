// The subcommands of `perigee protocols`: calls to the server's administration, at its socket file.
#include "protocols_command.h"

#include "PerigeeAdministrationC.h"
#include <perigee/corba.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

namespace {

using AdministrationRef = IDL::traits<Perigee::Administration>::ref_type;

/// What the command line says. Shared by the options, which fill it, and the callbacks.
struct Arguments {
  std::string server;
  std::string subject;
  std::vector<std::string> endpoints;
};

void list(const AdministrationRef& server, const Arguments& /*arguments*/) {
  for (const std::string& scheme : server->perigee_schemes()) std::cout << scheme << '\n';
}

void listen(const AdministrationRef& server, const std::string& endpoint) {
  std::cout << "listening at " << server->perigee_listen(endpoint) << '\n';
}

// The server's present folder is its own business: a path means what it means here. A name without
// a folder is looked for by the system.
void load(const AdministrationRef& server, const Arguments& arguments) {
  const bool is_path = arguments.subject.find('/') != std::string::npos;
  server->perigee_load(is_path ? std::filesystem::absolute(arguments.subject).string()
                               : arguments.subject);
  std::cout << "loaded " << arguments.subject << '\n';
  for (const std::string& endpoint : arguments.endpoints) listen(server, endpoint);
}

void unload(const AdministrationRef& server, const Arguments& arguments) {
  server->perigee_unload(arguments.subject);
  std::cout << "unloaded " << arguments.subject << '\n';
}

void listen_at(const AdministrationRef& server, const Arguments& arguments) {
  listen(server, arguments.subject);
}

using Act = void (*)(const AdministrationRef& server, const Arguments& arguments);

void run(Act act, const Arguments& arguments) {
  try {
    // No configuration file: it may be the server's, which opens the socket.
    // Whoever listens at the path that the operator names: the server may be another user's.
    std::vector<std::string> options{"-ORBConfigFile", "/dev/null", "-ORBUiopTrust", "all"};
    const auto orb = CORBA::ORB_init(options, "perigee protocols");
    const std::string path = std::filesystem::absolute(arguments.server).string();
    const auto server = IDL::traits<Perigee::Administration>::narrow(
        orb->string_to_object("corbaloc:uiop:1.2@" + path + "|Administration"));
    act(server, arguments);
    orb->destroy();
    std::cout << std::flush;
  } catch (const Perigee::Refused& refused) {
    std::cerr << "perigee protocols: " << refused.reason() << '\n';
    throw CLI::RuntimeError(1);
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee protocols: " << exception.what() << '\n';
    throw CLI::RuntimeError(1);
  }
}

CLI::App* add(CLI::App& command, const char* word, const char* meaning, Act act,
              const std::shared_ptr<Arguments>& arguments) {
  CLI::App* const added = command.add_subcommand(word, meaning);
  added->fallthrough();  // the option above may also stand behind
  added->callback([arguments, act] { run(act, *arguments); });
  return added;
}

}  // namespace

void add_protocols_command(CLI::App& program) {
  CLI::App* const command =
      program.add_subcommand("protocols", "Show and change the protocols of a running server");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("-s,--server", arguments->server,
                   "The socket file of the server's -ORBAdministration")
      ->required();
  add(*command, "list", "Print the schemes that the server knows", list, arguments);
  auto* const loading = add(*command, "load", "Load a plug-in", load, arguments);
  loading->add_option("library", arguments->subject, "A shared library")->required();
  loading->add_option("--listen", arguments->endpoints, "Then listen at this endpoint, too");
  auto* const listening =
      add(*command, "listen", "Listen at one more endpoint", listen_at, arguments);
  listening->add_option("endpoint", arguments->subject, "<scheme>://<address>")->required();
  auto* const unloading =
      add(*command, "unload", "Let no new connection use a protocol", unload, arguments);
  unloading->add_option("protocol", arguments->subject, "The name of the protocol")->required();
}

}  // namespace perigee::tool
