// A push consumer as a program: prints "connected", and "disconnected" when the service says so.
//   events_push_consumer <channel> [ORB options]
#include <perigee/corba.h>

#include <CosEventChannelAdminC.h>
#include <CosEventCommS.h>

#include <exception>
#include <iostream>
#include <latch>

namespace {

class Consumer final : public CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any&) override {}
  void disconnect_push_consumer() override { disconnected.count_down(); }

  std::latch disconnected{1};
};

void consume(const CORBA::object_reference<CORBA::ORB>& orb, const char* reference) {
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  const auto consumer = CORBA::make_reference<Consumer>();
  IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(orb->string_to_object(reference))
      ->for_consumers()
      ->obtain_push_supplier()
      ->connect_push_consumer(consumer->_this());
  std::cout << "connected" << std::endl;
  consumer->disconnected.wait();
  std::cout << "disconnected" << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    consume(orb, argv[1]);
    orb->destroy();
    return 0;
  } catch (const std::exception& exception) {
    std::cerr << exception.what() << std::endl;
    return 1;
  }
}
