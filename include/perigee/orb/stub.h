// Calls, for generated stubs (…C.cpp). Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/kept_sequence.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/run.h>
#include <perigee/cdr/text_run.h>
#include <perigee/orb/mapping.h>
#include <perigee/orb/marshalling.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace perigee::stub {

/// Equality of identifiers. The operators of std take far longer to compile, and each stub compares
/// identifiers.
[[nodiscard]] inline bool same(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && a.compare(b) == 0;
}

/// A user exception that an operation may raise.
struct RaisedException {
  std::string_view repository_id;
  /// Decodes the members and throws the exception, or MARSHAL if they do not decode.
  void (*raise)(cdr::Decoder& decoder);
};

/// The description of an operation for the ORB; a constant in generated code.
struct Operation {
  /// `dynamic`: a twoway operation of type DynamicOperation.
  enum class Kind : std::uint8_t { twoway, oneway, dynamic };
  std::string_view name;  ///< as on the wire: "get_quote", "_get_price"
  Kind kind = Kind::twoway;
  std::span<const RaisedException> raises;
};

/// An operation whose user exceptions are not known at compile time. Its kind is `dynamic`.
struct DynamicOperation : Operation {
  /// Reads the user exception of a reply, which begins with its repository id, and throws it. If
  /// the operation does not raise it, returns and leaves `decoder` unchanged.
  void (*raise)(const DynamicOperation& operation, cdr::Decoder& decoder);
};

using ArgumentEncoder = function_ref<void(cdr::Encoder&)>;
using ResultDecoder = function_ref<void(cdr::Decoder&)>;

/// Calls an operation and waits for its reply (not for oneways). Blocks the calling thread.
///
/// `encode` writes the arguments (null: no arguments), once per try. It must not throw, but may
/// fail the encoder. It must not wait for another thread, since other messages of the connection
/// may wait until it returns. `decode` reads results (null: no results), at most once. Raises the
/// operation's user exceptions and CORBA system exceptions.
PERIGEE_API void invoke(const CORBA::Object& target, const Operation& operation,
                        ArgumentEncoder encode, ResultDecoder decode);

}  // namespace perigee::stub
