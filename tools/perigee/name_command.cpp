// The subcommands of `perigee name`, one function each, and their error texts.
#include "name_command.h"

#include "CosNamingC.h"
#include "call_limit.h"
#include "name_tree.h"
#include "naming_calls.h"
#include "result.h"
#include <perigee/base/log.h>
#include <perigee/corba.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::tool {

namespace {

using CosNaming::Name;
using CosNaming::NamingContext;
using ContextRef = IDL::traits<CosNaming::NamingContextExt>::ref_type;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

/// The command line. The options fill it, and the callbacks read it.
struct NamingArguments {
  std::string service = "localhost:2809";
  double timeout_s = 10;
  std::string name;
  std::string reference;
  std::string file;  ///< of import
  std::size_t bindings_max = 1'000'000;
  bool replace = false;
  bool parents = false;
  bool json = false;
};

/// The objects that a subcommand uses, and its result.
struct Session {
  CORBA::ORB& orb;
  const ContextRef& root;
  const NamingArguments& arguments;
  Result& result;
};

/// The reference of a naming context: a reference is used unchanged, a host gets the usual key.
std::string service_url(const std::string& service) {
  for (const std::string_view scheme : {"IOR:", "corbaloc:", "corbaname:", "file:"})
    if (service.starts_with(scheme)) return service;
  return "corbaloc::" + service + "/NameService";
}

ObjectRef read_reference(CORBA::ORB& orb, const std::string& reference) {
  const ObjectRef object = orb.string_to_object(reference);
  if (!object) throw NamingFailure{reference + ": this is the nil reference"};
  return object;
}

ContextRef find_service(CORBA::ORB& orb, const std::string& service) {
  const ObjectRef object = read_reference(orb, service_url(service));
  auto context = IDL::traits<CosNaming::NamingContextExt>::narrow(object);
  if (!context)
    throw NamingFailure{service +
                        ": the object is not a naming service (CosNaming::NamingContextExt)"};
  return context;
}

/// The name, and the reference that it now leads to.
nlohmann::json object_to_json(const Session& session, const ObjectRef& object) {
  return {{"name", session.arguments.name}, {"reference", session.orb.object_to_string(object)}};
}

void bind(const Session& session) {
  const ObjectRef object = read_reference(session.orb, session.arguments.reference);
  session.root->bind(session.root->to_name(session.arguments.name), object);
  session.result.json = object_to_json(session, object);
}

void rebind(const Session& session) {
  const ObjectRef object = read_reference(session.orb, session.arguments.reference);
  session.root->rebind(session.root->to_name(session.arguments.name), object);
  session.result.json = object_to_json(session, object);
}

void resolve(const Session& session) {
  const ObjectRef object = session.root->resolve(session.root->to_name(session.arguments.name));
  session.result = {session.orb.object_to_string(object) + '\n', object_to_json(session, object)};
}

void unbind(const Session& session) {
  session.root->unbind(session.root->to_name(session.arguments.name));
  session.result.json = {{"name", session.arguments.name}};
}

void make_parents(const ContextRef& root, const Name& name) {
  for (std::size_t length = 1; length < name.size(); ++length) try {
      (void)root->bind_new_context(Name(name.begin(), name.begin() + static_cast<long>(length)));
    } catch (const NamingContext::AlreadyBound&) {  // the context exists already
    }
}

void make_context(const Session& session) {
  const Name name = session.root->to_name(session.arguments.name);
  if (session.arguments.parents) make_parents(session.root, name);
  (void)session.root->bind_new_context(name);
  session.result.json = {{"name", session.arguments.name}};
}

NamingContextRef context_named(const Session& session) {
  const std::string& name = session.arguments.name;
  if (name.empty()) return session.root;
  const ObjectRef object = session.root->resolve(session.root->to_name(name));
  auto context = IDL::traits<NamingContext>::narrow(object);
  if (!context) throw NamingFailure{name + ": this is an object, not a context"};
  return context;
}

/// The binding as a line and as an object. A '/' follows the names of contexts.
Result describe_binding(const CosNaming::Binding& binding) {
  const bool is_context = binding.binding_type() == CosNaming::BindingType::ncontext;
  const std::string name = name_text(binding.binding_name());
  Result described{name + (is_context ? "/\n" : "\n"), {{"name", name}, {"context", is_context}}};
  if (binding.binding_name().empty()) return described;
  described.json["id"] = binding.binding_name().back().id();
  described.json["kind"] = binding.binding_name().back().kind();
  return described;
}

void list_bindings(const Session& session) {
  std::vector<Result> bindings;
  for (const auto& binding : all_bindings(context_named(session), session.arguments.bindings_max))
    bindings.push_back(describe_binding(binding));
  std::ranges::sort(bindings, {}, &Result::text);
  session.result.json = nlohmann::json::array();
  for (Result& binding : bindings) {
    session.result.text += binding.text;
    session.result.json.push_back(std::move(binding.json));
  }
}

void export_names(const Session& session) {
  session.result.json =
      export_tree(session.orb, context_named(session), session.arguments.bindings_max);
  session.result.text = session.result.json.dump(2) + '\n';
}

void import_names(const Session& session) {
  const nlohmann::json tree = read_tree(session.arguments.file);
  const auto existing = session.arguments.replace ? OnExisting::replace : OnExisting::is_an_error;
  const ImportCounts counts = import_tree(session.orb, session.root, tree, existing);
  session.result.text = std::to_string(counts.objects) + " objects, " +
                        std::to_string(counts.contexts) + " new contexts\n";
  session.result.json = {{"objects", counts.objects}, {"contexts", counts.contexts}};
}

using NamingAct = void (*)(const Session& session);

Result result_of(CORBA::ORB& orb, NamingAct act, const NamingArguments& arguments) {
  limit_calls(orb, arguments.timeout_s);
  const ContextRef root = find_service(orb, arguments.service);
  Result result;
  explain_exceptions(arguments.name, [&] { act({orb, root, arguments, result}); });
  return result;
}

void run_name_command(NamingAct act, const NamingArguments& arguments) {
  try {
    // One name that is not UTF-8 must not hide the other names.
    std::vector<std::string> options = {"-ORBAcceptInvalidUtf8", "yes"};
    const auto orb = CORBA::ORB_init(options, "perigee name");
    const Result result = result_of(*orb, act, arguments);
    orb->destroy();
    print(result, format_of(arguments.json));
  } catch (const NamingFailure& failure) {
    std::cerr << "perigee name: " << failure.text << '\n';
    throw CLI::RuntimeError(1);
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee name: " << exception.what() << '\n';
    throw CLI::RuntimeError(1);
  }
}

enum class Needs : std::uint8_t { name, name_and_reference, optional_name, file };

struct Subcommand {
  const char* word;
  const char* meaning;
  Needs needs;
  NamingAct act;
};

constexpr Subcommand subcommands[] = {
    {"bind", "Bind a new name to a reference", Needs::name_and_reference, bind},
    {"rebind", "Bind a name to a reference, even if the name exists", Needs::name_and_reference,
     rebind},
    {"resolve", "Print the reference of a name", Needs::name, resolve},
    {"list", "Print the names in a context; names of contexts end with /", Needs::optional_name,
     list_bindings},
    {"unbind", "Remove a name; its object or context remains", Needs::name, unbind},
    {"mkdir", "Make a naming context", Needs::name, make_context},
    {"export", "Print a context with all names in it, as JSON", Needs::optional_name, export_names},
    {"import", "Make the names that 'export' has printed", Needs::file, import_names},
};

/// The words and flags of a subcommand. `arguments` lives as long as the subcommand.
void add_arguments(CLI::App& added, const Subcommand& subcommand, NamingArguments& arguments) {
  if (subcommand.needs == Needs::file) {
    added.add_option("file", arguments.file, "The JSON of 'export'; -: standard input")->required();
    added.add_flag("--replace", arguments.replace, "Replace objects whose names exist");
    return;
  }
  added
      .add_option("name", arguments.name, "<id>.<kind>/<id>.<kind>, from the outermost context on")
      ->required(subcommand.needs != Needs::optional_name);
  if (subcommand.needs == Needs::name_and_reference)
    added.add_option("reference", arguments.reference, "IOR:, corbaloc:, corbaname: or file:")
        ->required();
  if (subcommand.act == make_context)
    added.add_flag("-p,--parents", arguments.parents, "Make missing outer contexts, too");
}

}  // namespace

void add_name_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("name", "Work with a naming service");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<NamingArguments>();
  command
      ->add_option("-s,--service", arguments->service,
                   "The naming service: host, host:port, or a reference to a context")
      ->capture_default_str();
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of a call in seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  command
      ->add_option("--bindings-max", arguments->bindings_max,
                   "Limit of the bindings that list and export read; they fail if there are more")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  for (const Subcommand& subcommand : subcommands) {
    CLI::App* added = command->add_subcommand(subcommand.word, subcommand.meaning);
    added->fallthrough();  // the options above may also follow the subcommand
    add_arguments(*added, subcommand, *arguments);
    added->callback([arguments, act = subcommand.act] { run_name_command(act, *arguments); });
  }
}

}  // namespace perigee::tool
