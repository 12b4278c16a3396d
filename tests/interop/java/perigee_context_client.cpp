// A client whose interceptor exchanges service contexts with the interceptor of the server:
//   perigee_context_client IOR-FILE [--quit] [--replies-only] [Perigee options]
// --replies-only: the server adds no context to exceptions.
#include "../checks.h"
#include "../perigee_call.h"
#include "all_types_peer.h"
#include "context_interceptor.h"

#include <string>
#include <vector>

namespace {

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const auto peer =
      IDL::traits<AllTypes::Peer>::unchecked_narrow(interop::object_in_file(*orb, arguments));
  interop::seen_contexts.in_exceptions = !interop::has_option(arguments, "--replies-only");
  for (int round = 0; round < 20; ++round) {
    CHECK(peer->notes() <= round);  // a server may execute oneways later
    peer->note(1);
    CHECK_THROWS(peer->refuse(7), AllTypes::Refused);
    CHECK_THROWS(peer->forbid(), CORBA::NO_PERMISSION);
  }
  CHECK(interop::seen_contexts.has_each("client"));
  if (interop::has_option(arguments, "--quit")) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  PortableInterceptor::register_orb_initializer(
      CORBA::make_reference<interop::ContextInitializer>());
  return interop::call(argc, argv, "perigee_context_client", "IOR-FILE [--quit] [--replies-only]",
                       run);
}
