// Binds names by `perigee name`, as an administrator would.
#include "names.h"

#include "connections/raw_giop.h"

#include <exception>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {

Names::Names(const std::string& service) : service_(service) {
  if (service_.empty())
    start_omninames();
  else if (!run_name_command({"list"}))
    throw std::runtime_error("no naming service answers at " + service_);
}

Names::~Names() {
  for (const std::string& name : names_)
    if (!omninames_) run_name_command({"unbind", name});
  if (!omninames_) return;
  omninames_->terminate();
  omninames_->wait();
}

// omniNames chooses a free port, and prints a reference that has it.
void Names::start_omninames() {
  const std::string marker = "Root context is IOR:";
  try {
    omninames_.emplace(
        ProcessOptions{{"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1", find_program("omniNames"),
                        "-start", "1", "-always", "-ignoreport", "-datadir",
                        folder_.path().string(), "-ORBendPoint", "giop:tcp:127.0.0.1:"},
                       -1});
    for (;;) {
      const std::string line = omninames_->read_line();
      const std::size_t found = line.find(marker);
      if (found == std::string::npos) continue;
      const RawTarget target = parse_raw_target(line.substr(line.find("IOR:", found)));
      service_ = "127.0.0.1:" + std::to_string(target.port);
      return;
    }
  } catch (const std::exception& failure) {
    omninames_.reset();
    reason_ = std::string("omniNames did not start: ") + failure.what();
  }
}

bool Names::run_name_command(std::vector<std::string> words) const {
  std::vector<std::string> command{"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/null",
                                   own_executable(), "name"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--service", service_});
  return run_command(command).status == 0;
}

std::string Names::publish(const std::string& name, const std::string& reference) {
  if (!has_service()) {
    const std::string file = folder_.path() / (name + ".ior");
    std::ofstream(file) << reference << '\n';
    return "file:" + file;
  }
  if (!run_name_command({"rebind", name, reference}))
    throw std::runtime_error("cannot bind the name " + name + " at " + service_);
  names_.push_back(name);
  return "corbaname::" + service_ + '#' + name;
}

}  // namespace perigee::bench
