// Makes a value of a type that no IDL file has, and passes it to the Demo::Printer whose reference
// is the first argument.
#include "printerC.h"
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_any.h>

#include <exception>
#include <iostream>

namespace {

/// struct Order { string article; unsigned long count; sequence<double> prices; };
CORBA::object_reference<CORBA::TypeCode> order_type(const CORBA::ORB& orb) {
  CORBA::StructMemberSeq members;
  members.emplace_back("article", CORBA::_tc_string);
  members.emplace_back("count", CORBA::_tc_ulong);
  members.emplace_back("prices", orb.create_sequence_tc(0, CORBA::_tc_double));
  return orb.create_struct_tc("IDL:Demo/Order:1.0", "Order", members);
}

CORBA::Any make_order(const CORBA::object_reference<CORBA::ORB>& orb) {
  auto factory = DynamicAny::factory_of(orb);
  auto order = factory->create_dyn_any_from_type_code(order_type(*orb));
  order->insert_string("lamp");
  order->next();
  order->insert_ulong(2);
  order->next();
  order->insert_double_seq({19.5, 18});
  return order->to_any();
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: dynamic_values_client <reference>\n";
    return 2;
  }
  auto printer = IDL::traits<Demo::Printer>::narrow(orb->string_to_object(argv[1]));
  if (!printer) {
    std::cerr << "client: the reference does not refer to a Demo::Printer\n";
    return 1;
  }
  std::cout << printer->text_of(make_order(orb)) << '\n';
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
