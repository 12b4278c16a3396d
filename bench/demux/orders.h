// The order in which the demux experiment calls the operations of an interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::bench {

enum class Order : std::uint8_t {
  random,  ///< all operations, equally often
  first,   ///< always the first operation of the IDL
  last,
};

inline const char* to_string(Order order) {
  switch (order) {
    case Order::random:
      return "random";
    case Order::first:
      return "first";
    case Order::last:
      return "last";
  }
  return "";
}

inline constexpr Order all_orders[] = {Order::random, Order::first, Order::last};

/// Throws std::runtime_error for other names.
inline Order parse_order(const std::string& name) {
  for (const Order order : all_orders)
    if (name == to_string(order)) return order;
  throw std::runtime_error("unknown order " + name);
}

/// The numbers of the operations to call, one after the other, again and again. The random order is
/// the same in all programs. It is long, so that the CPU cannot learn it.
inline std::vector<std::size_t> make_indexes(Order order, std::size_t count) {
  if (order == Order::first) return {0};
  if (order == Order::last) return {count - 1};
  std::vector<std::size_t> indexes(std::max<std::size_t>(1, 20'000 / count) * count);
  for (std::size_t place = 0; place < indexes.size(); ++place) indexes[place] = place % count;
  std::mt19937 random(2001);  // NOLINT(cert-msc32-c,cert-msc51-cpp): a fixed seed on purpose
  std::ranges::shuffle(indexes, random);
  return indexes;
}

}  // namespace perigee::bench
