// Functions that the main functions of Perigee clients share.
#pragma once

#include <perigee/corba.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace interop {

/// The exit code: what `run` returns; 1 if there is no argument, or an exception.
template <typename Run>
int call(int argc, char* argv[], const char* program, const char* arguments, Run run) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    if (argc < 2) {
      std::cerr << "usage: " << program << ' ' << arguments << '\n';
      return 1;
    }
    const int status = run(orb, std::vector<std::string>(argv, argv + argc));
    orb->destroy();
    return status;
  } catch (const CORBA::Exception& exception) {
    std::cerr << program << ": " << exception.what() << '\n';
    return 1;
  }
}

/// The object whose IOR is in the file that the first argument names.
inline CORBA::object_reference<CORBA::Object> object_in_file(
    CORBA::ORB& orb, const std::vector<std::string>& arguments) {
  std::string ior;
  std::ifstream(arguments.at(1)) >> ior;
  return orb.string_to_object(ior);
}

inline bool has_option(const std::vector<std::string>& arguments, const std::string& option) {
  return std::ranges::find(arguments, option) != arguments.end();
}

}  // namespace interop
