// Does not compile: the compiler's error says what to write.
#include <perigee/corba.h>

void insert(CORBA::Any& any) { any <<= 5LL; }
