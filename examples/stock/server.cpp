// The server that the middle tier calls (the sink). Offers one Stock::Quoter with the prices of a
// file. Prints the reference once the object can be called. Shuts down on SIGINT and SIGTERM.
#include "prices.h"
#include "serving.h"
#include "stockS.h"
#include <perigee/corba.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace {

class Quoter final : public CORBA::servant_traits<Stock::Quoter>::base_type {
 public:
  explicit Quoter(Prices prices) : prices_(std::move(prices)) {}

  int32_t get_quote(const std::string& stock_name) override {
    const auto price = prices_.find(stock_name);
    if (!price) throw Stock::Invalid_Stock_Symbol();
    return *price;
  }

 private:
  const Prices prices_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: stock_server [-ORB...] <price file> [<file for the reference>]\n";
    return 2;
  }
  const auto quoter = CORBA::make_reference<Quoter>(Prices::read_file(argv[1]));
  serve_object(orb, quoter, argc == 3 ? argv[2] : "-");
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "stock_server: " << error.what() << '\n';
  return 1;
}
