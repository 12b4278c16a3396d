// Links omniORB's programs with its TLS transport, which registers itself. The options -ORBssl... then
// name the certificates.
#include <omniORB4/CORBA.h>
#include <omniORB4/sslContext.h>
