// A server and a client in one process, which talk over TCP.
#pragma once

#include <perigee/corba.h>

#include <atomic>
#include <string>
#include <vector>

namespace perigee::test {

struct TwoOrbs {
  explicit TwoOrbs(const std::string& strategy = "thread-pool",
                   const std::vector<std::string>& of_server = {},
                   const std::vector<std::string>& of_client = {}) {
    static std::atomic<int> number{0};
    const std::string name = "compat-" + std::to_string(++number);
    std::vector<std::string> options = {"program", "-ORBListenEndpoints", "iiop://127.0.0.1:0",
                                        "-ORBThreadStrategy", strategy};
    options.insert(options.end(), of_server.begin(), of_server.end());
    server = CORBA::ORB_init(options, name + "-server");
    std::vector<std::string> client_options = {"program"};
    client_options.insert(client_options.end(), of_client.begin(), of_client.end());
    client = CORBA::ORB_init(client_options, name + "-client");
    poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
  }
  ~TwoOrbs() {
    client->destroy();
    server->destroy();
  }
  TwoOrbs(const TwoOrbs&) = delete;
  TwoOrbs& operator=(const TwoOrbs&) = delete;

  /// The client's reference to a servant of the server.
  template <typename T>
  typename IDL::traits<T>::ref_type serve(typename CORBA::servant_traits<T>::ref_type servant) {
    const auto object = poa->id_to_reference(poa->activate_object(servant));
    return IDL::traits<T>::narrow(client->string_to_object(server->object_to_string(object)));
  }

  IDL::traits<CORBA::ORB>::ref_type server;
  IDL::traits<CORBA::ORB>::ref_type client;
  IDL::traits<PortableServer::POA>::ref_type poa;
};

}  // namespace perigee::test
