// Looks for the programs of experiments: in the build tree and in the install prefix.
#include "companions.h"

#include "process.h"

#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace perigee::bench {

namespace {

// Looks beside the program perigee, in the install prefix and in the build tree. Empty if there is
// no such program.
std::string find_companion(const std::string& name) {
  const auto folder = std::filesystem::path(own_executable()).parent_path();
  for (const char* place : {".", "../libexec/perigee", "../../bench"})
    if (const auto program = folder / place / name; std::filesystem::exists(program))
      return std::filesystem::canonical(program);
  return {};
}

}  // namespace

std::string companion_program(const std::string& name) {
  if (std::string program = find_companion(name); !program.empty()) return program;
  throw std::runtime_error("there is no program " + name + " beside this one");
}

namespace {

std::string find_peer(const std::string& name, const char* peer, const char* packages) {
  if (std::string program = find_companion(name); !program.empty()) return program;
  std::cerr << "perigee bench: this build has no " << peer << " peer (install " << packages
            << ", then build again); measuring without it\n";
  return {};
}

}  // namespace

std::string find_omniorb_program(const std::string& name) {
  return find_peer(name, "omniORB", "libomniorb4-dev and omniidl");
}

std::string find_iceoryx_program(const std::string& name) {
  return find_peer(name, "iceoryx", "libiceoryx-posh-dev and iceoryx");
}

}  // namespace perigee::bench
