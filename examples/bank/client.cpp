// Opens an account at the Banking::Bank whose reference is the first argument, and uses it. Prints
// the reference of the account at the end.
#include "bankC.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: bank_client <reference>\n";
    return 2;
  }
  auto bank = IDL::traits<Banking::Bank>::narrow(orb->string_to_object(argv[1]));
  if (!bank) {
    std::cerr << "client: the reference does not refer to a Banking::Bank\n";
    return 1;
  }
  auto account = bank->open();
  account->deposit(30);
  account->deposit(12);
  std::cout << "balance " << account->balance() << ", largest deposit "
            << bank->largest_deposit(account) << '\n'
            << orb->object_to_string(account) << '\n';
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
