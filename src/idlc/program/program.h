// The program perigee-idl without its `main`, so that tests can run it.
#pragma once

#include "idlc/frontend/source.h"

#include <ostream>
#include <string>
#include <vector>

namespace perigee::idlc {

/// Where the program reads IDL files, and where it prints.
struct Surroundings {
  FileProvider& files;
  std::ostream& out;
  std::ostream& err;
};

/// Does what the words after the program's name say. Returns the exit status: 0, 1 for errors in
/// the IDL or files that cannot be written, 2 for errors in the command line.
int run(const std::vector<std::string>& words, Surroundings surroundings);

/// A make rule: `targets` depend on `dependencies`, with an empty rule for each dependency but the
/// first, so that a deleted file is no error.
std::string make_rule(const std::vector<std::string>& targets,
                      const std::vector<std::string>& dependencies);

}  // namespace perigee::idlc
