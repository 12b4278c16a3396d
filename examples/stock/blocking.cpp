// The simplest middle tier. A thread can do nothing else while it waits.
#include "middle.h"
#include "stockS.h"

#include <cstdint>
#include <string>
#include <utility>

namespace {

class Blocking final : public CORBA::servant_traits<Stock::Quoter>::base_type {
 public:
  explicit Blocking(QuoterRef sink) : sink_(std::move(sink)) {}

  int32_t get_quote(const std::string& stock_name) override { return sink_->get_quote(stock_name); }

 private:
  const QuoterRef sink_;
};

}  // namespace

ServantRef make_blocking(QuoterRef sink) {
  return CORBA::make_reference<Blocking>(std::move(sink));
}
