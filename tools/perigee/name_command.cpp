// The subcommands of `perigee name`, one function each, and their error texts.
#include "name_command.h"

#include "CosNamingC.h"
#include "call_limit.h"
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
  bool parents = false;
  bool json = false;
};

/// An error, in words for people.
struct NamingFailure {
  std::string text;
};

/// The objects that a subcommand uses, and its result.
struct Session {
  CORBA::ORB& orb;
  const ContextRef& root;
  const NamingArguments& arguments;
  Result& result;
};

/// Puts a backslash before each character that would end the part.
std::string escaped(const std::string& part) {
  std::string text;
  for (const char character : part) {
    if (std::string_view("/.\\").find(character) != std::string_view::npos) text += '\\';
    text += character;
  }
  return text;
}

std::string to_text(const Name& name) {
  std::string text;
  for (const auto& component : name) {
    if (!text.empty()) text += '/';
    text += escaped(component.id());
    if (!component.kind().empty() || component.id().empty())
      text += '.' + escaped(component.kind());
  }
  return text;
}

std::string why_not_found(const NamingContext::NotFound& exception) {
  Name rest_of_name = exception.rest_of_name();
  if (rest_of_name.size() > 1) rest_of_name.resize(1);  // the component at which the search ended
  const std::string rest = "'" + to_text(rest_of_name) + "'";
  switch (exception.why()) {
    case NamingContext::NotFoundReason::missing_node:
      return "there is no " + rest;
    case NamingContext::NotFoundReason::not_context:
      return rest + " is an object, not a context";
    case NamingContext::NotFoundReason::not_object:
      return rest + " is a context, not an object";
  }
  return "there is no " + rest;
}

/// Makes the call, and describes exceptions of the naming service in words.
void explain_exceptions(const std::string& name, const std::function<void()>& call) {
  try {
    call();
  } catch (const NamingContext::NotFound& exception) {
    throw NamingFailure{name + ": " + why_not_found(exception)};
  } catch (const NamingContext::AlreadyBound&) {
    throw NamingFailure{name + ": the name is already bound; 'rebind' replaces its reference"};
  } catch (const NamingContext::InvalidName&) {
    throw NamingFailure{
        name +
        ": invalid name; write <id>.<kind>/<id>.<kind>, with a backslash before each "
        "'/', '.' and '\\' of an id or kind"};
  } catch (const NamingContext::CannotProceed& exception) {
    throw NamingFailure{name + ": the naming service cannot resolve '" +
                        to_text(exception.rest_of_name()) + "'"};
  }
}

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

IDL::traits<NamingContext>::ref_type context_to_list(const Session& session) {
  const std::string& name = session.arguments.name;
  if (name.empty()) return session.root;
  const ObjectRef object = session.root->resolve(session.root->to_name(name));
  auto context = IDL::traits<NamingContext>::narrow(object);
  if (!context) throw NamingFailure{name + ": this is an object, not a context"};
  return context;
}

/// After a failed call: the error of that call is the one to report.
void destroy_quietly(const IDL::traits<CosNaming::BindingIterator>::ref_type& iterator) {
  try {
    iterator->destroy();
  } catch (const CORBA::SystemException& exception) {
    log::write(log::Level::debug, "perigee", exception.what());
  }
}

/// The naming service keeps an iterator until the client destroys it.
CosNaming::BindingList all_bindings(const IDL::traits<NamingContext>::ref_type& context) {
  constexpr std::uint32_t batch = 1000;
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  context->list(batch, bindings, rest);
  if (!rest) return bindings;
  try {
    for (CosNaming::BindingList more; rest->next_n(batch, more);)
      bindings.insert(bindings.end(), more.begin(), more.end());
  } catch (const CORBA::SystemException&) {
    destroy_quietly(rest);
    throw;
  }
  rest->destroy();
  return bindings;
}

/// The binding as a line and as an object. A '/' follows the names of contexts.
Result describe_binding(const CosNaming::Binding& binding) {
  const bool is_context = binding.binding_type() == CosNaming::BindingType::ncontext;
  const std::string name = to_text(binding.binding_name());
  Result described{name + (is_context ? "/\n" : "\n"), {{"name", name}, {"context", is_context}}};
  if (binding.binding_name().empty()) return described;
  described.json["id"] = binding.binding_name().back().id();
  described.json["kind"] = binding.binding_name().back().kind();
  return described;
}

void list_bindings(const Session& session) {
  std::vector<Result> bindings;
  for (const auto& binding : all_bindings(context_to_list(session)))
    bindings.push_back(describe_binding(binding));
  std::ranges::sort(bindings, {}, &Result::text);
  session.result.json = nlohmann::json::array();
  for (Result& binding : bindings) {
    session.result.text += binding.text;
    session.result.json.push_back(std::move(binding.json));
  }
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

enum class Needs : std::uint8_t { name, name_and_reference, optional_name };

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
};

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
  add_json_option(*command, arguments->json);
  for (const Subcommand& subcommand : subcommands) {
    CLI::App* added = command->add_subcommand(subcommand.word, subcommand.meaning);
    added->fallthrough();  // the options above may also follow
    auto* name = added->add_option("name", arguments->name,
                                   "<id>.<kind>/<id>.<kind>, from the outermost context on");
    name->required(subcommand.needs != Needs::optional_name);
    if (subcommand.needs == Needs::name_and_reference)
      added->add_option("reference", arguments->reference, "IOR:, corbaloc:, corbaname: or file:")
          ->required();
    if (subcommand.act == make_context)
      added->add_flag("-p,--parents", arguments->parents, "Make missing outer contexts, too");
    added->callback([arguments, act = subcommand.act] { run_name_command(act, *arguments); });
  }
}

}  // namespace perigee::tool
