// usage: ipc_twins <family> wrapped|plain <count>
#include "twins.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using perigee::twins::Twins;
namespace wrapped = perigee::twins::wrapped;
namespace plain = perigee::twins::plain;

namespace {

constexpr Twins all[] = {
    {"sock", wrapped::sock, plain::sock},
    {"sock_v6", wrapped::sock_v6, plain::sock_v6},
    {"gather", wrapped::gather, plain::gather},
    {"lsock", wrapped::lsock, plain::lsock},
    {"spipe", wrapped::spipe, plain::spipe},
    {"fifo", wrapped::fifo, plain::fifo},
    {"dgram", wrapped::dgram, plain::dgram},
    {"codgram", wrapped::codgram, plain::codgram},
    {"local_dgram", wrapped::local_dgram, plain::local_dgram},
    {"timed", wrapped::timed, plain::timed},
    {"timed_dgram", wrapped::timed_dgram, plain::timed_dgram},
    {"bcast", wrapped::bcast, plain::bcast},
    {"mcast", wrapped::mcast, plain::mcast},
    {"handles", wrapped::handles, plain::handles},
    {"send_file", wrapped::send_file, plain::send_file},
    {"recv_file", wrapped::recv_file, plain::recv_file},
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 4) return 2;
  for (const auto& twins : all) {
    if (std::strcmp(twins.family, arguments[1]) != 0) continue;
    const auto script = std::strcmp(arguments[2], "plain") == 0 ? twins.plain : twins.wrapped;
    getppid();  // marks the beginning and the end of the script in a trace
    const int error = script(std::atol(arguments[3]));
    getppid();
    if (error != 0) std::fprintf(stderr, "%s: error %d\n", twins.family, error);
    return error == 0 ? 0 : 1;
  }
  return 2;
}
