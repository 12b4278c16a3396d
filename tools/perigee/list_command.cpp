// One line for each name of the IOR table, then one line for each object adapter.
#include "list_command.h"

#include "administration.h"
#include "call_limit.h"
#include "result.h"
#include "usage.h"
#include <perigee/base/printable.h>

#include <iostream>
#include <memory>
#include <string>

namespace perigee::tool {

namespace {

struct ListArguments {
  std::string server;
  double timeout_s = 30;
  bool json = false;
};

void list(const AdministrationRef& server, Result& result) {
  result.json = {{"names", nlohmann::json::array()}, {"adapters", nlohmann::json::array()}};
  for (const Perigee::TableName& each : server->perigee_names()) {
    result.text += "name " + printable(each.name()) + ' ' + printable(each.repository_id()) + '\n';
    result.json["names"].push_back(
        {{"name", each.name()}, {"repository_id", each.repository_id()}});
  }
  for (const Perigee::Adapter& each : server->perigee_adapters()) {
    result.text += "adapter " + printable(each.path()) + ' ' + printable(each.state()) + ", " +
                   std::to_string(each.active_objects()) + " active objects\n";
    result.json["adapters"].push_back({{"path", each.path()},
                                       {"state", each.state()},
                                       {"active_objects", each.active_objects()}});
  }
}

void run(const ListArguments& arguments) {
  Result result;
  const std::string complaint =
      call_administration({arguments.server, arguments.timeout_s},
                          [&](const AdministrationRef& server) { list(server, result); });
  if (complaint.empty()) return print(result, format_of(arguments.json));
  std::cerr << "perigee list: " << complaint << '\n';
  throw CLI::RuntimeError(exit_failed);
}

}  // namespace

void add_list_command(CLI::App& program) {
  CLI::App* const command =
      program.add_subcommand("list", "List the names and the object adapters of a running server");
  const auto arguments = std::make_shared<ListArguments>();
  command
      ->add_option("-s,--server", arguments->server,
                   "Socket file of the server's -ORBAdministration: a path, or uiop:///path")
      ->required();
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of each reply of the server in seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace perigee::tool
