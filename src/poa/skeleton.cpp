// The operations that every object has, and the treatment of unknown operations in skeletons.
#include "poa/minor_codes.h"
#include <perigee/orb/marshalling.h>
#include <perigee/poa/skeleton.h>

#include <string>

namespace perigee::skeleton {

void is_a(PortableServer::Servant& servant, orb::ServerRequest& request) {
  std::string repository_id;
  request.arguments() >> repository_id;
  request.end_of_arguments();
  const bool result = servant._is_a(repository_id);
  request.reply([result](cdr::Encoder& encoder) { encoder << result; });
}

void non_existent(PortableServer::Servant& servant, orb::ServerRequest& request) {
  request.end_of_arguments();
  const bool result = servant._non_existent();
  request.reply([result](cdr::Encoder& encoder) { encoder << result; });
}

void repository_id(PortableServer::Servant& servant, orb::ServerRequest& request) {
  request.end_of_arguments();
  const std::string result(servant._primary_interface());
  request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
}

void interface(PortableServer::Servant& servant, orb::ServerRequest& request) {
  request.end_of_arguments();
  const CORBA::object_reference<CORBA::Object> definition = servant._get_interface();
  request.reply([&definition](cdr::Encoder& encoder) { encoder << definition; });
}

void component(PortableServer::Servant& /*servant*/, orb::ServerRequest& request) {
  request.end_of_arguments();
  request.reply([](cdr::Encoder& encoder) { stub::encode_object(encoder, nullptr); });
}

void unknown(const orb::ServerRequest& request) {
  throw CORBA::BAD_OPERATION(poa::minor_unknown_operation, CORBA::COMPLETED_NO,
                             std::string(request.operation()));
}

}  // namespace perigee::skeleton
