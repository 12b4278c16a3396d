// The interceptors of trace.h as a plug-in: for clients and servers that know nothing of them.
#include "trace.h"
#include <perigee/dynamic/initializer_plugin.h>

namespace {

class Initializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info) override {}
  void post_init(Info info) override {
    const PortableInterceptor::SlotId slot = info->allocate_slot_id();
    info->add_client_request_interceptor(CORBA::make_reference<tracing::ClientTracer>());
    info->add_server_request_interceptor(CORBA::make_reference<tracing::ServerTracer>(slot));
  }
};

CORBA::object_reference<PortableInterceptor::ORBInitializer> make_initializer() {
  return CORBA::make_reference<Initializer>();
}

}  // namespace

PERIGEE_INITIALIZER_PLUGIN(make_initializer)
