// The subcommands of `perigee protocols`: calls to the server's administration, at its socket file.
#include "protocols_command.h"

#include "PerigeeAdministrationC.h"
#include "call_limit.h"
#include "reach.h"
#include "result.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>
#include <perigee/transport/local.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

namespace {

using AdministrationRef = IDL::traits<Perigee::Administration>::ref_type;

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

/// An error with text for people.
class ProtocolsFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The argument has the form of the server's option, or is a path.
std::string socket_path(const std::string& server) {
  constexpr std::string_view scheme = "uiop://";
  const std::string path = server.starts_with(scheme) ? server.substr(scheme.size()) : server;
  if (path.empty() || path.starts_with('@') || path.find("://") != std::string::npos)
    throw ProtocolsFailure(
        "'" + printable(server) +
        "' is not the path of a socket file; write the path of the server's "
        "-ORBAdministration, like /run/bank/operator or uiop:///run/bank/operator");
  return std::filesystem::absolute(path).string();
}

// Connects once before the call, because the connector gives the best error text for the socket
// file.
void check_reached(CORBA::ORB& orb, const transport::Endpoint& endpoint, double timeout_s) {
  const auto reached =
      protocols(orb).connector(endpoint.scheme)->connect(endpoint, to_milliseconds(timeout_s));
  if (!reached) throw ProtocolsFailure(printable(explain(reached.error())));
}

// A corbaloc could not contain all characters of a path.
std::string reference_to(const std::string& path) {
  iop::ProfileBody body;
  body.host = transport::local_host_name();
  body.address = path;
  for (const char character : std::string_view("Administration"))
    body.object_key.push_back(static_cast<std::byte>(character));
  return iop::to_ior_string({.type_id = "IDL:Perigee/Administration:1.0",
                             .profiles = {transport::make_local_codec()->encode(body)}});
}

AdministrationRef administration_of(CORBA::ORB& orb, const ProtocolsArguments& arguments) {
  const std::string path = socket_path(arguments.server);
  check_reached(orb, {"uiop", path}, arguments.timeout_s);
  return IDL::traits<Perigee::Administration>::unchecked_narrow(
      orb.string_to_object(reference_to(path)));
}

std::string no_answer(double seconds) {
  std::ostringstream text;
  text << "no reply within " << seconds
       << " s; the server may still be working, since loading runs code of the plug-in. `perigee "
          "protocols list` shows the result later; --timeout sets a longer limit";
  return text.str();
}

// Error texts name the socket only if another program may listen there.
void call_server(CORBA::ORB& orb, ProtocolsAct act, const ProtocolsArguments& arguments,
                 Result& result) {
  try {
    limit_calls(orb, arguments.timeout_s);
    act(administration_of(orb, arguments), arguments, result);
  } catch (const Perigee::Refused& refused) {
    throw ProtocolsFailure(printable(refused.reason()));
  } catch (const CORBA::TIMEOUT&) {
    throw ProtocolsFailure(no_answer(arguments.timeout_s));
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    throw ProtocolsFailure("the server at " + printable(arguments.server) +
                           " has its -ORBAdministration at another socket file, or none");
  } catch (const CORBA::BAD_OPERATION&) {
    throw ProtocolsFailure(
        "the server has another version of Perigee: use the `perigee` of that version");
  } catch (const CORBA::COMM_FAILURE&) {
    throw ProtocolsFailure("the connection ended before the reply: the server has stopped, or " +
                           printable(arguments.server) + " is not the socket of an ORB");
  } catch (const CORBA::TRANSIENT& exception) {
    throw ProtocolsFailure("the server cannot be reached: " + exception.detail());
  }
}

void run_protocols_command(ProtocolsAct act, const ProtocolsArguments& arguments) {
  // The command reads no configuration file. The file may be the server's own, and would make this
  // ORB open the socket of the server, too. The client trusts any user at the path that the
  // operator names, because the server may belong to another user.
  std::vector<std::string> options{"-ORBConfigFile", "/dev/null", "-ORBUiopTrust", "all,/,@"};
  const auto orb = CORBA::ORB_init(options, "perigee protocols");
  std::string complaint;
  Result result;
  try {
    call_server(*orb, act, arguments, result);
  } catch (const std::exception& failure) {
    complaint = failure.what();
  }
  print(result, format_of(arguments.json));
  orb->destroy();
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
