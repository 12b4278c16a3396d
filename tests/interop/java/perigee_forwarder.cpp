// Forwards each request to another object until it is killed:
//   perigee_forwarder FILE-WITH-IOR [Perigee options]
// Prints the IOR of an object, which also has the key Peer for a corbaloc.
#include "../perigee_call.h"
#include "../perigee_serve.h"
#include "forwarding_locator.h"
#include <perigee/poa/ior_table.h>

namespace {

interop::PeerReference make_object(const interop::OrbReference& orb,
                                   const interop::PoaReference& poa,
                                   const std::vector<std::string>& arguments) {
  const auto target = interop::object_in_file(*orb, arguments);
  IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable"))
      ->bind("Peer", orb->object_to_string(target));
  return interop::make_forwarder(*poa, target);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 2) {
    std::cerr << "usage: perigee_forwarder FILE-WITH-IOR [Perigee options]\n";
    return 1;
  }
  const std::vector<std::string> arguments(argv, argv + argc);
  return interop::serve(
      argc, argv, "perigee_forwarder",
      [&arguments](const interop::OrbReference& orb, const interop::PoaReference& poa) {
        return make_object(orb, poa, arguments);
      });
}
