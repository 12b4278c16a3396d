// A library that needs an undefined function, like a plug-in linked with a newer ORB.
extern "C" void perigee_function_of_the_future();
extern "C" __attribute__((visibility("default"))) void perigee_protocol_plugin() {
  perigee_function_of_the_future();
}
