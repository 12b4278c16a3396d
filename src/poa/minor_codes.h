// Minor codes of the system exceptions that the POA raises. Source: CORBA 3.0, appendix A. Codes
// with PERIGEE_VMCID are Perigee's own.
#pragma once

#include <perigee/orb/exceptions.h>

#include <cstdint>

namespace perigee::poa {

inline constexpr std::uint32_t minor_discarded = CORBA::OMGVMCID | 1;           // TRANSIENT
inline constexpr std::uint32_t minor_adapter_destroyed = CORBA::OMGVMCID | 4;   // TRANSIENT
inline constexpr std::uint32_t minor_no_adapter = CORBA::OMGVMCID | 2;          // OBJECT_NOT_EXIST
inline constexpr std::uint32_t minor_inactive = CORBA::OMGVMCID | 1;            // OBJ_ADAPTER
inline constexpr std::uint32_t minor_adapter_activator = CORBA::OMGVMCID | 1;   // OBJ_ADAPTER
inline constexpr std::uint32_t minor_no_default_servant = CORBA::OMGVMCID | 3;  // OBJ_ADAPTER
inline constexpr std::uint32_t minor_no_servant_manager = CORBA::OMGVMCID | 4;  // OBJ_ADAPTER
inline constexpr std::uint32_t minor_incarnate_policy = CORBA::OMGVMCID | 5;    // OBJ_ADAPTER
inline constexpr std::uint32_t minor_null_servant = CORBA::OMGVMCID | 7;        // OBJ_ADAPTER
inline constexpr std::uint32_t minor_manager_set = CORBA::OMGVMCID | 6;         // BAD_INV_ORDER
inline constexpr std::uint32_t minor_would_deadlock = CORBA::OMGVMCID | 3;      // BAD_INV_ORDER
inline constexpr std::uint32_t minor_being_destroyed = CORBA::OMGVMCID | 17;    // BAD_INV_ORDER
inline constexpr std::uint32_t minor_foreign_id = CORBA::OMGVMCID | 14;         // BAD_PARAM
inline constexpr std::uint32_t minor_unknown_operation = CORBA::OMGVMCID | 2;   // BAD_OPERATION
inline constexpr std::uint32_t minor_nul_in_id = CORBA::OMGVMCID | 16;          // BAD_PARAM
inline constexpr std::uint32_t minor_no_repository = CORBA::OMGVMCID | 1;       // INTF_REPOS
inline constexpr std::uint32_t minor_no_definition = CORBA::OMGVMCID | 2;       // INTF_REPOS

inline constexpr std::uint32_t minor_no_object = CORBA::PERIGEE_VMCID | 1;   // OBJECT_NOT_EXIST
inline constexpr std::uint32_t minor_table_full = CORBA::PERIGEE_VMCID | 1;  // NO_RESOURCES

}  // namespace perigee::poa
