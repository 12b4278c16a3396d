// The middle tier with callbacks. The reply handler of the call to the sink keeps the response
// handler of the request, and no thread waits.
#include "middle.h"
#include "stockAmhS.h"
#include "stockAmiC.h"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace {

using Asynchronous = CORBA::amic_traits<Stock::Quoter>;
using Handled = CORBA::amh_traits<Stock::Quoter>;

/// Gets the sink's reply, and replies to the client.
class Callback final : public Asynchronous::replyhandler_base_type {
 public:
  explicit Callback(Handled::response_handler_ref_type client) : client_(std::move(client)) {}

  void get_quote(int32_t price) override { client_->get_quote(price); }
  void get_quote_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    try {
      holder->raise_exception();
    } catch (...) {
      client_->get_quote_excep(Handled::exception_holder_type(std::current_exception()));
    }
  }

 private:
  const Handled::response_handler_ref_type client_;
};

class Callbacks final : public Handled::base_type {
 public:
  explicit Callbacks(const QuoterRef& sink) : sink_(Asynchronous::narrow(sink)) {}

  void get_quote(Handled::response_handler_ref_type client,
                 const std::string& stock_name) override {
    sink_->sendc_get_quote(CORBA::make_reference<Callback>(std::move(client)), stock_name);
  }

 private:
  const Asynchronous::ref_type sink_;
};

}  // namespace

ServantRef make_callbacks(const QuoterRef& sink) { return CORBA::make_reference<Callbacks>(sink); }
