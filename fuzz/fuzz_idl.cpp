// The IDL front end with hostile text. The first octet selects the version of IDL. A line "%%"
// separates the main file from a file that it may include as "a.idl". Three of four mutations
// follow the grammar (idl_mutator.h).
#include "idl_mutator.h"
#include "idlc/frontend/compile.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perigee::idlc;
  if (size == 0) return 0;
  CompileOptions options;
  options.main_file = "main.idl";
  options.idl_version = (data[0] & 1u) != 0 ? IdlVersion::four : IdlVersion::three;
  options.limits.token_count_max = 20'000;
  options.limits.total_size_max = 1u << 20;
  for (const auto& info : warnings()) {
    if ((data[0] & 2u) != 0) options.warnings.enabled |= WarningOptions::bit(info.warning);
  }
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

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
}

/// Writes the text after the first octet. Returns the new size.
std::size_t store(const std::string& text, std::uint8_t* data, std::size_t size_max) {
  const std::size_t size = std::min(text.size(), size_max - 1);
  std::memcpy(data + 1, text.data(), size);
  return size + 1;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned int seed) {
  if (size == 0 || size_max < 2 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, size_max);
  perigee::fuzz::IdlMutator mutator(seed);
  const std::string text = text_of(data, size);
  return store(mutator.mutate(text, text), data, size_max);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t size_max,
                                                 unsigned int seed) {
  if (size1 == 0 || size_max < 2) return 0;
  perigee::fuzz::IdlMutator mutator(seed);
  out[0] = data1[0];
  return store(mutator.mutate(text_of(data1, size1), text_of(data2, size2)), out, size_max);
}
