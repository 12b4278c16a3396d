// The operator's command: moves the ledger from the home of the first reference to the home of the
// second reference.
#include "forwardingC.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 3) {
    std::cerr << "usage: forwarding_move [-ORB...] <home> <other home>\n";
    return 2;
  }
  auto home = IDL::traits<Forwarding::Home>::narrow(orb->string_to_object(argv[1]));
  home->move_to(IDL::traits<Forwarding::Home>::narrow(orb->string_to_object(argv[2])));
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "forwarding_move: " << error.what() << '\n';
  return 1;
}
