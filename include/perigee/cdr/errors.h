// Errors of CDR, and the limits of a decoder.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::cdr {

/// Why decoding or encoding failed.
enum class ErrorKind : std::uint8_t {
  none,
  truncated,    ///< more octets were expected than are there
  bad_length,   ///< a length field promises more than remains
  bad_boolean,  ///< neither 0 nor 1
  bad_enum,     ///< no such enumerator
  bad_string,   ///< no terminating NUL, or a NUL inside
  bad_encapsulation,
  bad_value,         ///< well-formed, but not allowed here
  too_deep,          ///< nesting beyond `Limits::depth_max`
  too_large,         ///< a size or count is beyond another limit
  too_much_memory,   ///< the values of a message would take more memory than its size allows
  memory_full,       ///< the decoded values of all messages together take the whole budget
  local_object,      ///< a local object cannot be marshalled
  not_in_version,    ///< this GIOP version has no encoding for the type
  bad_character,     ///< not valid in its code set, or has no form in the other code set
  no_code_set,       ///< the peers have not agreed on a code set for wide characters
  bound_exceeded,    ///< the value is longer than its type allows; only when encoding
  not_supported,     ///< a type that cannot be marshalled by this version of Perigee
  no_value_factory,  ///< no value factory for a valuetype, nor for a base type to which the value
                     ///< can be truncated
  value_cycle,       ///< a value refers to a value that contains it, where no cycle is allowed
};

/// An error of decoding or encoding: its kind and its place.
struct Error {
  ErrorKind kind = ErrorKind::none;
  std::size_t offset = 0;  ///< octets from the start of the message or encapsulation

  friend bool operator==(const Error&, const Error&) = default;
};

PERIGEE_API std::string to_string(const Error& error);

/// The limits of a decoder. Before decoding begins, the messaging protocol has limited the size of
/// the message.
struct Limits {
  std::uint32_t depth_max = 128;  ///< nested constructed values and encapsulations
  /// Object references, TypeCodes with parameters, and anys with values that are not basic, in one
  /// message. Each takes about 300 octets of memory, and may be much smaller on the wire.
  std::uint32_t objects_max = 256 * 1024;
  /// Memory of the decoded values of one message, in octets. In addition, the values may take 8
  /// times the size of the message.
  std::uint32_t decoded_size_max = 64u << 20;
};

}  // namespace perigee::cdr
