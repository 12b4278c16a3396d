// One connection to a server of NATS, by the C client library of NATS.
#pragma once

#include "services/events_nats/mailbox.h"
#include "services/events_nats/nats_options.h"
#include <perigee/services/events/store.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// A message to NATS. All texts are without octets of value 0.
struct Publication {
  std::string subject;
  std::string reply;  ///< the subject for the answer; may be empty
  std::string octets;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// A connection that does not connect again: after a loss, all requests begin anew over another
/// link, in an order that the store decides. So no message is sent by the library at a later time.
class Link {
 public:
  /// Connects to one of the servers, and subscribes to the `subjects`. Blocks for at
  /// most 2 s for each server. `mailbox` gets the messages, and outlives the link. `lost` is called
  /// at most once, on a thread of the library, when the connection has ended.
  [[nodiscard]] static std::expected<std::shared_ptr<Link>, StoreError> connect(
      const NatsStoreOptions& options, const std::vector<std::string>& subjects, Mailbox& mailbox,
      std::function<void()> lost);

  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Sends the message. False: the connection has ended, or will. Blocks for at most 1 s, if the
  /// server does not read.
  virtual bool publish(const Publication& publication) = 0;
  /// Further subjects whose messages the mailbox gets. False: the connection has ended.
  virtual bool subscribe(const std::string& subject) = 0;
  virtual void unsubscribe(const std::string& subject) = 0;
  /// Octets of a message, without its headers.
  [[nodiscard]] virtual std::size_t payload_max() const = 0;
  /// Ends the connection. `lost` is then called, if it was not called before.
  virtual void close() = 0;

 protected:
  Link() = default;
};

/// The addresses of servers without users and passwords, for error texts.
[[nodiscard]] std::string server_names(const std::vector<std::string>& servers);
/// What is wrong with the address of a server. Empty: nothing.
[[nodiscard]] std::string mistake_in_server(const std::string& server);

}  // namespace perigee::events::nats
