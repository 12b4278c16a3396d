// The families that these programs are made for, by name, and what they do not have in common: a
// stream of octets may take a part of what it is given, a stream of records takes each whole.
#pragma once

#include <perigee/ipc/families.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

template <typename Stream>
perigee::ipc::Status send_whole(Stream& stream, perigee::OctetSpan octets) {
  if constexpr (perigee::ipc::RecordStream<Stream>) {
    return stream.send(octets);
  } else {
    const auto sent = stream.send_n(octets);
    if (!sent) return std::unexpected(sent.error());
    return {};
  }
}

/// The address that the text stands for. Throws for one of another family.
template <typename Family>
typename Family::Address address_from(std::string_view text) {
  const auto address = Family::Address::parse(text);
  if (!address) throw std::runtime_error(std::string(text) + ": no address of this family");
  return *address;
}

/// A path outlives the server that listens at it, unless it removes it.
inline void remove_name(const perigee::ipc::InetAddr&) {}
inline void remove_name(const perigee::ipc::UnixAddr& address) {
  perigee::ipc::lsock::remove(address);
}
inline void remove_name(const perigee::ipc::SPipeAddr& address) {
  perigee::ipc::spipe::remove(address);
}

/// A program's main function, made for one family.
struct NamedProgram {
  std::string_view family;
  int (*run)(std::string_view address);
};

/// Runs the one that the first argument names, with the second as its address.
template <std::size_t Size>
int run_named(const std::array<NamedProgram, Size>& programs, int argc, char* argv[],
              const char* usage) {
  const std::string_view family = argc > 1 ? argv[1] : "";
  if (family == "--help") return std::fputs(usage, stdout) >= 0 ? 0 : 1;
  for (const auto& program : programs) {
    if (argc == 3 && program.family == family) return program.run(argv[2]);
  }
  std::fputs(usage, stderr);
  return 2;
}
