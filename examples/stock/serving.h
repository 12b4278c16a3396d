// The common part of the example's servers: they publish one object, and shut down on SIGINT and
// SIGTERM.
#pragma once

#include <perigee/corba.h>

#include <string>

/// Serves the object until SIGINT or SIGTERM. Writes the reference to a file once clients can call
/// the object; "-" means standard output. Throws std::runtime_error if the file cannot be written.
void serve_object(const CORBA::ORB::_ref_type& orb,
                  const CORBA::servant_reference<PortableServer::Servant>& servant,
                  const std::string& reference_file);
