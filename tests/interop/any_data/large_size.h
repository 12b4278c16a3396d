// The approximate size in octets of the large sequences of these tests.
#pragma once

namespace interop {

constexpr unsigned large_size = 10'000'000;

}  // namespace interop
