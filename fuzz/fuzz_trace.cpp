// Traces from peers: the service context, and its text. An accepted trace must be unchanged after
// it was written and read again.
#include "dynamic/interceptors/trace_interceptors.h"
#include "require.h"
#include <perigee/dynamic/trace.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace {

using namespace perigee;
using fuzz::require;

void try_text(const std::string& text) {
  const auto trace = parse_traceparent(text);
  if (!trace) return;
  const std::string written = to_traceparent(*trace);
  require(written.substr(3) == text.substr(3, 52));
  require(parse_traceparent(written) == trace);
}

void try_context(std::span<const std::uint8_t> octets) {
  const auto trace = interceptors::decode_trace_context(std::as_bytes(octets));
  if (!trace) return;
  require(trace->state.size() <= trace_state_size_max);
  const auto written = interceptors::encode_trace_context(*trace);
  require(interceptors::decode_trace_context(std::as_bytes(std::span(written))) == trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0)
    try_text(std::string(data + 1, data + size));
  else
    try_context({data + 1, size - 1});
  return 0;
}
