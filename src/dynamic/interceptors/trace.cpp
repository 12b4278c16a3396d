// Traces as values and as text.
#include <perigee/dynamic/trace.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <utility>

namespace perigee {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

template <std::size_t size>
bool is_zero(const std::array<std::uint8_t, size>& id) noexcept {
  return std::ranges::all_of(id, [](std::uint8_t octet) { return octet == 0; });
}

template <std::size_t size>
std::array<std::uint8_t, size> random_id() {
  // The random device is on the heap because it takes 5,000 octets. A library that is loaded late
  // has little room for thread-local variables.
  thread_local const auto source = std::make_unique<std::random_device>();
  std::array<std::uint8_t, size> id{};
  while (is_zero(id))
    for (std::size_t at = 0; at < size; at += 4)
      for (auto [word, octet] = std::pair{(*source)(), std::size_t{0}}; octet < 4;
           ++octet, word >>= 8U)
        id[at + octet] = static_cast<std::uint8_t>(word & 0xffU);
  return id;
}

void append(std::string& text, std::span<const std::uint8_t> octets) {
  for (const std::uint8_t octet : octets) (text += digits[octet >> 4U]) += digits[octet & 15U];
}

// Reads exactly the octets from lower-case digits.
bool read(std::string_view text, std::span<std::uint8_t> octets) noexcept {
  if (text.size() != 2 * octets.size()) return false;
  for (std::size_t index = 0; index < octets.size(); ++index) {
    const auto high = digits.find(text[2 * index]);
    const auto low = digits.find(text[2 * index + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    octets[index] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

}  // namespace

Trace new_trace() {
  Trace trace;
  trace.trace_id = random_id<16>();
  trace.span_id = random_id<8>();
  return trace;
}

Trace child_of(const Trace& cause) {
  Trace trace = cause;
  trace.parent_id = cause.span_id;
  trace.flags &= 1U;  // Trace Context, "Other Flags": unknown flags are sent as zero
  trace.span_id = random_id<8>();
  return trace;
}

std::string to_traceparent(const Trace& trace) {
  std::string text = "00-";
  append(text, trace.trace_id);
  text += '-';
  append(text, trace.span_id);
  text += '-';
  append(text, {&trace.flags, 1});
  return text;
}

// Version 00 has 55 characters. Later versions may have more, after a further dash; ff is
// forbidden.
std::optional<Trace> parse_traceparent(std::string_view text) {
  constexpr std::size_t size = 55;
  if (text.size() < size || text[2] != '-' || text[35] != '-' || text[52] != '-')
    return std::nullopt;
  std::uint8_t version = 0;
  Trace trace;
  const bool is_read =
      read(text.substr(0, 2), {&version, 1}) && read(text.substr(3, 32), trace.trace_id) &&
      read(text.substr(36, 16), trace.span_id) && read(text.substr(53, 2), {&trace.flags, 1});
  const bool has_end = text.size() == size || (version != 0 && text[size] == '-');
  if (!is_read || !has_end || version == 0xff || is_zero(trace.trace_id) || is_zero(trace.span_id))
    return std::nullopt;
  return trace;
}

}  // namespace perigee
