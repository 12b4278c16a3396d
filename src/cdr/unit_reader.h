// Takes characters from wide text on the wire: UTF-16, UCS-2 or UCS-4.
#pragma once

#include "cdr/text_conversion.h"
#include <perigee/base/byte_order.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/code_sets.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace perigee::cdr {

inline constexpr char32_t byte_order_mark = 0xfeff;

constexpr bool swaps_to(std::endian order) noexcept { return order != std::endian::native; }

constexpr std::size_t unit_size(WideSet set) noexcept {
  return set == WideSet::utf_16 || set == WideSet::ucs_2 ? 2 : 4;
}

/// Takes characters from the units of a string.
class UnitReader {
 public:
  UnitReader(OctetSpan octets, WideSet set, bool swap) noexcept
      : octets_(octets), set_(set), swap_(swap) {}

  /// A reader for a text in the form of GIOP 1.2. Skips a byte order mark. Without a mark, the text
  /// is big-endian.
  static UnitReader marked(OctetSpan octets, WideSet set) noexcept {
    for (const std::endian order : {std::endian::big, std::endian::little}) {
      UnitReader reader(octets, set, swaps_to(order));
      if (reader.take_unit() == byte_order_mark) return reader;
    }
    return {octets, set, swaps_to(std::endian::big)};
  }

  [[nodiscard]] bool empty() const noexcept { return octets_.empty(); }
  [[nodiscard]] std::size_t unit_count() const noexcept { return octets_.size() / unit_size(set_); }

  /// Takes the next character. std::nullopt if there is no valid character.
  std::optional<char32_t> take() noexcept {
    const auto unit = take_unit();
    if (!unit || *unit > character_max) return std::nullopt;
    if (!is_surrogate(*unit)) return unit;
    if (set_ != WideSet::utf_16 || *unit >= 0xdc00) return std::nullopt;
    const auto low = take_unit();
    if (!low || !is_surrogate(*low) || *low < 0xdc00) return std::nullopt;
    return 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
  }

 private:
  std::optional<char32_t> take_unit() noexcept {
    return unit_size(set_) == 2 ? take_unit_of<std::uint16_t>() : take_unit_of<std::uint32_t>();
  }
  template <typename Unit>
  std::optional<char32_t> take_unit_of() noexcept {
    Unit unit;
    if (octets_.size() < sizeof unit) return std::nullopt;
    std::memcpy(&unit, octets_.data(), sizeof unit);
    octets_ = octets_.subspan(sizeof unit);
    return swap_ ? reverse_octets(unit) : unit;
  }

  OctetSpan octets_;
  WideSet set_;
  bool swap_;
};

}  // namespace perigee::cdr
