// The program perigee-idl without its `main`, so that tests can run it.
#pragma once

#include "idlc/frontend/source.h"

#include <ostream>
#include <string>
#include <vector>

namespace perigee::idlc {

/// The source of IDL files, and the output streams.
struct Surroundings {
  FileProvider& files;
  std::ostream& out;
  std::ostream& err;
};

/// Runs the program. `words`: the command-line arguments without the program's name. Returns the
/// exit status: 0, 1 for errors in the IDL or files that cannot be written, 2 for errors in the
/// command line.
int run(const std::vector<std::string>& words, Surroundings surroundings);

/// A make rule: `targets` depend on `dependencies`. Each dependency except the first has an empty
/// rule, so that a deleted file is not an error.
std::string make_rule(const std::vector<std::string>& targets,
                      const std::vector<std::string>& dependencies);

}  // namespace perigee::idlc
