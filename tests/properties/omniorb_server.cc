// Echoes values of random types with omniORB's stubs: prints its IOR.
#include "interop/omniorb_serve.h"

// Copies by assignment: the copy constructor of omniORB's fixed loses the digits, and sending the
// copy fails.
template <typename T>
T copy_of(const T& value) {
  T copy;
  copy = value;
  return copy;
}
template <typename T>
T* new_copy_of(const T& value) {
  T* copy = new T;
  *copy = value;
  return copy;
}

#include "properties_omniorb.h"

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "properties_omniorb_server", interop::activate<EchoServant>);
}
