// Decides which clients may be suppliers and consumers.
#pragma once

#include "services/access/access.h"
#include <perigee/orb/orb.h>
#include <perigee/poa/peer_current.h>
#include <perigee/services/events/options.h>

#include <string>
#include <vector>

namespace perigee::events {

/// Any thread. The functions look at the client of the calling thread's request: a coroutine calls
/// them before it waits. Outside of a request, the client is this process.
class Access {
 public:
  Access(CORBA::ORB& orb, const Options& options);

  /// Raise NO_PERMISSION if the rules do not admit the client.
  void require_supply() const;
  void require_consume() const;
  /// Groups the connections of a client. Empty for this process.
  [[nodiscard]] std::string client_name() const;

 private:
  struct Rules {
    std::vector<AccessRule> rules;
    bool admits_all = false;
  };
  static Rules prepare(const std::vector<AccessRule>& rules);
  /// `role` and `option` are for the text of the exception.
  void require(const Rules& rules, const char* role, const char* option) const;
  /// The address of the client of the request; empty for this process.
  [[nodiscard]] std::string address() const;

  const CORBA::object_reference<PeerCurrent> current_;
  const Rules supply_;
  const Rules consume_;
};

}  // namespace perigee::events
