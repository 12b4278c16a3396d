// An inbox with a session of its own: reads messages without a connection.
#pragma once

#include "engine/connection/inbox.h"
#include <perigee/messaging/protocol.h>

#include <memory>

namespace perigee::test {

using Next = engine::InboxStatus;

class MessageReader {
 public:
  explicit MessageReader(const messaging::MessagingProtocol& protocol)
      : session_(protocol.open(messaging::Role::acceptor, {})), inbox_(*session_) {}

  [[nodiscard]] const messaging::Session& session() const { return *session_; }
  [[nodiscard]] engine::Inbox& inbox() { return inbox_; }
  MutableOctetSpan receive_space(MutableOctetSpan scratch) {
    return inbox_.receive_space(scratch).first;
  }
  void received(std::size_t count) { inbox_.received(count); }
  [[nodiscard]] Next next(messaging::IncomingMessage& message) { return inbox_.next(message); }
  [[nodiscard]] bool has_octets() const { return inbox_.has_octets(); }
  void detach() { inbox_.detach(); }
  [[nodiscard]] messaging::FramingError error() const { return inbox_.error(); }

 private:
  std::unique_ptr<messaging::Session> session_;
  engine::Inbox inbox_;
};

inline std::unique_ptr<MessageReader> make_reader(const messaging::MessagingProtocol& protocol) {
  return std::make_unique<MessageReader>(protocol);
}

}  // namespace perigee::test
