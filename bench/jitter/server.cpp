// The servers of the jitter experiment: reactive, at a TCP port. Built twice: with the library's
// pools and without (unpooled.cpp).
//   jitter_server synchronous|AMH|coroutine    prints its IOR
#include "cubit/asynchronous.h"
#include "cubit/perigee.h"

#include <exception>
#include <iostream>
#include <string>

int main(int argc, char* argv[]) {
  const std::string kind = argc == 2 ? argv[1] : "";
  try {
    if (kind == "synchronous") return perigee::bench::run_perigee_server("reactive");
    return perigee::bench::run_asynchronous_server(kind, "iiop://127.0.0.1:0");
  } catch (const std::exception& failure) {
    std::cerr << "jitter_server: " << failure.what() << '\n';
    return 1;
  }
}
