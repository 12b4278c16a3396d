// The minor codes of interceptors. Source: CORBA 3.0, annex A.
#pragma once

#include "orb/values/system_exceptions.h"

#include <cstdint>

namespace perigee::interceptors {

inline constexpr std::uint32_t minor_not_available = orb::omg_minor(1);        ///< NO_RESOURCES
inline constexpr std::uint32_t minor_in_initializer = orb::omg_minor(10);      ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_invalid_point = orb::omg_minor(14);       ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_context_twice = orb::omg_minor(15);       ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_factory_twice = orb::omg_minor(16);       ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_no_service_context = orb::omg_minor(26);  ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_component = orb::omg_minor(28);        ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_profile = orb::omg_minor(29);          ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_policy_factory = orb::omg_minor(3);    ///< INV_POLICY
inline constexpr std::uint32_t minor_ior_interceptor = orb::omg_minor(6);      ///< OBJ_ADAPTER

}  // namespace perigee::interceptors
