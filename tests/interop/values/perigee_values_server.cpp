// The Perigee server of the interoperability tests of valuetypes: prints its IOR, and serves
// until quit(). With --truncate it has no factory for Detailed.
#include "../perigee_call.h"
#include "../perigee_serve.h"
#include "perigee_values_peer.h"

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv, argv + argc);
  const bool truncates = interop::has_option(arguments, "--truncate");
  return interop::serve(
      argc, argv, "perigee_values_server",
      [truncates](const interop::OrbReference& orb, const interop::PoaReference& poa) {
        interop::register_factories(
            *orb, truncates ? interop::Factories::without_detailed : interop::Factories::all);
        return interop::activate<interop::ValuesServant>(orb, poa);
      });
}
