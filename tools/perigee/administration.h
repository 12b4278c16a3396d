// Calls of the administration object of a running server, at its socket file.
#pragma once

#include "PerigeeAdministrationC.h"

#include <functional>
#include <string>

namespace perigee::tool {

using AdministrationRef = IDL::traits<Perigee::Administration>::ref_type;

struct AdministrationAccess {
  const std::string& server;  ///< the socket file: a path, or uiop:///path
  double timeout_s = 30;      ///< of each reply; 0: no limit
};

using AdministrationAct = std::function<void(const AdministrationRef& server)>;

/// Calls `act` with the object. If this fails, returns a message for the user; else an empty text.
[[nodiscard]] std::string call_administration(const AdministrationAccess& access,
                                              const AdministrationAct& act);

}  // namespace perigee::tool
