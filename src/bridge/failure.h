// System exceptions that the bridge itself sends, in place of a reply of the target.
#pragma once

#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>

#include <cstdint>
#include <string_view>

namespace perigee::bridge {

/// The values are CORBA's (CORBA 3.0, 4.12.3.1).
enum class Completion : std::uint32_t { yes = 0, no = 1, maybe = 2 };

/// A standard system exception. The texts must outlive it.
struct Failure {
  std::string_view name;  ///< "TRANSIENT"
  Completion completed = Completion::no;
  std::string_view text;  ///< for the user: which part of the bridge or its peers failed, and why
};

inline constexpr Failure no_memory{"NO_MEMORY", Completion::no, "the bridge is out of memory"};

/// The message that a failure answers.
struct Answered {
  const messaging::Session& session;
  messaging::Version version;
  std::uint32_t request_id = 0;
  bool from_bridge = false;  ///< a bridge has sent it, so the reply says that a bridge answers
};

/// Writes a reply, in the byte order of the machine. The text is in the context
/// ExceptionDetailMessage. May throw bad_alloc.
void write_failure(cdr::Buffer& buffer, const Answered& request, const Failure& failure);

}  // namespace perigee::bridge
