// perigee-ifr: serves an Interface Repository, or fills one.
#include "arguments.h"
#include "loader.h"
#include <perigee/corba.h>
#include <perigee/poa/ior_table.h>
#include <perigee/repository/server.h>
#include <perigee/runtime/serve_until_signal.h>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using perigee::ifr::Arguments;
using perigee::ifr::exit_done;
using perigee::ifr::exit_failed;
using perigee::ifr::Loader;
using perigee::ifr::parse_arguments;
using perigee::ifr::ParseResult;
using Repository = CORBA::object_reference<CORBA::Repository>;

/// A failure whose diagnostics have been printed.
struct Reported {};

/// Adds the definitions of all files, and says how many.
void load(const Arguments& arguments, const CORBA::object_reference<CORBA::ORB>& orb,
          const Repository& repository) {
  Loader loader(orb, repository);
  perigee::idlc::SystemFiles files;
  for (const std::string& file : arguments.files) {
    perigee::idlc::CompileOptions options;
    options.main_file = file;
    options.include_paths = arguments.include_paths;
    options.defines = arguments.defines;
    options.idl_version = arguments.idl_version;
    const perigee::idlc::CompileResult result = perigee::idlc::compile(options, files);
    for (const perigee::idlc::Diagnostic& diagnostic : result.diagnostics)
      std::cerr << format(diagnostic);
    if (!result.ok()) throw Reported();
    loader.load(*result.model);
  }
  if (arguments.files.empty()) return;
  std::cerr << "perigee-ifr: definitions added: " << loader.counts().added
            << ", already present: " << loader.counts().present << '\n';
}

void publish(const Arguments& arguments, const std::string& reference) {
  if (arguments.ior_file.empty()) {
    std::cout << reference << std::endl;
    return;
  }
  std::ofstream file(arguments.ior_file, std::ios::trunc);
  file << reference << '\n';
  file.close();
  if (!file.good())
    throw std::runtime_error("cannot write '" + arguments.ior_file +
                             "'; choose another --ior-file");
}

CORBA::object_reference<CORBA::ORB> make_orb(const Arguments& arguments) {
  std::vector<std::string> words = {"perigee-ifr"};
  if (arguments.add_to.empty())
    words.insert(words.end(), {"-ORBListenEndpoints", arguments.endpoint});
  words.insert(words.end(), arguments.orb_options.begin(), arguments.orb_options.end());
  return CORBA::ORB_init(words);
}

void add(const Arguments& arguments, const CORBA::object_reference<CORBA::ORB>& orb) {
  const Repository repository =
      IDL::traits<CORBA::Repository>::narrow(orb->string_to_object(arguments.add_to));
  if (!repository) throw std::runtime_error("--add-to: the object is not an Interface Repository");
  load(arguments, orb, repository);
}

void serve(const Arguments& arguments, const CORBA::object_reference<CORBA::ORB>& orb) {
  const perigee::repository::Server server(orb, arguments.repository);
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  load(arguments, orb, server.reference());
  const std::string reference = orb->object_to_string(server.reference());
  // The objects of this server give their definitions, too.
  orb->register_initial_reference("InterfaceRepository", server.reference());
  IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable"))
      ->bind("InterfaceRepository", reference);
  perigee::serve_until_signal(orb, [&] { publish(arguments, reference); });
}

int run(const Arguments& arguments) {
  const auto orb = make_orb(arguments);
  try {
    if (arguments.add_to.empty())
      serve(arguments, orb);
    else
      add(arguments, orb);
  } catch (...) {
    orb->destroy();
    throw;
  }
  orb->destroy();
  return exit_done;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const ParseResult parsed =
        parse_arguments(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
    return parsed.arguments ? run(*parsed.arguments) : parsed.exit_status;
  } catch (const Reported&) {
    return exit_failed;
  } catch (const std::exception& failure) {
    std::cerr << "perigee-ifr: " << failure.what() << '\n';
    return exit_failed;
  }
}
