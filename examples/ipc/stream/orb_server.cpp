// Offers a CORBA object that prints what its clients send.
#include "streamS.h"
#include <perigee/corba.h>

#include <exception>
#include <fstream>
#include <iostream>

class DataStream final : public CORBA::servant_traits<Streams::DataStream>::base_type {
 public:
  void send(std::span<const uint8_t> data) override {
    std::cout.write(reinterpret_cast<const char*>(data.data()),
                    static_cast<std::streamsize>(data.size()));
  }
  void finish() override {
    if (!std::cout.flush()) throw CORBA::NO_RESOURCES();
  }
};

int main(int argc, char* argv[]) try {
  constexpr auto usage = "usage: orb_stream_server [-ORB...] <file for the reference>\n";
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) return std::fputs(usage, stderr), 2;
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto servant = CORBA::make_reference<DataStream>();
  auto reference = servant->_this();
  poa->the_POAManager()->activate();
  std::ofstream file(argv[1]);
  if (!(file << orb->object_to_string(reference) << std::endl)) {
    throw std::runtime_error(std::string(argv[1]) + ": cannot be written");
  }
  perigee::serve_until_signal(orb, [] { std::cerr << "ready" << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "orb_stream_server: " << error.what() << '\n';
  return 1;
}
