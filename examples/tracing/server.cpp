// Offers one Demo::Hello whose answers name the trace id of the request. Prints its reference.
#include "trace.h"
#include "tracingS.h"

#include <exception>

class Initializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info) override {}
  void post_init(Info info) override {
    slot = info->allocate_slot_id();
    info->add_server_request_interceptor(CORBA::make_reference<tracing::ServerTracer>(slot));
  }
  PortableInterceptor::SlotId slot = 0;
};

class Hello final : public CORBA::servant_traits<Demo::Hello>::base_type {
 public:
  Hello(IDL::traits<PortableInterceptor::Current>::ref_type current,
        PortableInterceptor::SlotId slot)
      : current_(std::move(current)), slot_(slot) {}
  std::string greet(const std::string& name) override {
    std::string id;
    if (!(current_->get_slot(slot_) >>= id)) id = "no trace";
    return "Hello, " + name + "! (" + id + ")";
  }

 private:
  const IDL::traits<PortableInterceptor::Current>::ref_type current_;
  const PortableInterceptor::SlotId slot_;
};

int main(int argc, char* argv[]) try {
  const auto initializer = CORBA::make_reference<Initializer>();
  PortableInterceptor::register_orb_initializer(initializer);
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();

  auto current = IDL::traits<PortableInterceptor::Current>::narrow(
      orb->resolve_initial_references("PICurrent"));
  const auto slot = static_cast<const Initializer&>(*initializer).slot;
  auto hello = CORBA::make_reference<Hello>(current, slot);
  const std::string reference = orb->object_to_string(hello->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
