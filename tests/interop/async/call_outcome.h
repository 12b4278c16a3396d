// The results that reply handlers of the interoperability tests get, and how clients wait for them.
#pragma once

#include "../checks.h"
#include <perigee/async/call.h>
#include <perigee/corba.h>
#include <perigee/orb/ami.h>

#include <any>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

namespace interop {

using HolderReference = IDL::traits<Messaging::ExceptionHolder>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;

/// The outcome of one asynchronous call. Written and read by the thread that drives the calls.
class CallOutcome {
 public:
  template <typename... Results>
  void store(const Results&... results) {
    results_ = std::tuple<Results...>(results...);
    ++count_;
  }
  void fail(const HolderReference& holder) {
    try {
      holder->raise_exception();
    } catch (...) {
      exception_ = std::current_exception();
    }
    ++count_;
  }

  /// Starts a call by `send`, and waits until the handler has got its outcome.
  template <typename Send>
  void await(CORBA::ORB& orb, const Send& send) {
    results_.reset();
    exception_ = nullptr;
    const int before = count_;
    send();
    perigee::stub::drive_until(orb, [&] { return count_ != before; });
    CHECK(count_ == before + 1);
  }
  /// Null if the handler got other results, or an exception.
  template <typename... Results>
  [[nodiscard]] const std::tuple<Results...>* results() const {
    return std::any_cast<std::tuple<Results...>>(&results_);
  }
  [[nodiscard]] bool is_void() const { return results<>() != nullptr; }
  [[nodiscard]] const std::exception_ptr& exception() const { return exception_; }

 private:
  std::any results_;
  std::exception_ptr exception_;
  int count_ = 0;
};

/// A call of an echo_ operation: `a` comes back as the result and as `b`, the old `b` as `c`.
template <typename T, typename Send>
void check_outcome(CORBA::ORB& orb, CallOutcome& outcome, const T& a, const T& b,
                   const Send& send) {
  outcome.await(orb, [&] { send(a, b); });
  const auto* const results = outcome.results<T, T, T>();
  CHECK(results != nullptr);
  if (results == nullptr) return;
  CHECK(std::get<0>(*results) == a);
  CHECK(std::get<1>(*results) == a);
  CHECK(std::get<2>(*results) == b);
}

/// A call without results.
template <typename Send>
void check_done(CORBA::ORB& orb, CallOutcome& outcome, const Send& send) {
  outcome.await(orb, send);
  CHECK(outcome.is_void());
}

/// Throws the exception that the handler got, if it got one.
template <typename Send>
void await_or_throw(CORBA::ORB& orb, CallOutcome& outcome, const Send& send) {
  outcome.await(orb, send);
  if (outcome.exception()) std::rethrow_exception(outcome.exception());
}

}  // namespace interop

/// The functions of a handler for one operation. They use a member `outcome` of the handler.
#define PERIGEE_STORE_EXCEPTION(NAME) \
  void NAME##_excep(interop::HolderReference holder) override { outcome.fail(holder); }
#define PERIGEE_STORE_DONE(NAME)            \
  void NAME() override { outcome.store(); } \
  PERIGEE_STORE_EXCEPTION(NAME)
#define PERIGEE_STORE(NAME, IN_TYPE)                            \
  void NAME(IN_TYPE result) override { outcome.store(result); } \
  PERIGEE_STORE_EXCEPTION(NAME)
#define PERIGEE_STORE_ECHO(NAME, IN_TYPE)                                                   \
  void NAME(IN_TYPE result, IN_TYPE b, IN_TYPE c) override { outcome.store(result, b, c); } \
  PERIGEE_STORE_EXCEPTION(NAME)
