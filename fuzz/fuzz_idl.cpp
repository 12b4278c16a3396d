// The IDL front end on hostile text: the first octet chooses the version of IDL, a line "%%"
// separates the main file from a file that it may include as "a.idl".
#include "idlc/frontend/compile.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perigee::idlc;
  if (size == 0) return 0;
  CompileOptions options;
  options.main_file = "main.idl";
  options.idl_version = (data[0] & 1u) != 0 ? IdlVersion::four : IdlVersion::three;
  options.limits.token_count_max = 20'000;
  options.limits.total_size_max = 1u << 20;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto border = text.find("\n%%\n");
  MemoryFiles files;
  files.add("main.idl", text.substr(0, border));
  if (border != std::string::npos) files.add("a.idl", text.substr(border + 4));
  const CompileResult result = compile(options, files);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (format(diagnostic).empty()) __builtin_trap();
  }
  if (result.ok() && dump_model(*result.model).size() > (std::size_t{64} << 20)) __builtin_trap();
  preprocess(options, files);
  return 0;
}
