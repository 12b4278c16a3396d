// Prints the operations of any object. The program is compiled without the IDL of the object: the
// Interface Repository of the object's server describes the operations.
#include <perigee/orb/write.h>
#include <perigee/repository.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: repository_client <reference>\n";
    return 2;
  }
  auto definition = orb->string_to_object(argv[1])->_get_interface();
  auto described = definition->describe_interface();
  std::cout << "interface " << described.name() << " (" << described.id() << ")\n";
  for (const auto& operation : described.operations()) {
    std::cout << "  " << operation.result()->_text() << ' ' << operation.name();
    for (const auto& parameter : operation.parameters())
      std::cout << ", " << parameter.name() << ": " << parameter.type()->_text();
    std::cout << '\n';
  }
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
