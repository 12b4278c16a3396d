// Asks several sinks at the same time, and replies with the lowest price.
#include "middle.h"
#include "stockAsync.h"
#include "stockAsyncS.h"
#include <perigee/async/on_orb.h>
#include <perigee/async/scope.h>
#include <perigee/async/when.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
using perigee::task;

/// The answers of the sinks so far.
struct Answers {
  std::optional<int32_t> lowest;
  std::exception_ptr failure;
};

task<> ask(QuoterRef sink, std::string stock_name, Answers& answers) {
  try {
    const int32_t price = co_await sink->_async().get_quote(std::move(stock_name));
    answers.lowest = std::min(price, answers.lowest.value_or(price));
  } catch (const CORBA::Exception&) {  // other sinks may have a price
    answers.failure = std::current_exception();
  }
}

task<> ask_all(std::vector<QuoterRef> sinks, std::string stock_name, Answers& answers) {
  std::vector<task<>> questions;
  for (const QuoterRef& sink : sinks) questions.push_back(ask(sink, stock_name, answers));
  co_await perigee::when_all(std::move(questions));
}

task<> time_limit(CORBA::ORB::_ref_type orb) { co_await perigee::sleep_for(orb, 1s); }

class Best final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  Best(CORBA::ORB::_ref_type orb, std::vector<QuoterRef> sinks)
      : orb_(std::move(orb)), sinks_(std::move(sinks)) {}

  // When the time is over, the calls that wait are cancelled, and the sinks are told. With several
  // threads, the request runs on one thread and the replies run on another. So the request
  // continues on the thread of the replies, and `answers` needs no lock.
  task<int32_t> get_quote(std::string stock_name) override {
    co_await perigee::continue_on(perigee::on(orb_));
    Answers answers;
    co_await perigee::when_any(ask_all(sinks_, std::move(stock_name), answers), time_limit(orb_));
    if (answers.lowest) co_return *answers.lowest;
    if (answers.failure) std::rethrow_exception(answers.failure);
    throw CORBA::TIMEOUT();
  }

 private:
  const CORBA::ORB::_ref_type orb_;
  const std::vector<QuoterRef> sinks_;
};

}  // namespace

ServantRef make_best(CORBA::ORB::_ref_type orb, std::vector<QuoterRef> sinks) {
  return CORBA::make_reference<Best>(std::move(orb), std::move(sinks));
}
