// What the example's servers share: they publish one object, and end in order when they are told
// to.
#pragma once

#include <perigee/corba.h>

#include <string>

/// Serves the object until SIGINT or SIGTERM; then what has been asked is answered, and it returns.
/// Writes the reference to a file once it can be called; "-" means standard output.
/// Throws std::runtime_error if it cannot. Call it before any thread is started: all inherit that
/// the signals are blocked.
void serve_until_signal(const CORBA::ORB::_ref_type& orb,
                        const CORBA::servant_reference<PortableServer::Servant>& servant,
                        const std::string& reference_file);
