// The names of the streams and the subjects for channels and subscriptions. No two channels have
// the same names, and each key is accepted.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace perigee::events::nats {

/// A part of a subject or of a stream's name: letters, digits and '_'. Other octets of `text`
/// become
/// '_' and two digits. A text for which this would be longer than 120 characters has its SHA-256
/// sum instead. Different texts have different parts.
[[nodiscard]] std::string encode_part(std::string_view text);

/// What is wrong with a prefix. Empty: nothing.
[[nodiscard]] std::string mistake_in_prefix(std::string_view prefix);

class Keys {
 public:
  explicit Keys(std::string prefix) : prefix_(std::move(prefix)) {}

  /// The stream of a channel, and the one subject that it has.
  [[nodiscard]] std::string stream(std::string_view channel) const;
  [[nodiscard]] std::string subject(std::string_view channel) const;

  /// The stream of all subscriptions, and the subjects that it has.
  [[nodiscard]] std::string subscriptions_stream() const;
  [[nodiscard]] std::string all_subscriptions() const;
  /// The subjects of a channel's subscriptions.
  [[nodiscard]] std::string subscriptions_of(std::string_view channel) const;
  [[nodiscard]] std::string subscription(std::string_view channel, std::string_view name) const;

 private:
  std::string prefix_;
};

}  // namespace perigee::events::nats
