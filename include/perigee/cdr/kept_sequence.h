// Parameters that are large sequences. Later calls reuse the memory of their vectors. Otherwise, in
// each call, a vector of many MiB would take fresh memory from the system, with a page fault for
// each page.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/operators.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perigee::cdr {

/// A vector that a skeleton decodes for an upcall. When the upcall is over, the memory of a large
/// vector goes back to the ORB. T is one of the types below.
template <BasicType T>
class KeptSequence final {
 public:
  /// Vectors that take more memory than this are kept. Smaller vectors come from the heap of the C
  /// library, which keeps their memory itself.
  static constexpr std::size_t kept_above = 256 * 1024;

  KeptSequence() noexcept = default;
  ~KeptSequence() {
    if (memory_ != nullptr) [[unlikely]]
      give_back();
  }
  KeptSequence(const KeptSequence&) = delete;
  KeptSequence& operator=(const KeptSequence&) = delete;

  operator const std::vector<T>&() const noexcept { return values_; }  // NOLINT: used as a vector

  friend Decoder& operator>>(Decoder& decoder, KeptSequence& values) {
    if (decoder.remaining() > kept_above) [[unlikely]]
      if (values.take(decoder)) return decoder;
    return decoder >> values.values_;
  }

 private:
  /// Takes memory for a large sequence. True: the vector holds its numbers already.
  [[gnu::cold]] PERIGEE_API bool take(Decoder& decoder);
  [[gnu::cold]] bool take_landed(Decoder& ahead, std::size_t octets);
  [[gnu::cold]] PERIGEE_API void give_back() noexcept;

  std::vector<T> values_;
  SequenceMemory* memory_ = nullptr;  // where a large vector goes back to
};

// The definitions are in the library (src/cdr/kept_sequence.cpp).
// clang-format off: a table
#define PERIGEE_KEPT_ELEMENTS(X)                                                           \
  X(std::uint8_t) X(std::int8_t) X(std::int16_t) X(std::uint16_t) X(std::int32_t)          \
  X(std::uint32_t) X(std::int64_t) X(std::uint64_t) X(float) X(double)
// clang-format on
#define PERIGEE_DECLARE(T)                                      \
  extern template bool KeptSequence<T>::take(Decoder& decoder); \
  extern template void KeptSequence<T>::give_back() noexcept;
PERIGEE_KEPT_ELEMENTS(PERIGEE_DECLARE)
#undef PERIGEE_DECLARE

}  // namespace perigee::cdr
