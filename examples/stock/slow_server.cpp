// A sink server that waits before it replies, as a database or a distant server would. Any number
// of requests wait at once, and need no thread.
#include "prices.h"
#include "serving.h"
#include "stockAsyncS.h"
#include <perigee/async/on_orb.h>
#include <perigee/corba.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

using std::chrono::milliseconds;

class SlowQuoter final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  SlowQuoter(CORBA::ORB::_ref_type orb, Prices prices, milliseconds delay)
      : orb_(std::move(orb)), prices_(std::move(prices)), delay_(delay) {}

  perigee::task<int32_t> get_quote(std::string stock_name) override {
    const bool slept = co_await perigee::sleep_for(orb_, delay_);
    if (!slept) throw CORBA::TRANSIENT();  // no client waits for the reply any longer
    const auto price = prices_.find(stock_name);
    if (!price) throw Stock::Invalid_Stock_Symbol();
    co_return *price;
  }

 private:
  const CORBA::ORB::_ref_type orb_;
  const Prices prices_;
  const milliseconds delay_;
};

bool parse(std::string_view text, milliseconds& delay) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  delay = milliseconds(count);
  return error == std::errc() && end == text.data() + text.size() && count >= 0;
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  milliseconds delay{};
  if ((argc != 3 && argc != 4) || !parse(argv[1], delay)) {
    std::cerr << "usage: stock_slow_server [-ORB...] <milliseconds> <price file> "
                 "[<file for the reference>]\n";
    return 2;
  }
  const auto quoter = CORBA::make_reference<SlowQuoter>(orb, Prices::read_file(argv[2]), delay);
  serve_object(orb, quoter, argc == 4 ? argv[3] : "-");
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "stock_slow_server: " << error.what() << '\n';
  return 1;
}
