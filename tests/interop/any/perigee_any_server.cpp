// The Perigee server of the interoperability tests of any: prints its IOR, and serves until a
// client calls quit().
#include "../perigee_serve.h"
#include "perigee_any_peer.h"

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_any_server", interop::activate<interop::AnyServant>);
}
