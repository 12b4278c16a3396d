// Parses each message once more, to write it to the log in readable form.
#include "engine/connection/message_trace.h"

#include "engine/connection/inbox.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace perigee::engine {

using messaging::IncomingMessage;
using messaging::MessageKind;
using messaging::Session;

namespace {

constexpr std::size_t key_octets_max = 40;
constexpr std::size_t name_octets_max = 200;
constexpr std::size_t octets_shown_max = 2048;
constexpr std::size_t octets_per_line = 16;
constexpr std::string_view digits = "0123456789abcdef";

void append_hex(std::string& text, std::byte octet) {
  const auto code = std::to_integer<unsigned>(octet);
  text += digits[code >> 4];
  text += digits[code & 15];
}

bool is_printable(std::byte octet) { return octet >= std::byte{' '} && octet <= std::byte{'~'}; }

// A key of printable characters is shown as text, any other key in hexadecimal digits.
std::string key_text(OctetSpan key) {
  std::string text;
  const OctetSpan shown = key.first(std::min(key.size(), key_octets_max));
  const bool is_name = std::ranges::all_of(shown, is_printable);
  for (const std::byte octet : shown)
    if (is_name)
      text += static_cast<char>(octet);
    else
      append_hex(text, octet);
  return shown.size() < key.size() ? text + "..." : text;
}

// A peer may send any octets as the name of an operation or of an exception. Quoting keeps them
// from forging a line of the log.
std::string name_text(std::string_view name) {
  const std::string text = quoted(name.substr(0, name_octets_max), '\'');
  return name.size() > name_octets_max ? text + "..." : text;
}

std::string_view status_text(messaging::ReplyStatus status) {
  constexpr std::string_view names[] = {"NO_EXCEPTION",          "USER_EXCEPTION",
                                        "SYSTEM_EXCEPTION",      "LOCATION_FORWARD",
                                        "LOCATION_FORWARD_PERM", "NEEDS_ADDRESSING_MODE"};
  const auto index = static_cast<std::size_t>(status);
  return index < std::size(names) ? names[index] : "of unknown status";
}

std::string_view status_text(messaging::LocateStatus status) {
  constexpr std::string_view names[] = {"UNKNOWN_OBJECT",       "OBJECT_HERE",
                                        "OBJECT_FORWARD",       "OBJECT_FORWARD_PERM",
                                        "LOC_SYSTEM_EXCEPTION", "LOC_NEEDS_ADDRESSING_MODE"};
  const auto index = static_cast<std::size_t>(status);
  return index < std::size(names) ? names[index] : "of unknown status";
}

std::string request_text(const Session& session, const IncomingMessage& message) {
  messaging::ContextStorage contexts;
  const auto request = session.parse_request(message, contexts);
  if (!request) return "Request that cannot be parsed";
  const messaging::RequestHeader& header = request->header;
  return "Request " + std::to_string(header.request_id) + " " + name_text(header.operation) +
         (header.response == messaging::ResponseFlags::none ? " (oneway)" : "") + " to " +
         key_text(header.object_key) + ", contexts " + std::to_string(header.contexts.size());
}

std::string reply_text(const Session& session, const IncomingMessage& message) {
  messaging::ContextStorage contexts;
  auto reply = session.parse_reply(message, contexts);
  if (!reply) return "Reply that cannot be parsed";
  std::string text = "Reply " + std::to_string(reply->header.request_id) + " " +
                     std::string(status_text(reply->header.status));
  const bool exception = reply->header.status == messaging::ReplyStatus::user_exception ||
                         reply->header.status == messaging::ReplyStatus::system_exception;
  if (exception) text += " " + name_text(reply->body.read_string_view());
  return text;
}

std::string text_of(const Session& session, const IncomingMessage& message) {
  switch (message.kind) {
    case MessageKind::request:
      return request_text(session, message);
    case MessageKind::reply:
      return reply_text(session, message);
    case MessageKind::locate_request:
      if (const auto header = session.parse_locate_request(message))
        return "LocateRequest " + std::to_string(header->request_id) + " for " +
               key_text(header->object_key);
      return "LocateRequest that cannot be parsed";
    case MessageKind::locate_reply:
      if (const auto reply = session.parse_locate_reply(message))
        return "LocateReply " + std::to_string(reply->header.request_id) + " " +
               std::string(status_text(reply->header.status));
      return "LocateReply that cannot be parsed";
    case MessageKind::cancel_request:
      if (const auto request_id = session.parse_cancel_request(message))
        return "CancelRequest " + std::to_string(*request_id);
      return "CancelRequest that cannot be parsed";
    case MessageKind::close_connection:
      return "CloseConnection";
    case MessageKind::message_error:
      break;
  }
  return "MessageError";
}

void append_line(std::string& text, OctetSpan octets, std::size_t offset) {
  const OctetSpan line = octets.subspan(offset, std::min(octets_per_line, octets.size() - offset));
  text += "\n  ";
  for (const unsigned shift : {12u, 8u, 4u, 0u}) text += digits[offset >> shift & 15];
  text += "  ";
  for (const std::byte octet : line) {
    append_hex(text, octet);
    text += ' ';
  }
  text.append(3 * (octets_per_line - line.size()) + 1, ' ');
  for (const std::byte octet : line) text += is_printable(octet) ? static_cast<char>(octet) : '.';
}

std::string dump(OctetSpan octets) {
  std::string text;
  const OctetSpan shown = octets.first(std::min(octets.size(), octets_shown_max));
  for (std::size_t offset = 0; offset < shown.size(); offset += octets_per_line)
    append_line(text, shown, offset);
  if (shown.size() < octets.size()) text += "\n  ...";
  return text;
}

void write(const Session& session, const IncomingMessage& message, std::string_view direction,
           std::string_view peer) {
  const bool octets = log::enabled(log::Level::trace);
  log::write(octets ? log::Level::trace : log::Level::debug, "message",
             std::string(direction) + std::string(peer) + ": " +
                 session.protocol().version_text(message.version) + " " +
                 text_of(session, message) + ", " + std::to_string(message.size()) + " octets" +
                 (octets ? dump(message.octets) : ""));
}

// The octets that the peer will receive. Seals with a session of its own: the session of the
// connection is in use, and must not count this message.
Octets sealed(const Session& session, const cdr::Buffer& message) {
  Octets octets = message.flatten();
  if (!session.seals()) return octets;
  const auto sender = session.protocol().open(messaging::Role::opener, {});
  messaging::OutgoingSegments outgoing;
  outgoing.segments.push_back(octets);
  sender->seal(outgoing);
  Octets all;
  for (const OctetSpan segment : outgoing.segments)
    all.insert(all.end(), segment.begin(), segment.end());
  return all;
}

// A sent message is read as the peer will read it.
void read_and_write(const Session& session, OctetSpan octets, std::string_view peer) {
  const auto receiver = session.protocol().open(messaging::Role::acceptor, {});
  Inbox inbox(*receiver);
  Octets scratch(64 * 1024);
  IncomingMessage message;
  for (;;) {
    switch (inbox.next(message)) {
      case InboxStatus::message:
        return write(*receiver, message, "sent to ", peer);
      case InboxStatus::error:
        return;
      case InboxStatus::need_more:
        break;
    }
    const MutableOctetSpan space = inbox.receive_space(scratch).first;
    const std::size_t count = std::min(space.size(), octets.size());
    if (count == 0) return;
    std::copy_n(octets.begin(), count, space.begin());
    octets = octets.subspan(count);
    inbox.received(count);
  }
}

}  // namespace

bool tracing_messages() noexcept { return log::enabled(log::Level::debug); }

void trace_connection(std::string_view peer, std::string_view event) noexcept {
  try {
    log::write(log::Level::debug, "connection", std::string(peer) + " " + std::string(event));
  } catch (...) {  // no memory for a line of the log
  }
}

void trace_sent(const Session& session, const cdr::Buffer& message,
                std::string_view peer) noexcept {
  try {
    read_and_write(session, sealed(session, message), peer);
  } catch (...) {  // no memory for a line of the log
  }
}

void trace_received(const Session& session, const IncomingMessage& message,
                    std::string_view peer) noexcept {
  try {
    write(session, message, "received from ", peer);
  } catch (...) {  // no memory for a line of the log
  }
}

}  // namespace perigee::engine
