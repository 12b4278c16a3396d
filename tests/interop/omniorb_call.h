// Functions that the main functions of omniORB clients share.
#pragma once

#include <omniORB4/CORBA.h>

#include <iostream>

namespace interop {

/// The exit code: what `run` returns; 1 if there is no argument, or an exception.
template <typename Run>
int call(int argc, char* argv[], const char* program, const char* arguments, Run run) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc < 2) {
      std::cerr << "usage: " << program << ' ' << arguments << std::endl;
      return 1;
    }
    const int status = run(orb.in(), argc, argv);
    orb->destroy();
    return status;
  } catch (const CORBA::SystemException& exception) {
    std::cerr << program << ": " << exception._name() << " minor 0x" << std::hex
              << exception.minor() << std::endl;
  } catch (const CORBA::Exception& exception) {
    std::cerr << program << ": " << exception._name() << std::endl;
  }
  return 1;
}

}  // namespace interop
