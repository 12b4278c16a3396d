// Asks a Stock::Quoter for several prices at once: all calls begin, then the thread takes the
// replies as they come. Exit status: 0 if all calls gave a price, else 1.
#include "stockAmiC.h"
#include <perigee/corba.h>

#include <cstdint>
#include <exception>
#include <iostream>

namespace {

using Asynchronous = CORBA::amic_traits<Stock::Quoter>;
constexpr std::uint32_t ten_seconds = 10'000;

void print_replies(CORBA::PollableSet& calls) {
  while (calls.number_left() != 0) {
    const auto ready = calls.get_ready_pollable(ten_seconds);
    int32_t price = 0;
    Asynchronous::poller_traits::narrow(ready)->get_quote(0, price);
    std::cout << price << std::endl;
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 3) {
    std::cerr << "usage: stock_polling_client [-ORB...] <reference> <symbol>...\n";
    return 1;
  }
  const auto quoter = Asynchronous::narrow(orb->string_to_object(argv[1]));
  if (!quoter) throw CORBA::INV_OBJREF();
  const auto calls = quoter->sendp_get_quote(argv[2])->create_pollable_set();
  for (int i = 3; i < argc; ++i) calls->add_pollable(quoter->sendp_get_quote(argv[i]));
  print_replies(*calls);
  orb->destroy();
  return 0;
} catch (const std::exception& error) {
  std::cerr << "stock_polling_client: " << error.what() << '\n';
  return 1;
}
