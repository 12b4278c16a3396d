// The middle tier of the tests: it calls a sink asynchronously and forwards its reply.
#pragma once

#include "orb/async/observers.h"
#include "poa/fakes.h"
#include <perigee/poa/answer.h>

#include <cstdint>

namespace perigee::test {

/// Gives the sink's reply to the client.
class Forward final : public stub::CallObserver {
 public:
  explicit Forward(orb::ServerRequest& request) : client_(request) {}

  void ended(stub::CallOutcome& outcome) noexcept override {
    std::uint32_t value = 0;
    if (const auto failure = outcome.decode([&](cdr::Decoder& results) { results >> value; }))
      client_.exception(failure);
    else
      client_.reply([value](cdr::Encoder& encoder) { encoder << value; });
    delete this;
  }

 private:
  skeleton::Answer client_;
};

/// Calls the object that `sink` refers to when the request arrives.
inline ActingServant::Action forward_to(const CORBA::object_reference<CORBA::Object>& sink) {
  return [&sink](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    (void)stub::send(*sink, act_operation, number(value), *new Forward(request));
  };
}

}  // namespace perigee::test
