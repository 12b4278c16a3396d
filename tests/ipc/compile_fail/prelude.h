// The declarations that the cases use. Each case becomes a function with the parameters PARAMETERS.
#pragma once

#include <perigee/ipc/families.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

using namespace perigee;
using namespace perigee::ipc;
using socklen_t = unsigned;

template <StreamFamily Family>
void serve_octets() {}
template <RecordFamily Family>
void serve_records() {}
template <DatagramFamily Family>
void serve_datagrams() {}
template <ByteStream Stream>
void carry(Stream&) {}
template <ByteSender Sender>
void feed(Sender&) {}

#define PARAMETERS                                                                             \
  [[maybe_unused]] sock::Acceptor &acceptor, [[maybe_unused]] sock::Stream &stream,            \
      [[maybe_unused]] const InetAddr &address, [[maybe_unused]] const UnixAddr &unix_address, \
      [[maybe_unused]] const McastAddr &group, [[maybe_unused]] std::uint16_t port,            \
      [[maybe_unused]] OctetSpan octets, [[maybe_unused]] MutableOctetSpan space,              \
      [[maybe_unused]] std::span<const int> lent
