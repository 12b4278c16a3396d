// A statically linked program gets the factory of DynAnys as an initial reference.
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_any.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  perigee::dynamic::install(orb);
  auto factory = IDL::traits<DynamicAny::DynAnyFactory>::narrow(
      orb->resolve_initial_references("DynAnyFactory"));
  auto dyn = factory->create_dyn_any_from_type_code(orb->create_array_tc(2, CORBA::_tc_long));
  dyn->insert_long_seq({1, 2});
  dyn->next();
  const bool is_right = dyn->get_long() == 2;
  orb->destroy();
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
