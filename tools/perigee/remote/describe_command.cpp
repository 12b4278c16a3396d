// Describes all interfaces that the interface uses. In contrast, `perigee call` describes only the
// interface that it calls.
#include "remote/describe_command.h"

#include "call_limit.h"
#include "make_orb.h"
#include "remote/describe_interface_json.h"
#include "remote/description.h"
#include "remote/idl_text.h"
#include "remote/interfaces_of.h"
#include "remote/target.h"
#include "result.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>

#include <iostream>
#include <memory>

namespace perigee::tool {

namespace {

struct DescribeArguments {
  std::string reference;
  std::string repository;
  std::string interface;
  double timeout_s = 10;
  bool json = false;
};

Result describe(const CORBA::object_reference<CORBA::ORB>& orb,
                const DescribeArguments& arguments) {
  limit_calls(*orb, arguments.timeout_s);
  const std::string command = "perigee describe";
  InterfaceQuery query{target_of(command, *orb, arguments.reference), nullptr, arguments.interface};
  if (!arguments.repository.empty())
    query.repository = repository_at(target_of(command, *orb, arguments.repository));
  const InterfaceSource source = find_source(orb, query);
  const Description description(source, Contents::of_all,
                                {.time_max = to_milliseconds(arguments.timeout_s)});
  const std::string idl = idl_text(orb, description);
  check_idl(idl);
  return {.text = idl, .json = json_of(description.main(), idl)};
}

void run(const DescribeArguments& arguments, const std::vector<std::string>& orb_options) {
  try {
    const auto orb = make_orb("perigee describe", orb_options);
    print(describe(orb, arguments), format_of(arguments.json));
    orb->destroy();
    return;
  } catch (const DescriptionError& error) {
    std::cerr << "perigee describe: " << error.what() << '\n';
  } catch (const CORBA::SystemException& exception) {
    std::cerr << "perigee describe: "
              << printable(exception.detail().empty() ? exception.what() : exception.detail())
              << '\n';
  }
  throw CLI::RuntimeError(exit_failed);
}

}  // namespace

void add_describe_command(CLI::App& program, const std::vector<std::string>& orb_options) {
  CLI::App* command =
      program.add_subcommand("describe", "Print the IDL of an object's interface and of its types");
  const auto arguments = std::make_shared<DescribeArguments>();
  command
      ->add_option("reference", arguments->reference,
                   "IOR:…, corbaloc:…, corbaname:…, or a file that contains one of them")
      ->required();
  command
      ->add_option("--ifr", arguments->repository,
                   "An Interface Repository that has the interface; otherwise the object is asked")
      ->type_name("REFERENCE");
  command->add_option("--interface", arguments->interface,
                      "Another interface of the same repository, by its name or its id");
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of each call, and of the calls that read the interface together, in "
                   "seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->callback([arguments, &orb_options] { run(*arguments, orb_options); });
}

}  // namespace perigee::tool
