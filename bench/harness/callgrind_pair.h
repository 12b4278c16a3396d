// Runs a server and its client under callgrind.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace perigee::bench {

struct CallgrindPair {
  std::string name;                 ///< of the measured system, for errors
  std::vector<std::string> server;  ///< its first line is a reference
  std::function<std::vector<std::string>(const std::string& reference)> client;
  std::string greeting = {};              ///< the first line of the client; empty: it prints none
  std::vector<std::string> options = {};  ///< further options of callgrind
  int cpu = -1;                           ///< of both processes; -1: not pinned
};

/// The files that callgrind has written.
struct CallgrindFiles {
  std::filesystem::path server;
  std::filesystem::path client;
};

/// Starts both processes, sends the client the line `command`, and ends both. The files are in
/// `folder`. Throws std::runtime_error if valgrind is missing, or if the client's answer is not
/// "ok".
CallgrindFiles run_under_callgrind(const CallgrindPair& pair, const std::string& command,
                                   const std::filesystem::path& folder);

}  // namespace perigee::bench
