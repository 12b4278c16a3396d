// A gateway, as in a firewall: it checks requests before it passes them to the sink, and replies
// before it passes them to the client.
#include "middle.h"
#include "stockAsync.h"
#include "stockAsyncS.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

bool is_symbol(std::string_view text) {
  return !text.empty() && text.size() <= 8 &&
         std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

class Gateway final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  explicit Gateway(QuoterRef sink) : sink_(std::move(sink)) {}

  perigee::task<int32_t> get_quote(std::string stock_name) override {
    if (!is_symbol(stock_name)) throw Stock::Invalid_Stock_Symbol();
    int32_t price = 0;
    try {
      price = co_await sink_->_async().get_quote(stock_name);
    } catch (const CORBA::SystemException& failure) {  // clients must not see details
      std::cerr << "gateway: " << stock_name << ": " << failure.what() << std::endl;
      throw CORBA::TRANSIENT(0, failure.completed());
    }
    if (price < 0) throw CORBA::DATA_CONVERSION(0, CORBA::COMPLETED_YES);
    co_return price;
  }

 private:
  const QuoterRef sink_;
};

}  // namespace

ServantRef make_gateway(QuoterRef sink) { return CORBA::make_reference<Gateway>(std::move(sink)); }
