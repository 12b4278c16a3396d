// A servant made of coroutines for asynchronous calls. Clients cannot tell it from other servants.
#pragma once

#include "deskAsyncS.h"
#include <perigee/corba.h>

#include <string>
#include <utility>

namespace perigee::test {

/// Replies without suspending.
class DeskServant : public CORBA::async_traits<Desk::Both>::base_type {
 public:
  task<std::string> name() override { co_return "servant"; }
  task<void> ping() override { co_return; }
  task<Desk::Order> last() override { co_return last_; }
  task<void> last(Desk::Order _value) override {
    if (_value.amount() < 0) throw Desk::Refused("negative", 3);
    last_ = _value;
    co_return;
  }
  task<int64_t> turn(int32_t value) override {
    if (value == 0) throw Desk::Refused("not in raises", 0);
    co_return -int64_t{value};
  }
  task<void> tell(std::string, Desk::Orders) override { co_return; }
  task<void> stop() override { co_return; }
  task<trade_results> trade(Desk::Order _cxx_what, int32_t price, Desk::Orders all) override {
    all.push_back(_cxx_what);
    trade_results results(static_cast<int32_t>(all.size()), 2 * price, {1, 2, 3}, all);
    co_return results;
  }
  task<exchange_results> exchange(CORBA::object_reference<Desk::Listener> other) override {
    co_return exchange_results(other, other);
  }
  task<void> put(pinned<uint8_t> data, pinned<char> text) override {
    if (data.size() != 3 || text != "put") throw CORBA::BAD_PARAM();
    co_return;
  }
  task<void> keep(pinned<uint8_t>) override { co_return; }
  task<std::string> greet(std::string who,
                          CORBA::object_reference<CORBA::Context> context) override {
    const CORBA::ContextValues values = context->get_values("", 0, "language");
    co_return who + " in " + values.at("language");
  }
  task<Desk::Order> only(int32_t number) override {
    co_return Desk::Order("only" + std::to_string(number), number);
  }

 private:
  Desk::Order last_;
};

}  // namespace perigee::test
