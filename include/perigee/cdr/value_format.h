// The tags of valuetypes in CDR. Source: CORBA 3.0, 15.3.4.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perigee::cdr {

inline constexpr std::uint32_t null_value_tag = 0;
/// The tag in front of the distance to an earlier value, repository id or code base URL.
inline constexpr std::uint32_t value_indirection_tag = 0xffffffff;
/// The tag of a value with state is this number with some of the bits below.
inline constexpr std::uint32_t value_tag = 0x7fffff00;
inline constexpr std::uint32_t value_tag_max = 0x7fffffff;

inline constexpr std::uint32_t value_codebase_bit = 1;  ///< a code base URL follows
inline constexpr std::uint32_t value_type_bits = 6;     ///< one of the next three
inline constexpr std::uint32_t value_without_type = 0;  ///< the type is the declared one
inline constexpr std::uint32_t value_with_id = 2;       ///< a repository id follows
inline constexpr std::uint32_t value_with_ids = 6;      ///< a list of repository ids follows
inline constexpr std::uint32_t value_chunked_bit = 8;   ///< the state is divided into chunks

/// The longest list of repository ids that is read or written. The list has one id for each type
/// that the value can be truncated to.
inline constexpr std::size_t value_ids_max = 64;
/// The longest repository id of a value that is read or written, in octets. Each value may repeat
/// an id by an indirection, and readers compare ids.
inline constexpr std::size_t value_id_size_max = 1024;
/// The most values that a writer nests in each other, for example the elements of a linked list.
/// The limit bounds the use of the stack. Readers have `Limits::depth_max`.
inline constexpr std::uint32_t written_depth_max = 1000;

}  // namespace perigee::cdr
