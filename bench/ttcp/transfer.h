// The common part of all transmitters and receivers of the ttcp experiment: the data, the checks,
// and the commands of a transmitter. This header uses plain C++, because programs of other ORBs
// also include it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace ttcp {

/// The number of buffers, and their size in octets.
struct Transfer {
  std::size_t size = 0;
  std::size_t count = 0;
};

/// The received octets and errors.
struct Totals {
  std::uint64_t octets = 0;
  std::uint64_t errors = 0;  ///< checked octets with wrong values
};

/// Octet number `index` of each buffer: never 0, so that it can be in a string. The period is not a
/// power of two, so lost or moved octets are noticed.
inline std::uint8_t pattern(std::size_t index) {
  return static_cast<std::uint8_t>(1 + index % 127);
}

template <typename Octet>
std::vector<Octet> make_pattern(std::size_t size) {
  std::vector<Octet> octets(size);
  for (std::size_t index = 0; index < size; ++index)
    octets[index] = static_cast<Octet>(pattern(index));
  return octets;
}

/// The struct of the experiment in a C program, which sends its memory.
struct NativeStruct {
  std::int16_t s;
  char c;
  std::int32_t l;
  std::uint8_t o;
  double d;
};
/// The same number of octets in CDR and in memory.
constexpr std::size_t struct_size = 24;
static_assert(sizeof(NativeStruct) == struct_size);

/// The values of struct number `index` of each buffer. The char is ASCII: other characters have
/// several octets in UTF-8, so an ORB refuses them.
inline NativeStruct make_struct(std::size_t index) {
  return {static_cast<std::int16_t>(index), static_cast<char>(pattern(index) & 0x7f),
          static_cast<std::int32_t>(index), pattern(index), static_cast<double>(index) / 2};
}

/// Checks only the octets at both ends of each piece of the stream. A check of all octets would be
/// measured instead of the transfer.
class Check {
 public:
  explicit Check(std::size_t buffer_size) : size_(buffer_size) {}

  void piece(const std::uint8_t* octets, std::size_t count) {
    if (count == 0) return;
    look(octets[0], totals_.octets);
    look(octets[count - 1], totals_.octets + count - 1);
    totals_.octets += count;
  }
  void wrong() { ++totals_.errors; }
  void add_octets(std::size_t count) { totals_.octets += count; }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  void look(std::uint8_t octet, std::uint64_t offset) {
    if (octet != pattern(offset % size_)) ++totals_.errors;
  }

  std::size_t size_;
  Totals totals_;
};

/// Receives a transfer. Pieces follow each other in `buffer`, and begin at its front again after
/// each whole buffer. A program that needs whole buffers works like this, and so does a receiver of
/// messages. `receive_some(space, size)` returns the number of received octets, 0 at the end of the
/// stream.
template <typename ReceiveSome>
Totals receive_transfer(const Transfer& transfer, std::vector<std::uint8_t>& buffer,
                        const ReceiveSome& receive_some) {
  buffer.resize(transfer.size);
  Check check(transfer.size);
  const std::size_t total = transfer.size * transfer.count;
  std::size_t filled = 0;  // octets of the present buffer
  while (check.totals().octets < total) {
    const std::size_t count = receive_some(buffer.data() + filled, buffer.size() - filled);
    if (count == 0) break;
    check.piece(buffer.data() + filled, count);
    filled = (filled + count) % buffer.size();
  }
  return check.totals();
}

/// Datagrams may lose octets; streams and calls may not.
enum class Losses : std::uint8_t { forbidden, allowed };

/// Sends a transfer and waits until the receiver reports the received octets.
using Transmit = std::function<Totals(const Transfer&)>;

inline std::string run_transfer(const Transmit& transmit, const Transfer& transfer, Losses losses) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Totals totals = transmit(transfer);
  const auto elapsed = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  std::ostringstream answer;
  const std::uint64_t sent = static_cast<std::uint64_t>(transfer.size) * transfer.count;
  const bool is_lossy = losses == Losses::allowed && totals.octets > 0;
  if (is_lossy ? totals.octets > sent : totals.octets != sent)
    answer << "error " << totals.octets << " of " << transfer.size * transfer.count
           << " octets arrived";
  else if (totals.errors != 0)
    answer << "error " << totals.errors << " octets arrived with wrong values";
  else
    answer << "ok " << elapsed << ' ' << totals.octets;
  return answer.str();
}

/// Answers lines "SIZE COUNT" on standard input with "ok NANOSECONDS OCTETS", until the input ends.
/// OCTETS is the number of octets that arrived.
inline int serve_transfers(const Transmit& transmit, Losses losses = Losses::forbidden) {
  std::cout << "ready" << std::endl;
  for (Transfer transfer; std::cin >> transfer.size >> transfer.count;) {
    std::string answer;
    try {
      answer = run_transfer(transmit, transfer, losses);
    } catch (const std::exception& failure) {
      answer = std::string("error ") + failure.what();
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace ttcp
