// Calls the Demo::Hello whose reference is the first argument. The code names no protocol: options
// do.
#include "helloC.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: client <reference>\n";
    return 2;
  }
  auto hello = IDL::traits<Demo::Hello>::narrow(orb->string_to_object(argv[1]));
  std::cout << hello->greet("world") << '\n';
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
