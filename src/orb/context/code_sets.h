// The code sets that a client and a server use for their messages. CORBA 3.0, 13.10.2.
//
// The choice belongs to a connection. So the client does not share a connection between references
// with different choices (EndpointTable), even if they have the same endpoint. Choices differ, for
// example, if only one reference announces code sets, or if the GIOP versions differ.
#pragma once

#include "engine/connection/agreement.h"
#include "orb/context/settings.h"
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/code_sets.h>
#include <perigee/iop/components.h>
#include <perigee/messaging/message.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <span>

namespace perigee::orb {

/// The code sets that a client uses on a connection, and its announcement to the server.
struct CodeSetChoice {
  cdr::CodeSets code_sets;
  /// Numbers of the OSF registry. If a code set has several numbers, this is the number in the
  /// server's profile. If char_data is 0, the client announces nothing.
  iop::CodeSetContext announced;
  friend auto operator<=>(const CodeSetChoice&, const CodeSetChoice&) = default;
};

/// The code sets that the profiles of references to this ORB's objects contain.
[[nodiscard]] PERIGEE_INTERNAL_API iop::CodeSetInfo published_code_sets(
    const CodeSetSettings& settings);

/// Chooses the code sets for a target that speaks `version` and whose profile has `components`.
/// Empty: there is no code set that both sides understand.
[[nodiscard]] std::optional<CodeSetChoice> choose_code_sets(
    const CodeSetSettings& settings, messaging::Version version,
    std::span<const iop::TaggedComponent> components);

/// The code sets of collocated calls: characters are not converted.
[[nodiscard]] constexpr cdr::CodeSets collocated_code_sets(const CodeSetSettings& settings) {
  return {settings.native_char, settings.native_char, cdr::WideSet::native, 2};
}

/// The code sets that the client of a server connection has announced. May be used on any thread.
class AnnouncedCodeSets {
 public:
  enum class Problem : std::uint8_t {
    malformed,
    unknown,  ///< a code set that the ORB does not know
    changed,  ///< the client has announced other code sets before
  };

  /// Both arguments must outlive the object.
  AnnouncedCodeSets(const CodeSetSettings& settings, engine::Agreement& agreement) noexcept
      : settings_(settings), agreement_(agreement) {}

  /// Called for a new connection: its client has announced nothing yet.
  PERIGEE_INTERNAL_API void begin() noexcept;

  /// Looks for an announcement among a request's contexts. Returns the code sets for reading the
  /// request and writing its reply.
  [[nodiscard]] PERIGEE_INTERNAL_API std::expected<cdr::CodeSets, Problem> take(
      messaging::Version version, std::span<const iop::ServiceContext> contexts) noexcept;

 private:
  [[nodiscard]] std::expected<cdr::CodeSets, Problem> learn(OctetSpan context) noexcept;

  const CodeSetSettings& settings_;
  engine::Agreement& agreement_;
};

}  // namespace perigee::orb
