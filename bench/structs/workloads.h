// The workloads of the struct experiment. All systems use these values, so that they send the same
// octets. This header uses plain C++, because programs of other ORBs also include it.
#pragma once

#include "../cubit/workloads.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace structs {

/// Structs in a sequence: about 64 KiB of CDR for each sequence.
constexpr std::uint32_t bin_count = 2730;
constexpr std::uint32_t many_count = 8192;
constexpr std::uint32_t point_count = 4096;
constexpr std::uint32_t quote_count = 2048;

/// A workload's name consists of an operation and a type. "write" and "read" are marshalling alone,
/// in memory. "echo" is a two-way call that returns the values.
inline const std::vector<std::string>& names() {
  static const std::vector<std::string> all{
      "write-bins",  "read-bins",    "write-manys", "read-manys", "write-points",
      "read-points", "write-quotes", "read-quotes", "echo-bin",   "echo-quote",
      "echo-bins",   "echo-manys",   "echo-points", "echo-quotes"};
  return all;
}

/// The same values in every mapping: `make` gets an index and returns the struct.
template <typename Sequence, typename Make>
void fill(Sequence& sequence, std::uint32_t count, Make make) {
  for (std::uint32_t index = 0; index < count; ++index) sequence[index] = make(index);
}

inline const char* symbol(std::uint32_t index) {
  static const char* const symbols[] = {"IBM", "ACME", "GOOGL", "T"};
  return symbols[index % 4];
}

/// `Marshaller` has the sequences, and write() and read(), which marshal a sequence in memory and
/// return whether that succeeded.
template <typename Marshaller>
void add_marshalling(std::vector<cubit::Workload>& workloads, Marshaller& m) {
  workloads.push_back({"write-bins", [&m] { return m.write(m.bins); }});
  workloads.push_back({"read-bins", [&m] { return m.read(m.bins); }});
  workloads.push_back({"write-manys", [&m] { return m.write(m.manys); }});
  workloads.push_back({"read-manys", [&m] { return m.read(m.manys); }});
  workloads.push_back({"write-points", [&m] { return m.write(m.points); }});
  workloads.push_back({"read-points", [&m] { return m.read(m.points); }});
  workloads.push_back({"write-quotes", [&m] { return m.write(m.quotes); }});
  workloads.push_back({"read-quotes", [&m] { return m.read(m.quotes); }});
}

}  // namespace structs
