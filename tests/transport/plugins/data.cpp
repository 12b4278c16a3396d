// A library whose symbol has the right name but is not a function.
extern "C" {
__attribute__((visibility("default"))) int perigee_protocol_plugin = 42;
}
