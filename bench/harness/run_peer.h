// The main function of a program whose first argument chooses a role, and which has an ORB.
#pragma once

#include <perigee/corba.h>

#include <exception>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

namespace perigee::bench {

/// Calls `run` with an ORB and the words of the command line, without the options of the ORB.
/// Returns the exit status: the result of `run`, if it has one, or 1 after an exception, whose text
/// goes to standard error.
template <typename Run>
int run_peer(const char* program, int argc, char* argv[], const Run& run) {
  using Orb = CORBA::object_reference<CORBA::ORB>;
  using Words = std::vector<std::string>;
  try {
    const Orb orb = CORBA::ORB_init(argc, argv);
    const Words words(argv + 1, argv + argc);
    if constexpr (std::is_void_v<std::invoke_result_t<Run, const Orb&, const Words&>>)
      run(orb, words);
    else
      return run(orb, words);
    return 0;
  } catch (const std::exception& exception) {
    std::cerr << program << ": " << exception.what() << std::endl;
    return 1;
  }
}

}  // namespace perigee::bench
