// Activates the servant in the Root POA, publishes its reference and serves.
#include "serving.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

void write_reference(const std::string& reference, const std::string& file) {
  if (file == "-") {
    std::cout << reference << std::endl;
    return;
  }
  std::ofstream output(file);
  output << reference << '\n' << std::flush;
  if (!output) throw std::runtime_error(file + ": cannot be written");
}

}  // namespace

void serve_object(const CORBA::ORB::_ref_type& orb,
                  const CORBA::servant_reference<PortableServer::Servant>& servant,
                  const std::string& reference_file) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const std::string reference = orb->object_to_string(poa->servant_to_reference(servant));
  poa->the_POAManager()->activate();
  perigee::serve_until_signal(orb, [&] { write_reference(reference, reference_file); });
}
