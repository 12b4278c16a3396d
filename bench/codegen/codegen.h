// `perigee bench codegen`: the cost of generated code in lines, object code and compile time,
// compared with that of omniidl, for the same compiler and flags.
#pragma once

#include "harness/statistics.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct CodegenOptions {
  std::size_t rounds = 7;
  std::string compiler = "g++";
  std::string perigee_idl;  ///< empty: beside this program
  std::string omniidl = "omniidl";
  std::string include_folder;  ///< Perigee's public headers
  std::vector<std::string> idl_files;
};

/// The generated code of one IDL file.
struct CodegenCost {
  std::string idl;
  std::size_t lines = 0;       ///< Perigee: C.h, C.cpp, S.h, S.cpp
  std::size_t peer_lines = 0;  ///< omniidl: header and SK.cc
  std::size_t octets = 0;      ///< text and data of the objects
  std::size_t peer_octets = 0;
  double client_s = 0;    ///< median CPU time of compiling C.cpp
  double server_s = 0;    ///< of S.cpp
  double both_s = 0;      ///< of All.cpp, both sides, as CMake's perigee_idl() compiles it
  double peer_s = 0;      ///< of SK.cc, which has both sides
  Estimate client_ratio;  ///< C.cpp / SK.cc, median of the rounds
  Estimate both_ratio;    ///< All.cpp / SK.cc
};

struct CodegenReport {
  CodegenOptions options;
  std::vector<CodegenCost> costs;
};

CodegenReport run_codegen(const CodegenOptions& options);
std::string to_table(const CodegenReport& report);
std::string to_json(const CodegenReport& report);
std::string to_html(const CodegenReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_codegen_command(CLI::App& bench);

}  // namespace perigee::bench
