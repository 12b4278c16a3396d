// The families of these programs, by name, and their difference: a stream of octets may take a part
// of a buffer, while a stream of records takes each record whole.
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

/// The address that the text stands for. Throws if the text is not an address of this family.
template <typename Family>
typename Family::Address address_from(std::string_view text) {
  const auto address = Family::Address::parse(text);
  if (!address) throw std::runtime_error(std::string(text) + ": no address of this family");
  return *address;
}

/// A path outlives the server that listens at it, unless the server removes it.
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

/// Runs the program of the family that the first argument names. The second argument is its
/// address.
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
