// A library that needs a function which nobody has, like a plug-in linked against a newer ORB.
extern "C" void perigee_function_of_the_future();
extern "C" __attribute__((visibility("default"))) void perigee_protocol_plugin() {
  perigee_function_of_the_future();
}
