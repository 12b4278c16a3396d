// The functions of a request's information that are valid at each interception point.
#pragma once

#include "dynamic/interceptors/minor_codes.h"
#include <perigee/orb/exceptions.h>

#include <cstdint>

namespace perigee::interceptors {

/// A set of points of one side, as bits.
using Points = std::uint8_t;

/// Source: CORBA 3.0, table 21-1.
namespace client_point {
inline constexpr Points none = 0;
inline constexpr Points send_request = 1;
inline constexpr Points send_poll = 2;
inline constexpr Points receive_reply = 4;
inline constexpr Points receive_exception = 8;
inline constexpr Points receive_other = 16;
inline constexpr Points ends = receive_reply | receive_exception | receive_other;
inline constexpr Points all_but_poll = send_request | ends;
inline constexpr Points all = all_but_poll | send_poll;
}  // namespace client_point

/// Source: CORBA 3.0, table 21-2.
namespace server_point {
inline constexpr Points none = 0;
inline constexpr Points receive_contexts = 1;
inline constexpr Points receive_request = 2;
inline constexpr Points send_reply = 4;
inline constexpr Points send_exception = 8;
inline constexpr Points send_other = 16;
inline constexpr Points ends = send_reply | send_exception | send_other;
inline constexpr Points all_but_contexts = receive_request | ends;
inline constexpr Points all = all_but_contexts | receive_contexts;
}  // namespace server_point

[[noreturn]] inline void raise_invalid_point() {
  throw CORBA::BAD_INV_ORDER(minor_invalid_point, CORBA::COMPLETED_NO,
                             "not available at this interception point");
}
[[noreturn]] inline void raise_not_available() {
  throw CORBA::NO_RESOURCES(minor_not_available, CORBA::COMPLETED_NO,
                            "calls of stubs and skeletons keep no arguments for interceptors");
}

}  // namespace perigee::interceptors
