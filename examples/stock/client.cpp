// Asks a Stock::Quoter for the prices of the symbols on the command line. Exit status: 0 if all
// symbols were known, 1 if one was unknown, 2 for wrong usage, 3 if the server could not be asked.
#include "stockC.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>
#include <string>

namespace {

bool print_quote(const IDL::traits<Stock::Quoter>::ref_type& quoter, const std::string& symbol) {
  try {
    const int32_t price = quoter->get_quote(symbol);
    std::cout << symbol << ' ' << price << std::endl;
    return true;
  } catch (const Stock::Invalid_Stock_Symbol&) {
    std::cerr << symbol << ": no such stock symbol" << std::endl;
    return false;
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 3) {
    std::cerr << "usage: stock_client [-ORB...] <reference> <symbol>...\n"
                 "A reference is IOR:..., corbaloc:... or file:<path of a file that holds one>.\n";
    return 2;
  }
  auto quoter = IDL::traits<Stock::Quoter>::narrow(orb->string_to_object(argv[1]));
  if (!quoter) {
    std::cerr << "stock_client: the reference does not refer to a Stock::Quoter\n";
    return 3;
  }
  bool all_known = true;
  for (int i = 2; i < argc; ++i) all_known &= print_quote(quoter, argv[i]);
  orb->destroy();
  return all_known ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "stock_client: " << error.what() << '\n';
  return 3;
}
