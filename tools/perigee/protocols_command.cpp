// The subcommands of `perigee protocols`: calls to the server's administration, at its socket file.
#include "protocols_command.h"

#include "administration.h"
#include "call_limit.h"
#include "result.h"
#include <perigee/base/printable.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

namespace {

/// The command line. The options fill it, and the callbacks read it.
struct ProtocolsArguments {
  std::string server;
  std::string subject;
  std::vector<std::string> endpoints;
  double timeout_s = 30;
  bool json = false;
};

// One line for a protocol: "board: board board-brief".
void list_protocols(const AdministrationRef& server, const ProtocolsArguments& /*arguments*/,
                    Result& result) {
  result.json = nlohmann::json::array();
  for (const Perigee::Protocol& protocol : server->perigee_protocols()) {
    result.text += printable(protocol.name()) + ':';
    for (const std::string& scheme : protocol.schemes()) result.text += ' ' + printable(scheme);
    result.text += protocol.is_loaded() ? "\n" : " (unloaded)\n";
    result.json.push_back({{"name", protocol.name()},
                           {"schemes", nlohmann::json(protocol.schemes())},
                           {"loaded", protocol.is_loaded()}});
  }
}

// The result keeps the endpoints that were opened before a failure.
void listen(const AdministrationRef& server, const std::vector<std::string>& endpoints,
            Result& result) {
  result.json["listening"] = nlohmann::json::array();
  for (const std::string& endpoint : endpoints) {
    const std::string published = server->perigee_listen(endpoint);
    result.text += "listening at " + printable(published) + '\n';
    result.json["listening"].push_back(published);
  }
}

// The path is made absolute here, because the server has another working directory. A subject
// without '/' is the name of an unloaded protocol, or of a library that the dynamic loader finds.
void load(const AdministrationRef& server, const ProtocolsArguments& arguments, Result& result) {
  const bool is_path = arguments.subject.find('/') != std::string::npos;
  server->perigee_load(is_path ? std::filesystem::absolute(arguments.subject).string()
                               : arguments.subject);
  result = {"loaded " + arguments.subject + '\n', {{"loaded", arguments.subject}}};
  listen(server, arguments.endpoints, result);
}

void unload(const AdministrationRef& server, const ProtocolsArguments& arguments, Result& result) {
  server->perigee_unload(arguments.subject);
  result = {"unloaded " + arguments.subject + '\n', {{"unloaded", arguments.subject}}};
}

void listen_at(const AdministrationRef& server, const ProtocolsArguments& arguments,
               Result& result) {
  const std::string published = server->perigee_listen(arguments.subject);
  result = {"listening at " + printable(published) + '\n',
            {{"listening", nlohmann::json::array({published})}}};
}

void reload(const AdministrationRef& server, const ProtocolsArguments& /*arguments*/,
            Result& result) {
  server->perigee_reload();
  result = {"the files of the protocols were read again\n", {{"reloaded", true}}};
}

using ProtocolsAct = void (*)(const AdministrationRef& server, const ProtocolsArguments& arguments,
                              Result& result);

// The result keeps what was done before a failure.
void run_protocols_command(ProtocolsAct act, const ProtocolsArguments& arguments) {
  Result result;
  const std::string complaint =
      call_administration({arguments.server, arguments.timeout_s},
                          [&](const AdministrationRef& server) { act(server, arguments, result); });
  print(result, format_of(arguments.json));
  if (complaint.empty()) return;
  std::cerr << "perigee protocols: " << complaint << '\n';
  throw CLI::RuntimeError(1);
}

CLI::App* add(CLI::App& command, const char* word, const char* meaning, ProtocolsAct act,
              const std::shared_ptr<ProtocolsArguments>& arguments) {
  CLI::App* const added = command.add_subcommand(word, meaning);
  added->fallthrough();  // the option above may also follow
  added->callback([arguments, act] { run_protocols_command(act, *arguments); });
  return added;
}

}  // namespace

void add_protocols_command(CLI::App& program) {
  CLI::App* const command =
      program.add_subcommand("protocols", "Show and change the protocols of a running server");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<ProtocolsArguments>();
  command
      ->add_option("-s,--server", arguments->server,
                   "Socket file of the server's -ORBAdministration: a path, or uiop:///path")
      ->required();
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of the server's reply in seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  add(*command, "list", "Print the server's protocols, and the schemes of each", list_protocols,
      arguments);
  auto* const loading =
      add(*command, "load", "Load a plug-in, or load an unloaded protocol again", load, arguments);
  loading
      ->add_option("library", arguments->subject,
                   "Path of a shared library, like ./<name> in this folder; or the name of an "
                   "unloaded protocol")
      ->required();
  loading->add_option("--listen", arguments->endpoints,
                      "Then listen at this endpoint, too; may be repeated");
  auto* const listening =
      add(*command, "listen", "Listen at one more endpoint", listen_at, arguments);
  listening->add_option("endpoint", arguments->subject, "<scheme>://<address>")->required();
  add(*command, "reload", "Make the server read its certificates and keys again", reload,
      arguments);
  auto* const unloading =
      add(*command, "unload", "Stop new connections of a protocol", unload, arguments);
  unloading
      ->add_option("protocol", arguments->subject, "Name of the protocol, or one of its schemes")
      ->required();
}

}  // namespace perigee::tool
