// Coroutines as the servants of tests, and the asynchronous call that clients make.
#pragma once

#include "poa/fakes.h"
#include <perigee/async/call.h>
#include <perigee/async/serve.h>

#include <cstdint>
#include <functional>
#include <utility>

namespace perigee::test {

using Coroutine = std::function<task<std::uint32_t>(std::uint32_t)>;

inline ActingServant::Action serving(Coroutine work) {
  return [work = std::move(work)](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    async::serve<std::uint32_t>(
        request, [&] { return work(argument); },
        [](cdr::Encoder& encoder, const std::uint32_t& result) { encoder << result; });
  };
}

/// Calls the "act" operation.
inline call<std::uint32_t> start_act(const CORBA::object_reference<CORBA::Object>& object,
                                     std::uint32_t argument) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  return async::start_call<std::uint32_t>(
      *object, operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [](cdr::Decoder& results) { return results.read<std::uint32_t>(); });
}

}  // namespace perigee::test
