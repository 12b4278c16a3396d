// The echo server of the paper, as one function for every family: which of them is a parameter.
#pragma once

#include "families.h"
#include "sessions.h"

#include <array>
#include <cstddef>
#include <system_error>

/// Sends back what comes, until the stream ends.
template <typename Stream>
void echo(Stream& stream) {
  std::array<std::byte, 65536> space;
  for (;;) {
    const auto received = stream.recv(space);
    if (!received || received->end_of_stream()) return;
    if (!send_whole(stream, perigee::OctetSpan(space).first(received->count()))) return;
  }
}

/// Serves all who connect, each on a thread of its own, until the acceptor is interrupted.
template <perigee::ipc::ConnectionFamily Family>
std::error_code echo_server(typename Family::Acceptor& acceptor) {
  Sessions<typename Family::Stream> sessions;
  for (;;) {
    auto stream = acceptor.accept();
    if (!stream) return stream.error();
    sessions.start(std::move(*stream), echo<typename Family::Stream>);
  }
}
