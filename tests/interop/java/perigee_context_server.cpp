// A server whose interceptor exchanges service contexts with the interceptor of the client. Prints
// its IOR, and serves until a client calls quit(). Fails if a request came without the context of
// the client.
#include "../perigee_serve.h"
#include "all_types_peer.h"
#include "context_interceptor.h"

int main(int argc, char* argv[]) {
  PortableInterceptor::register_orb_initializer(
      CORBA::make_reference<interop::ContextInitializer>());
  const auto make_peer = [](const interop::OrbReference& orb, const interop::PoaReference&) {
    return CORBA::make_reference<interop::AllTypesServant>("Perigee",
                                                           [orb] { orb->shutdown(false); })
        ->_this();
  };
  const int status = interop::serve(argc, argv, "perigee_context_server", make_peer);
  return status != 0 || interop::seen_contexts.has_each("server") ? status : 1;
}
