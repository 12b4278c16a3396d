// The echo server of the paper of 1995 (../README.md), as one function for all families. The family
// is a template parameter.
#pragma once

#include "../sessions.h"
#include "families.h"

#include <array>
#include <cstddef>
#include <stop_token>
#include <system_error>

/// Sends back the octets that arrive, until the stream ends.
template <typename Stream>
void echo(Stream& stream) {
  std::array<std::byte, 65536> space;
  for (;;) {
    const auto received = stream.recv(space);
    if (!received || received->end_of_stream()) return;
    if (!send_whole(stream, perigee::OctetSpan(space).first(received->count()))) return;
  }
}

/// Serves each connection on a thread of its own, until a stop is requested and the acceptor is
/// interrupted.
template <perigee::ipc::ConnectionFamily Family>
std::error_code echo_server(typename Family::Acceptor& acceptor, const std::stop_token& stop) {
  Sessions<typename Family::Stream> sessions;
  while (!stop.stop_requested()) {
    auto stream = acceptor.accept();
    if (stream) {
      sessions.start(std::move(*stream), echo<typename Family::Stream>);
    } else if (stream.error() == std::errc::too_many_files_open && sessions.size() != 0) {
      sessions.wait_for_an_end(stop);  // until then, new clients wait to be accepted
    } else if (!stop.stop_requested()) {
      return stream.error();
    }
  }
  return {};
}
