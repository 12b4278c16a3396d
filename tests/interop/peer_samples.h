// Values of the types of Interop::Peer, as clients send them.
#pragma once

#include "interopC.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace interop {

inline Interop::Point make_point(int seed) {
  return Interop::Point(static_cast<std::uint8_t>(seed), seed * 100001,
                        static_cast<std::int16_t>(-seed), seed / 8.0);
}

inline Interop::Person make_person(int seed) {
  return Interop::Person("person " + std::to_string(seed),
                         seed % 2 == 0 ? Interop::Colour::green : Interop::Colour::blue,
                         seed % 2 == 1, make_point(seed));
}

template <typename Sequence, typename Make>
Sequence make_sequence(std::size_t count, Make make) {
  Sequence sequence;
  for (std::size_t index = 0; index < count; ++index)
    sequence.push_back(make(static_cast<int>(index)));
  return sequence;
}

}  // namespace interop
