// Calls Demo::Hello of the example hello, without its IDL file and without a stub.
#include <perigee/corba.h>
#include <perigee/dynamic/request.h>

#include <exception>
#include <iostream>
#include <string>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 3) {
    std::cerr << "usage: gateway_call REFERENCE NAME\n";
    return 1;
  }
  auto hello = orb->string_to_object(argv[1]);
  auto request = hello->_request("greet");
  request->add_in_arg("name") <<= std::string(argv[2]);
  request->set_return_type(CORBA::_tc_string);
  request->invoke();
  std::string answer;
  if (request->return_value() >>= answer) std::cout << answer << '\n';
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "call: " << error.what() << '\n';
  return 1;
}
