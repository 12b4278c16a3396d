// The messages of broker and clients. A client sends the name of a file and ends its sending
// direction. The broker answers with one octet and the file's handle, or with another octet and a
// reason.
#pragma once

#include <cstddef>

namespace broker {

inline constexpr std::byte granted{0};
inline constexpr std::byte refused{1};
inline constexpr std::size_t name_size_max = 255;
inline constexpr std::size_t reason_size_max = 1000;

}  // namespace broker
