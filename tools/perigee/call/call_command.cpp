// Runs the command `perigee call`. It sends the request by the dynamic invocation interface
// (docs/dynamic.md).
#include "call/call_command.h"

#include "call/call_arguments.h"
#include "call/interfaces.h"
#include "call/json_reader.h"
#include "call/json_writer.h"
#include "call/load.h"
#include "call/outcome.h"
#include "call_limit.h"
#include "make_orb.h"
#include "remote/interfaces_of.h"
#include "remote/target.h"
#include "result.h"
#include "usage.h"
#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/dynamic/request.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace perigee::tool {

using json = nlohmann::ordered_json;

namespace {

constexpr char array_mark = '\x1f';

struct CallArguments {
  IdlFiles idl;
  std::string reference;
  std::string operation;
  std::vector<std::string> words;
  std::string interface;
  std::string repository;  ///< the reference of an Interface Repository
  double timeout_s = 10;
  std::uint64_t repeat = 1;
  unsigned concurrency = 1;
  bool oneway = false;
  bool one_line = false;
};

/// See `keep_arrays`.
void remove_marks(CallArguments& arguments) {
  const auto unmark = [](std::string& word) {
    if (word.starts_with(array_mark)) word.erase(0, 1);
  };
  for (auto* const words : {&arguments.words, &arguments.idl.files, &arguments.idl.include_folders,
                            &arguments.idl.macros})
    for (std::string& word : *words) unmark(word);
  for (auto* const word :
       {&arguments.reference, &arguments.operation, &arguments.interface, &arguments.repository})
    unmark(*word);
}

UsageError wrong(const std::string& text) { return UsageError("perigee call: " + text); }

/// Indented for people, or one line of ASCII for programs.
void print(const json& value, bool one_line) {
  constexpr int indent = 2;
  std::cout << value.dump(one_line ? -1 : indent, ' ', one_line, json::error_handler_t::replace)
            << '\n'
            << std::flush;
}

/// One run of the command.
class CallCommand {
 public:
  /// `interfaces`: the interfaces of the IDL files. Without IDL files, asks the object.
  CallCommand(const CORBA::object_reference<CORBA::ORB>& orb, const CallArguments& arguments,
              std::optional<Interfaces> interfaces)
      : orb_(orb), arguments_(arguments), interfaces_(std::move(interfaces)), writer_(orb) {
    limit_calls(*orb, arguments.timeout_s);
    target_ = target_of("perigee call", *orb, arguments.reference);
    operation_ = interfaces_ ? find_operation() : describe_operation();
    if (arguments.oneway) check_oneway();
    JsonReader reader(orb, *interfaces_);
    list_ = arguments_of(operation_, arguments.words, std::cin, reader);
  }

  /// Returns the exit status.
  int run() { return arguments_.repeat == 1 ? call_once() : call_often(); }

 private:
  /// Reads the interface from the object, or from the given repository.
  OperationTypes describe_operation() {
    InterfaceQuery query{target_, nullptr, arguments_.interface, Contents::of_one};
    if (!arguments_.repository.empty())
      query.repository = repository_at(target_of("perigee call", *orb_, arguments_.repository));
    RemoteInterface described =
        interfaces_of(orb_, find_source(orb_, query), to_milliseconds(arguments_.timeout_s));
    interfaces_.emplace(std::move(described.interfaces));
    return interfaces_->operation_of(interfaces_->interface_of(described.id), arguments_.operation,
                                     arguments_.words.size());
  }

  /// The reference may name a base of the object's interface. If this base does not have the
  /// operation, asks the object for its interface.
  OperationTypes find_operation() {
    const auto find = [this](const std::string& interface) {
      return interfaces_->operation_of(interfaces_->interface_of(interface), arguments_.operation,
                                       arguments_.words.size());
    };
    if (!arguments_.interface.empty()) return find(arguments_.interface);
    const std::string written = written_id(*orb_, target_);
    if (interfaces_->has(written)) {
      try {
        return find(written);
      } catch (const InterfaceError&) {
        const std::string id = target_->_repository_id();
        if (id == written || !interfaces_->has(id)) throw;
        return find(id);
      }
    }
    const std::string id = target_->_repository_id();
    if (interfaces_->has(id)) return find(id);
    throw wrong(id.empty() ? "neither the reference nor the object names an interface; give it "
                             "with --interface <name>"
                           : "the object has the interface " + printable(id) +
                                 ", which the IDL does not have; name a file that has it with "
                                 "--idl, or one of its bases with --interface");
  }

  void check_oneway() const {
    bool has_results = operation_.result->kind() != CORBA::TCKind::tk_void;
    for (const ParameterType& parameter : operation_.parameters)
      has_results |= parameter.direction != CORBA::ARG_IN;
    if (has_results) throw wrong(operation_.name + " has results, so --oneway cannot call it");
  }

  CORBA::object_reference<CORBA::Request> make_request() const {
    CORBA::ExceptionList exceptions;
    for (const TypeCodeRef& type : operation_.exceptions) exceptions.add(type);
    auto request = CORBA::Request::create(target_, operation_.name, list_, operation_.result,
                                          std::move(exceptions));
    if (!operation_.contexts.empty()) request->ctx(nullptr, operation_.contexts);
    return request;
  }

  void send(CORBA::Request& request) const {
    if (arguments_.oneway || operation_.is_oneway)
      request.send_oneway();
    else
      request.invoke();
  }

  int call_once() {
    const auto request = make_request();
    try {
      send(*request);
    } catch (const CORBA::UnknownUserException& exception) {
      return print_outcome([&] { return json_of(exception, writer_); }, exit_user_exception);
    } catch (const CORBA::SystemException& exception) {
      print(json_of(exception), arguments_.one_line);
      return exit_failed;
    }
    return print_outcome([&] { return results_of(*request, operation_, writer_); }, exit_done);
  }

  /// Prints the results. A failure here is not a failure of the call, which has been made.
  template <typename MakeJson>
  int print_outcome(MakeJson make_json, int status) {
    std::string failure;
    try {
      print(make_json(), arguments_.one_line);
      return status;
    } catch (const JsonError& error) {
      failure = error.what();
    } catch (const CORBA::SystemException& exception) {
      failure = printable(exception.what());
    }
    std::cerr << "perigee call: " << operation_.name
              << " was called, but its results cannot be written as JSON: " << failure << '\n';
    return exit_failed;
  }

  int call_often() {
    const LoadReport report = run_load(arguments_.repeat, arguments_.concurrency, [this] {
      try {
        send(*make_request());
        return std::string();
      } catch (const CORBA::UnknownUserException& exception) {
        return exception.exception().type()->id();
      } catch (const CORBA::SystemException& exception) {
        return std::string(exception._rep_id());
      }
    });
    print(to_json(report), arguments_.one_line);
    return report.failures.empty() ? exit_done : exit_failed;
  }

  const CORBA::object_reference<CORBA::ORB> orb_;
  const CallArguments& arguments_;
  std::optional<Interfaces> interfaces_;
  JsonWriter writer_;
  CORBA::object_reference<CORBA::Object> target_;
  OperationTypes operation_;
  CORBA::NVList list_;
};

void run(const CallArguments& arguments, const std::vector<std::string>& orb_options) {
  if (!arguments.idl.files.empty() && !arguments.repository.empty())
    throw wrong("--idl and --ifr exclude each other; each of them describes the object");
  if (arguments.concurrency > 1 && arguments.repeat == 1)
    throw wrong("--concurrency needs --repeat, the number of calls");
  int status = exit_done;
  try {
    idlc::SystemFiles files;
    std::optional<Interfaces> interfaces;
    if (!arguments.idl.files.empty()) interfaces.emplace(arguments.idl, files);
    const auto orb = make_orb("perigee call", orb_options);
    status = CallCommand(orb, arguments, std::move(interfaces)).run();
    orb->destroy();
  } catch (const DescriptionError& error) {
    std::cerr << "perigee call: " << error.what() << '\n';
    status = exit_failed;
  } catch (const InterfaceError& error) {
    throw wrong(error.what());
  } catch (const JsonError& error) {
    throw wrong(error.what());
  } catch (const CORBA::SystemException& exception) {
    std::cerr << "perigee call: "
              << printable(exception.detail().empty() ? exception.what() : exception.detail())
              << '\n';
    status = exit_failed;
  }
  if (status != exit_done) throw CLI::RuntimeError(status);
}

}  // namespace

void keep_arrays(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "call") return;
  for (std::string& word : words)
    if (word.starts_with('[') || word.starts_with(array_mark)) word.insert(0, 1, array_mark);
}

void add_call_command(CLI::App& program, const std::vector<std::string>& orb_options) {
  CLI::App* command = program.add_subcommand(
      "call", "Call an operation of an object; arguments and results are JSON");
  const auto arguments = std::make_shared<CallArguments>();
  command->positionals_at_end();
  command
      ->add_option("--idl", arguments->idl.files,
                   "An IDL file with the object's interface; without it, the object is "
                   "asked for its interface")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("-I", arguments->idl.include_folders, "A folder for #include")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  command->add_option("-D", arguments->idl.macros, "A macro of the IDL, NAME or NAME=TEXT")
      ->type_name("MACRO")
      ->allow_extra_args(false);
  command
      ->add_option("--ifr", arguments->repository,
                   "An Interface Repository that has the object's interface")
      ->type_name("REFERENCE");
  command->add_option("--interface", arguments->interface,
                      "The interface, if it is not the one that the reference names");
  command
      ->add_option("--timeout", arguments->timeout_s,
                   "Time limit of each call, in seconds; 0: no limit")
      ->check(time_limit())
      ->capture_default_str();
  constexpr std::uint64_t repeat_max = 10'000'000;
  command->add_option("--repeat", arguments->repeat, "Make this many calls, and print latencies")
      ->check(CLI::Range(std::uint64_t{1}, repeat_max));
  constexpr unsigned concurrency_max = 1000;
  command->add_option("--concurrency", arguments->concurrency, "Threads that make these calls")
      ->check(CLI::Range(1u, concurrency_max));
  command->add_flag("--oneway", arguments->oneway, "Do not wait for a reply");
  command->add_flag("--json", arguments->one_line,
                    "Print the result as one line of JSON, for programs");
  command
      ->add_option("reference", arguments->reference,
                   "IOR:…, corbaloc:…, corbaname:…, or a file that contains one of them")
      ->required();
  command->add_option("operation", arguments->operation, "An operation or an attribute")
      ->required();
  command->add_option("arguments", arguments->words,
                      "The arguments as JSON, or - for JSON on standard input");
  command->callback([arguments, &orb_options] {
    remove_marks(*arguments);
    run(*arguments, orb_options);
  });
}

}  // namespace perigee::tool
