// How much the large sequences of these tests are: in octets, about.
#pragma once

namespace interop {

constexpr unsigned large_size = 10'000'000;

}  // namespace interop
