// The rules of deferred replies. The first thread that replies sends the only reply. A dropped
// answer sends NO_RESPONSE.
#include "orb/serving/cancellation.h"
#include "orb/serving/log_operation.h"
#include "orb/values/system_exceptions.h"
#include "poa/answer_thrown.h"
#include "poa/outstanding.h"
#include "poa/upcall.h"
#include <perigee/poa/answer.h>
#include <perigee/poa/held_exception.h>
#include <perigee/poa/poa.h>

#include <new>

namespace perigee::skeleton {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_YES;
using poa::Outstanding;

namespace {

[[noreturn]] void raise_answered() {
  throw CORBA::BAD_INV_ORDER(orb::minor_answered_twice, COMPLETED_YES, "answered before");
}

// Raises if an answer was given before. The request is over when this object ends.
class Turn {
 public:
  explicit Turn(Outstanding* outstanding) : outstanding_(outstanding) {
    if (outstanding == nullptr || !outstanding->take()) raise_answered();
  }
  ~Turn() { outstanding_->end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] orb::ServerRequest& request() const noexcept { return outstanding_->request(); }

 private:
  Outstanding* outstanding_;
};

// Logs a dropped answer only if a client waits for it.
void log_dropped(const Outstanding& outstanding) noexcept {
  orb::ServerRequest& request = outstanding.request();
  orb::Cancellation* const cancellation = request.cancellation();
  if (!outstanding.expected() || (cancellation != nullptr && cancellation->requested())) return;
  orb::log_operation(log::Level::warning, request.operation(),
                     {"the client gets NO_RESPONSE: the answer was dropped"});
}

// Leaves out the text if there is no memory for it: the client must get an answer.
CORBA::NO_RESPONSE dropped_answer() noexcept {
  try {
    return CORBA::NO_RESPONSE(0, COMPLETED_MAYBE, "the servant has dropped the answer");
  } catch (const std::bad_alloc&) {
    return CORBA::NO_RESPONSE(0, COMPLETED_MAYBE);
  }
}

// Called in the upcall, after the answer was given.
void log_thrown_late(const char* thrown) noexcept {
  const poa::Upcall* const upcall = poa::Upcall::current();
  orb::log_operation(log::Level::warning,
                     upcall != nullptr ? upcall->request().operation() : std::string_view(),
                     {"thrown after the answer: ", thrown});
}

}  // namespace

Answer::Answer(orb::ServerRequest& request) : outstanding_(new Outstanding(request)) {}

Answer::~Answer() {
  if (outstanding_ == nullptr) return;
  if (outstanding_->take()) {
    log_dropped(*outstanding_);
    orb::ServerRequest& request = outstanding_->request();
    if (!outstanding_->expected() && request.interception() != nullptr)
      request.reply(nullptr);  // interceptors see a oneway that was executed
    else
      request.reply_exception(dropped_answer());
    outstanding_->end();
  }
  delete outstanding_;
}

// If the results cannot be encoded, the client gets the exception, since a second answer is
// impossible.
void Answer::reply(orb::ResultEncoder encode) {
  const Turn turn(outstanding_);
  try {
    turn.request().reply(encode);
  } catch (...) {
    poa::answer_thrown(turn.request());
    throw;
  }
}

void Answer::exception(const CORBA::Exception& exception) {
  if (const auto* forward = dynamic_cast<const PortableServer::ForwardRequest*>(&exception))
    return this->exception(std::make_exception_ptr(*forward));
  const Turn turn(outstanding_);
  turn.request().reply_exception(exception);
}

void Answer::exception(const std::exception_ptr& thrown) {
  const Turn turn(outstanding_);
  try {
    if (thrown) std::rethrow_exception(thrown);
    orb::log_operation(log::Level::warning, turn.request().operation(),
                       {"the client gets UNKNOWN: the exception to reply with is null"});
    turn.request().reply_exception(CORBA::UNKNOWN(0, COMPLETED_MAYBE, "no exception"));
  } catch (...) {
    poa::answer_thrown(turn.request());
  }
}

void Answer::forward(const CORBA::Object& target, bool permanent) {
  const Turn turn(outstanding_);
  try {
    turn.request().reply_forward(target, permanent);
  } catch (...) {  // a local object
    poa::answer_thrown(turn.request());
    throw;
  }
}

bool Answer::answered() const noexcept { return outstanding_ == nullptr || outstanding_->taken(); }

bool Answer::expected() const noexcept {
  return outstanding_ != nullptr && outstanding_->expected();
}

void Answer::answer_thrown() noexcept {
  if (outstanding_ != nullptr && outstanding_->take()) {
    poa::answer_thrown(outstanding_->request());
    outstanding_->end();
    return;
  }
  try {
    throw;
  } catch (const std::exception& exception) {
    log_thrown_late(exception.what());
  } catch (...) {
    log_thrown_late("an exception of an unknown type");
  }
}

std::exception_ptr HeldException::copy_of(const CORBA::Exception& exception) {
  try {
    exception._raise();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;  // _raise always throws
}

void HeldException::_raise_exception() const {
  if (exception_) std::rethrow_exception(exception_);
  throw CORBA::UNKNOWN(0, COMPLETED_MAYBE, "the exception holder is empty");
}

}  // namespace perigee::skeleton
