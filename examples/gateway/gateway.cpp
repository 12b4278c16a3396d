// Serves one object. Prints each request of the object, and passes it on to another object. The
// program has no stub and no skeleton: it reads the operations from a file.
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/dynamic/request.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using TypeRef = IDL::traits<CORBA::TypeCode>::ref_type;

struct Operation {
  TypeRef result;
  CORBA::NVList parameters;
  CORBA::ExceptionList raises;
};
using Operations = std::map<std::string, Operation>;

TypeRef type_of(const std::string& name) {
  static const std::map<std::string, TypeRef> types = {
      {"void", CORBA::_tc_void},     {"boolean", CORBA::_tc_boolean}, {"long", CORBA::_tc_long},
      {"double", CORBA::_tc_double}, {"string", CORBA::_tc_string},   {"any", CORBA::_tc_any}};
  if (const auto found = types.find(name); found != types.end()) return found->second;
  throw std::runtime_error("unknown type '" + name + "'");
}

// A line of the file: the result, the name, the types of the parameters, and the repository ids of
// exceptions without members.
void read_operation(CORBA::ORB& orb, const std::string& line, Operations& operations) {
  std::istringstream words(line);
  std::string result, name, word;
  if (!(words >> result)) return;  // an empty line
  if (!(words >> name)) throw std::runtime_error("the name of the operation is missing");
  Operation operation{type_of(result), {}, {}};
  while (words >> word)
    if (word.starts_with("IDL:"))
      operation.raises.add(orb.create_exception_tc(word, "exception", {}));
    else if (word == "void")
      throw std::runtime_error("a parameter cannot be void");
    else
      operation.parameters.add_parameter({}, type_of(word), CORBA::ARG_IN);
  if (!operations.emplace(name, std::move(operation)).second)
    throw std::runtime_error("operation '" + name + "' is in the file twice");
}

Operations read_operations(CORBA::ORB& orb, const std::string& file) {
  Operations operations;
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      read_operation(orb, line, operations);
    } catch (const std::exception& error) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return operations;
}

// The client chooses the name, so it may have control characters.
std::string printable(std::string name) {
  for (char& each : name)
    if (each < ' ' || each > '~') each = '?';
  return name;
}

class Gateway final : public PortableServer::DynamicImplementation {
 public:
  Gateway(ObjectRef target, Operations operations)
      : target_(std::move(target)),
        interface_(target_->_repository_id()),
        operations_(std::move(operations)) {}

  std::string _primary_interface(const PortableServer::ObjectId&,
                                 IDL::traits<PortableServer::POA>::ref_type) override {
    return interface_;
  }

  void invoke(CORBA::object_reference<CORBA::ServerRequest> request) override {
    std::cout << printable(request->operation()) << std::endl;
    const auto found = operations_.find(request->operation());
    if (found == operations_.end()) throw CORBA::BAD_OPERATION();
    const auto& [result, parameters, raises] = found->second;
    const CORBA::NVList& arguments = request->arguments(parameters);
    const auto call =
        CORBA::Request::create(target_, request->operation(), arguments, result, raises);
    try {
      call->invoke();
      if (call->return_value().has_value()) request->set_result(call->return_value());
    } catch (const CORBA::Exception& exception) {
      request->set_exception(exception);
    }
  }

 private:
  const ObjectRef target_;
  const std::string interface_;
  const Operations operations_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 3) {
    std::cerr << "usage: gateway REFERENCE OPERATIONS\n";
    return 1;
  }
  auto root = orb->resolve_initial_references("RootPOA");
  IDL::traits<PortableServer::POA>::narrow(root)->the_POAManager()->activate();
  auto gateway = CORBA::make_reference<Gateway>(orb->string_to_object(argv[1]),
                                                read_operations(*orb, argv[2]));
  const std::string reference = orb->object_to_string(gateway->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "gateway: " << error.what() << '\n';
  return 1;
}
