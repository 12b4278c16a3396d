// The Perigee server of the interoperability tests of data inside any: prints its IOR, and serves
// until quit().
#include "../perigee_serve.h"
#include "perigee_any_data_peer.h"

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_any_data_server",
                        interop::activate<interop::AnyDataServant>);
}
