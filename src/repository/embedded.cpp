// A repository that no client may change, with definitions that the program brings.
#include <perigee/repository/embedded.h>

namespace perigee::repository {

namespace {

constexpr const char* initial_name = "InterfaceRepository";

}  // namespace

EmbeddedServer::EmbeddedServer(const CORBA::object_reference<CORBA::ORB>& orb,
                               const std::vector<Embedded>& descriptions, const Limits& limits)
    : orb_(orb), server_(orb, {.limits = limits, .writers = Writers::none}) {
  server_.load(descriptions);
  try {
    orb->register_initial_reference(initial_name, server_.reference());
  } catch (const CORBA::ORB::InvalidName&) {
    is_registered_ = false;
  }
}

EmbeddedServer::~EmbeddedServer() {
  if (!is_registered_) return;
  try {
    orb_->unregister_initial_reference(initial_name);
  } catch (const CORBA::Exception&) {
    is_registered_ = false;  // the ORB has been destroyed, or the program has removed the reference
  }
}

}  // namespace perigee::repository
