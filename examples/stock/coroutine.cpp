// The middle tier as a coroutine. Its code looks like the code of the middle tier that blocks.
#include "middle.h"
#include "stockAsync.h"
#include "stockAsyncS.h"

#include <cstdint>
#include <string>
#include <utility>

namespace {

class Coroutine final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  explicit Coroutine(QuoterRef sink) : sink_(std::move(sink)) {}

  perigee::task<int32_t> get_quote(std::string stock_name) override {
    co_return co_await sink_->_async().get_quote(std::move(stock_name));
  }

 private:
  const QuoterRef sink_;
};

}  // namespace

ServantRef make_coroutine(QuoterRef sink) {
  return CORBA::make_reference<Coroutine>(std::move(sink));
}
