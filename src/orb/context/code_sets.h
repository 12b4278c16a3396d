// Which code sets a client and a server use between them. CORBA 3.0, 13.10.2.
//
// What is chosen belongs to a connection. So a client keeps connections with different choices
// apart (EndpointTable): a reference without code sets and one with them, to the same endpoint, use
// different connections, and so do GIOP versions.
#pragma once

#include "engine/connection/agreement.h"
#include "orb/context/settings.h"
#include <perigee/base/octets.h>
#include <perigee/cdr/code_sets.h>
#include <perigee/iop/components.h>
#include <perigee/messaging/message.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <span>

namespace perigee::orb {

/// What a client uses on a connection, and what it tells the server.
struct CodeSetChoice {
  cdr::CodeSets code_sets;
  iop::CodeSetContext announced;  ///< as the server numbers them; char_data 0: nothing is told
  friend auto operator<=>(const CodeSetChoice&, const CodeSetChoice&) = default;
};

/// For the profiles of references to this ORB's objects.
[[nodiscard]] iop::CodeSetInfo published_code_sets(const CodeSetSettings& settings);

/// For a target that speaks `version` and whose profile has `components`. Nothing: there is no code
/// set that both sides understand.
[[nodiscard]] std::optional<CodeSetChoice> choose_code_sets(
    const CodeSetSettings& settings, messaging::Version version,
    std::span<const iop::TaggedComponent> components);

/// Within the process nothing is converted.
[[nodiscard]] constexpr cdr::CodeSets collocated_code_sets(const CodeSetSettings& settings) {
  return {settings.native_char, settings.native_char, cdr::WideSet::native, 2};
}

/// What the client of a server connection has announced. Any thread.
class AnnouncedCodeSets {
 public:
  enum class Problem : std::uint8_t {
    malformed,
    unknown,  ///< not among those that we have
    changed,  ///< the connection has others already
  };

  /// Both must outlive it.
  AnnouncedCodeSets(const CodeSetSettings& settings, engine::Agreement& agreement) noexcept
      : settings_(settings), agreement_(agreement) {}

  /// Of a new connection.
  void begin() noexcept;

  /// Looks for an announcement among a request's contexts, and says how to read the request and
  /// write its reply.
  [[nodiscard]] std::expected<cdr::CodeSets, Problem> take(
      messaging::Version version, std::span<const iop::ServiceContext> contexts) noexcept;

 private:
  [[nodiscard]] std::expected<cdr::CodeSets, Problem> learn(OctetSpan context) noexcept;

  const CodeSetSettings& settings_;
  engine::Agreement& agreement_;
};

}  // namespace perigee::orb
