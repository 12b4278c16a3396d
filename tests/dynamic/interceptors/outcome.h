// The outcome of a call with a reply handler, as a future.
#pragma once

#include "deskAmiS.h"

#include <cstdint>
#include <exception>
#include <future>

namespace perigee::test {

/// Receives the outcome of one call.
class Outcome final : public CORBA::amic_traits<Desk::Clerk>::replyhandler_base_type {
 public:
  void twice(std::int32_t result) override { result_.set_value(result); }
  void twice_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    try {
      holder->raise_exception();
    } catch (...) {
      result_.set_exception(std::current_exception());
    }
  }
  [[nodiscard]] std::future<std::int32_t> get_future() { return result_.get_future(); }

 private:
  std::promise<std::int32_t> result_;
};

}  // namespace perigee::test
