// Prints the definitions of an Interface Repository, for tests with the repositories of other ORBs.
// usage: repository_reader REFERENCE [-ORB...]
#include <perigee/orb/write.h>
#include <perigee/repository.h>

#include <exception>
#include <iostream>
#include <string>

namespace {

using CORBA::DefinitionKind;

void print_interface(const CORBA::object_reference<CORBA::Contained>& contained) {
  const auto definition = IDL::traits<CORBA::InterfaceDef>::narrow(contained);
  const auto described = definition->describe_interface();
  std::cout << "interface " << described.id();
  for (const std::string& base : described.base_interfaces()) std::cout << " : " << base;
  std::cout << '\n';
  for (const auto& operation : described.operations()) {
    std::cout << "  operation " << operation.name() << " : " << operation.result()->_text();
    if (operation.mode() == CORBA::OperationMode::OP_ONEWAY) std::cout << " oneway";
    for (const auto& parameter : operation.parameters())
      std::cout << ", " << _enumerator_name(parameter.mode()) << ' ' << parameter.name() << " : "
                << parameter.type()->_text();
    for (const auto& exception : operation.exceptions()) std::cout << ", raises " << exception.id();
    std::cout << '\n';
  }
  for (const auto& attribute : described.attributes())
    std::cout << "  attribute " << attribute.name() << " : " << attribute.type()->_text() << ' '
              << _enumerator_name(attribute.mode()) << '\n';
}

void print(const CORBA::object_reference<CORBA::Container>& container) {
  for (const auto& content : container->contents(DefinitionKind::dk_all, true)) {
    switch (content->def_kind()) {
      case DefinitionKind::dk_Module:
        std::cout << "module " << content->absolute_name() << '\n';
        print(IDL::traits<CORBA::Container>::narrow(content));
        break;
      case DefinitionKind::dk_Interface:
        print_interface(content);
        break;
      case DefinitionKind::dk_Struct: {
        std::cout << "struct " << content->id();
        for (const auto& member : IDL::traits<CORBA::StructDef>::narrow(content)->members())
          std::cout << ", " << member.name() << " : " << member.type_def()->type()->_text();
        std::cout << '\n';
        break;
      }
      default:
        std::cout << _enumerator_name(content->def_kind()) << ' ' << content->id() << '\n';
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const auto repository = IDL::traits<CORBA::Repository>::narrow(
        argc > 1 ? orb->string_to_object(argv[1])
                 : orb->resolve_initial_references("InterfaceRepository"));
    print(repository);
    orb->destroy();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "repository_reader: " << failure.what() << '\n';
    return 1;
  }
}
