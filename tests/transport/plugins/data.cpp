// A library whose symbol has the right name but is no function.
extern "C" {
__attribute__((visibility("default"))) int perigee_protocol_plugin = 42;
}
