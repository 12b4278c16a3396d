// Calls the Demo::Hello whose reference is the first argument, with a trace id.
#include "trace.h"
#include "tracingC.h"

#include <exception>

class Initializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info) override {}
  void post_init(Info info) override {
    info->add_client_request_interceptor(CORBA::make_reference<tracing::ClientTracer>());
  }
};

int main(int argc, char* argv[]) try {
  PortableInterceptor::register_orb_initializer(CORBA::make_reference<Initializer>());
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: tracing_client <reference>\n";
    return 2;
  }
  auto hello = IDL::traits<Demo::Hello>::narrow(orb->string_to_object(argv[1]));
  if (!hello) {
    std::cerr << "client: the reference does not refer to a Demo::Hello\n";
    return 1;
  }
  std::cout << hello->greet("world") << '\n';
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
