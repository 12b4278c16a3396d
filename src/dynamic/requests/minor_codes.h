// Minor codes of the system exceptions of dynamic calls and servants. Source: CORBA 3.0, annex A.
#pragma once

#include <perigee/orb/exceptions.h>

#include <cstdint>

namespace perigee::dynamic {

inline constexpr std::uint32_t minor_arguments_twice = CORBA::OMGVMCID | 7;       // BAD_INV_ORDER
inline constexpr std::uint32_t minor_context_order = CORBA::OMGVMCID | 8;         // BAD_INV_ORDER
inline constexpr std::uint32_t minor_result_order = CORBA::OMGVMCID | 9;          // BAD_INV_ORDER
inline constexpr std::uint32_t minor_sent_before = CORBA::OMGVMCID | 10;          // BAD_INV_ORDER
inline constexpr std::uint32_t minor_not_sent = CORBA::OMGVMCID | 11;             // BAD_INV_ORDER
inline constexpr std::uint32_t minor_response_taken = CORBA::OMGVMCID | 12;       // BAD_INV_ORDER
inline constexpr std::uint32_t minor_not_deferred = CORBA::OMGVMCID | 13;         // BAD_INV_ORDER
inline constexpr std::uint32_t minor_not_an_exception = CORBA::OMGVMCID | 21;     // BAD_PARAM
inline constexpr std::uint32_t minor_call_of_local_object = CORBA::OMGVMCID | 4;  // NO_IMPLEMENT

}  // namespace perigee::dynamic
