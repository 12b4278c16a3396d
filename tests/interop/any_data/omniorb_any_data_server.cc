// The omniORB server of the interoperability tests of data inside any: prints its IOR, serves until quit().
#include "../omniorb_serve.h"
#include "omniorb_any_data_peer.h"

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_any_data_server", interop::activate<interop::AnyDataServant>);
}
