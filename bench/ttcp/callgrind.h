// The calls and the instructions of functions, as valgrind's tool callgrind counts them.
#pragma once

#include "versions.h"

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace perigee::bench {

/// A function, without the functions that it calls.
struct FunctionCost {
  std::string object;  ///< the file name of the program or library
  std::string name;
  double calls = 0;
  double instructions = 0;  ///< in user space
};

/// The functions of a file in callgrind's format, by object and name. Throws std::runtime_error if
/// the file has no totals: then it is not complete.
std::map<std::string, FunctionCost> read_callgrind(std::istream& input);

/// The name that the standard gives to a function of the C library: "memcpy" for
/// "__memcpy_avx_unaligned_erms". One function of the C library does memcpy and memmove:
/// "memcpy, memmove". Other names stay.
std::string standard_name(const std::string& name);

/// The costs of both sides per buffer.
struct TransferCosts {
  std::vector<FunctionCost> transmitter;  ///< most instructions first
  std::vector<FunctionCost> receiver;
};

/// Transfers a few buffers under callgrind, and then many buffers in a second run. The difference
/// of the two counts leaves out the cost of the start. Keeps functions with 1 % of the instructions
/// or more, and the functions that the paper names (memcpy, strlen and similar). Throws
/// std::runtime_error if callgrind cannot be used.
TransferCosts count_functions(const TtcpVersion& version, std::size_t size, std::size_t queue_size,
                              const std::filesystem::path& folder);

}  // namespace perigee::bench
