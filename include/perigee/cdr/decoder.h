// CDR decoder: reads values out of a span, checks every bound, and remembers the first error.
// Does no I/O. Allocates no more memory than the octets at hand justify.
#pragma once

#include <perigee/base/byte_order.h>
#include <perigee/base/copy.h>
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/code_sets.h>
#include <perigee/cdr/decoded_memory.h>
#include <perigee/cdr/decoder_part.h>
#include <perigee/cdr/errors.h>
#include <perigee/cdr/long_double.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::cdr {

class LandedSequence;
class SequenceMemory;
class ValueReading;

/// The environment for values that need more than octets: object references need the ORB. The layer
/// `orb` derives a class from this one.
class Environment {
 public:
  /// Memory for large sequences; null: only the heap is used.
  [[nodiscard]] SequenceMemory* sequence_memory() const noexcept { return sequence_memory_; }
  /// The budget for the decoded values of all messages; null: there is only the limit of each
  /// message.
  [[nodiscard]] DecodedBudget* decoded_budget() const noexcept { return decoded_budget_; }
  /// Whether characters that arrive in UTF-8, and are not converted, must be well-formed.
  [[nodiscard]] bool checks_utf_8() const noexcept { return checks_utf_8_; }
  /// Whether a value may refer to a value that contains it.
  [[nodiscard]] bool accepts_value_cycles() const noexcept { return accepts_value_cycles_; }

 protected:
  ~Environment() = default;
  SequenceMemory* sequence_memory_ = nullptr;
  DecodedBudget* decoded_budget_ = nullptr;
  bool checks_utf_8_ = false;
  bool accepts_value_cycles_ = true;
};

/// Reads CDR from `octets`, which must outlive it and every view that it returns.
///
/// The first error is sticky: later reads give zero, and views are empty. So code calls `ok()` only
/// before it acts on a value, and at the end.
/// Source: CORBA 3.0, 15.3 "CDR Transfer Syntax".
class PERIGEE_API Decoder {
 public:
  Decoder() noexcept = default;
  /// Alignment counts from octet 0 of `octets`; reading begins at `position`.
  Decoder(OctetSpan octets, std::endian order, std::size_t position = 0,
          Limits limits = {}) noexcept
      : octets_(octets),
        position_(position <= octets.size() ? position : octets.size()),
        swap_(order != std::endian::native),
        depth_left_(limits.depth_max),
        objects_left_(limits.objects_max),
        decoded_size_max_(limits.decoded_size_max) {}

  /// The memory that the values of a message of `size` octets may take.
  [[nodiscard]] static constexpr std::uint64_t decoded_max(std::uint32_t decoded_size_max,
                                                           std::uint64_t size) noexcept {
    return decoded_size_max + decoded_growth * size;
  }
  /// A decoder for the contents of an encapsulation outside of a message (a profile, a component).
  /// `bad_encapsulation` if `octets` is empty or its first octet is not a valid byte order.
  [[nodiscard]] static Decoder from_encapsulation(OctetSpan octets, Limits limits = {}) noexcept;

  /// Divides the octets into pieces (fragments of GIOP 1.1). In each piece alignment starts anew,
  /// as if a GIOP header of 12 octets stood in front of the piece. Only a block of octets may
  /// continue in the next piece. `sizes` are the sizes of the pieces; their sum is the size of all
  /// octets. They must outlive the decoder. The first piece must hold all octets that were read so
  /// far.
  void set_pieces(const std::size_t* sizes) noexcept;
  /// Adds a sequence to the end of the octets. Its numbers are in a vector, which must outlive the
  /// decoder. Not together with `set_pieces`.
  void set_landed(LandedSequence& landed) noexcept;
  /// If the next `size` octets are the numbers that were given to `set_landed`, skips them and
  /// returns their sequence. Otherwise returns null, and changes nothing. Any other read of the
  /// numbers first copies the message into one piece.
  [[nodiscard]] LandedSequence* pass_landed(std::size_t size) noexcept;

  /// The octets that `copy_into` has copied.
  struct Copied {
    Octets octets;
    std::vector<std::size_t> piece_sizes;  ///< the sizes of the pieces after the present one
  };
  /// A decoder at the same position, over a copy of the octets in `copy`. `copy` must outlive the
  /// new decoder, which has no DecodedMemory. Throws bad_alloc.
  [[nodiscard]] Decoder copy_into(Copied& copy) const;

  /// Position of the next octet, counted as for alignment.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] std::size_t remaining() const noexcept {
    return octets_.size() - position_ + beyond_;
  }
  /// Whether the next `count` octets go beyond the present piece.
  [[nodiscard]] bool is_cut_within(std::size_t count) const noexcept {
    return count > octets_.size() - position_ && beyond_ != 0;
  }
  [[nodiscard]] bool swaps() const noexcept { return swap_; }

  void align(std::size_t alignment) noexcept {
    const std::size_t padding = (0 - position_) & (alignment - 1);
    if (padding >= octets_.size() - position_) [[unlikely]]
      return align_at_end(alignment);
    position_ += padding;
  }
  void skip(std::size_t count) noexcept { (void)read_octets(count); }

  /// The code sets of `char`, strings, wchar and wide strings.
  [[nodiscard]] CodeSets code_sets() const noexcept { return code_sets_; }
  void set_code_sets(CodeSets code_sets) noexcept { code_sets_ = code_sets; }
  /// Whether `char` and strings must be well-formed UTF-8, although they are not converted. The
  /// environment decides. Not for calls within the process, whose code set is `WideSet::native`.
  [[nodiscard]] bool checks_utf_8() const noexcept {
    return environment_ != nullptr && environment_->checks_utf_8() && !code_sets_.converts() &&
           code_sets_.chars == CharSet::utf_8 && code_sets_.wide != WideSet::native;
  }
  /// If false, `checks_utf_8` is false, too. Costs less than a call of `checks_utf_8`.
  [[nodiscard]] bool may_check_utf_8() const noexcept { return environment_ != nullptr; }

  /// A primitive value at its natural alignment; zero after an error. A `char` is converted to the
  /// native code set, or checked (see `checks_utf_8`): `bad_character`. Wide characters have
  /// functions of their own.
  template <Swappable T>
    requires(!std::same_as<T, wchar_t>)
  [[nodiscard]] T read() noexcept {
    if constexpr (std::same_as<T, long double>) {
      return from_quad(read_quad());
    } else {
      // A span is far smaller than the address space: `end` cannot wrap.
      const std::size_t start = (position_ + sizeof(T) - 1) & ~(sizeof(T) - 1);
      const std::size_t end = start + sizeof(T);
      if (end > octets_.size()) [[unlikely]]
        return find_number(sizeof(T)) ? read<T>() : T{};
      T value;
      std::memcpy(&value, octets_.data() + start, sizeof(T));
      position_ = end;
      if constexpr (std::same_as<T, char>)  // all code sets extend ASCII
        return static_cast<signed char>(value) >= 0 ? value : converted(value);
      return swap_ ? reverse_octets(value) : value;
    }
  }
  [[nodiscard]] bool read_boolean() noexcept {
    const auto value = read<std::uint8_t>();
    if (value > 1) fail(ErrorKind::bad_boolean);
    return value == 1;
  }
  /// An enumerator's ordinal, which must be below `count`. Otherwise 0, and the error `bad_enum`.
  [[nodiscard]] std::uint32_t read_enum(std::uint32_t count) noexcept {
    const auto value = read<std::uint32_t>();
    if (value < count) return value;
    fail(ErrorKind::bad_enum);
    return 0;
  }
  /// A string without its NUL, as a view into the octets, without conversion. Some ORBs send the
  /// illegal length 0; it is read as the empty string (interop fact 26 of docs/interop.md).
  [[nodiscard]] std::string_view read_string_view() noexcept;
  /// The same, converted to the native code set, or checked (see `checks_utf_8`). `bad_character`:
  /// the text is invalid, or cannot be converted.
  void read_string(std::string& text);
  /// The same as a view into the octets, or into `storage` if the text had to be converted.
  [[nodiscard]] std::string_view read_borrowed_string(std::string& storage) {
    if (!code_sets_.converts()) return read_checked_string();
    convert(read_string_view(), storage);
    return storage;
  }
  /// The same as a view into the octets: checked (see `checks_utf_8`), but not converted.
  [[nodiscard]] std::string_view read_checked_string() noexcept;
  /// Code points. Errors: `bad_character` (the octets are not valid in the code set),
  /// `no_code_set`, `not_in_version` (GIOP 1.0), for strings also `bad_string`, `bad_length`.
  /// Source: CORBA 3.0, 15.3.1.6 and 15.3.2.7. Interop facts 28 to 30 of docs/interop.md: UTF-16
  /// without a byte order mark is big endian.
  [[nodiscard]] wchar_t read_wide_character() noexcept;
  void read_wide_string(std::wstring& text);
  /// All octets of a long double, in native byte order. `read<long double>` may round them.
  [[nodiscard]] QuadOctets read_quad() noexcept;
  /// `count` octets as a view, unaligned.
  [[nodiscard]] OctetSpan read_octets(std::size_t count) noexcept {
    if (count > octets_.size() - position_) [[unlikely]]
      return read_octets_of_pieces(count);
    const OctetSpan view(octets_.data() + position_, count);
    position_ += count;
    return view;
  }
  /// A sequence<octet> as a view.
  [[nodiscard]] OctetSpan read_octet_sequence() noexcept { return read_octets(read_length(1)); }
  /// The octets of a fixed-point number of at most `digits` digits. The last half of the last octet
  /// is the sign, and all other halves are digits: otherwise the error is `bad_value`. Other ORBs
  /// leave out zeros in front (interop fact 59 of docs/interop.md).
  [[nodiscard]] OctetSpan read_fixed(int digits) noexcept;
  /// The length of a sequence whose elements take at least `element_size_min` (≥ 1) octets each. If
  /// the remaining octets cannot hold so many elements, the error is `bad_length`, and 0 is
  /// returned.
  [[nodiscard]] std::size_t read_length(std::size_t element_size_min) noexcept {
    const auto count = read<std::uint32_t>();
    if (count <= remaining() / element_size_min) return count;
    fail(ErrorKind::bad_length);
    return 0;
  }
  /// Elements at their natural alignment, without a length.
  template <Swappable T>
    requires(!std::same_as<T, wchar_t>)
  void read_array(std::span<T> values) noexcept {
    if (values.empty()) return;
    if constexpr (std::same_as<T, long double>) {
      for (T& value : values) value = from_quad(read_quad());
    } else if (std::same_as<T, char> && code_sets_.converts()) {
      for (T& value : values) value = read<T>();
    } else {
      align(sizeof(T));
      const OctetSpan source = read_elements(values.size_bytes(), sizeof(T));
      if (source.empty()) return;
      copy_octets(values.data(), source.data(), source.size());
      if constexpr (std::same_as<T, char>) check_characters(values);
      if constexpr (sizeof(T) > 1)
        if (swap_)
          for (T& value : values) value = reverse_octets(value);
    }
  }
  /// `count` elements as a view into the octets: the borrowed form of `read_array`. The octets must
  /// be in the native byte order and aligned in memory, and must not need a conversion of
  /// characters. Otherwise nothing is read, and the view is empty.
  template <Swappable T>
    requires(!std::same_as<T, long double> && !std::same_as<T, wchar_t>)
  [[nodiscard]] std::span<const T> view_array(std::size_t count) noexcept {
    const std::size_t start = (position_ + sizeof(T) - 1) & ~(sizeof(T) - 1);
    if (start > octets_.size() || count > (octets_.size() - start) / sizeof(T)) [[unlikely]] {
      const OctetSpan linked = view_linked(start, count, sizeof(T));
      const std::span<const T> view(reinterpret_cast<const T*>(linked.data()),
                                    linked.size() / sizeof(T));
      if constexpr (std::same_as<T, char>) check_characters(view);
      return view;
    }
    const std::byte* first = octets_.data() + start;
    const bool is_aligned = (reinterpret_cast<std::uintptr_t>(first) & (alignof(T) - 1)) == 0;
    if (count == 0 || !is_aligned || (sizeof(T) > 1 && swap_)) return {};
    if (std::same_as<T, char> && code_sets_.converts()) return {};
    position_ = start + count * sizeof(T);
    // The octets are aligned, and in native byte order: see above.
    const std::span<const T> view(reinterpret_cast<const T*>(first), count);
    if constexpr (std::same_as<T, char>) check_characters(view);
    return view;
  }
  /// A sequence: the length, then the elements. The elements are appended straight from the octets
  /// where possible, since a resize would zero the vector first.
  template <Swappable T>
  void read_sequence(std::vector<T>& values) {
    const std::size_t count = read_length(number_size<T>);
    make_room(values, count);
    if constexpr (!std::same_as<T, long double>) {
      const std::span<const T> view = view_array<T>(count);
      if (!view.empty()) {
        if (!has_slow_copy(values, view))
          return values.assign(view.data(), view.data() + view.size());
        values.resize(view.size());
        return copy_octets(values.data(), view.data(), view.size_bytes());
      }
    }
    values.resize(count);
    read_array(std::span<T>(values));
  }
  /// Prepares a vector for `count` elements, all of which will be written. Acts only if the vector
  /// is so large that it gets fresh memory from the system.
  template <typename T>
  void make_room(std::vector<T>& values, std::size_t count) {
    if (count <= fresh_above / sizeof(T) || count <= values.capacity()) [[likely]]
      return;
    values.clear();
    values.reserve(count);
    will_fill(values.data(), count * sizeof(T));
  }
  /// A decoder for an encapsulation in an octet sequence. It has its own byte order and alignment,
  /// and is one level deeper. An empty encapsulation is `bad_encapsulation`. Later errors are
  /// errors of the nested decoder only: look at its `ok()`.
  [[nodiscard]] Decoder read_encapsulation() noexcept;

  /// Enters a nested constructed value; `too_deep` beyond the limit. Pair with `leave()`.
  void enter() noexcept {
    if (depth_left_ == 0) return fail(ErrorKind::too_deep);
    --depth_left_;
  }
  void leave() noexcept { ++depth_left_; }
  /// Counts a value that takes far more memory than octets; `too_large` beyond the limit.
  void count_object() noexcept {
    if (objects_left_ == 0) return fail(ErrorKind::too_large);
    --objects_left_;
    charge(object_size);
  }
  /// Counts memory of a value, mostly before the value takes it. Values that are never much larger
  /// in memory than on the wire need not be counted. `too_much_memory` beyond the limit of the
  /// message, `memory_full` beyond the budget of the ORB.
  void charge(std::uint64_t octets) noexcept {
    if (octets > memory_left_) [[unlikely]]
      return ask_for_memory(octets);
    memory_left_ -= static_cast<std::uint32_t>(octets);
  }
  /// Room for one more element of a vector that gets `count` elements in all. Returns false, and
  /// sets an error, if a limit is exceeded.
  template <typename T>
  [[nodiscard]] bool make_room_for_one(std::vector<T>& values, std::size_t count) {
    if (values.size() < values.capacity()) [[likely]]
      return true;
    const std::size_t justified = remaining() / sizeof(T) + 1;
    const std::size_t wanted = justified < 2 * values.size() ? 2 * values.size() : justified;
    const std::size_t room = wanted < count ? wanted : count;
    charge((room - values.size()) * std::uint64_t{sizeof(T)});
    if (ok()) values.reserve(room);
    return ok();
  }
  /// Counts steps of work that take no octets of the message, for example elements of size zero;
  /// `too_large` beyond 2^20 steps.
  void count_steps(std::uint64_t steps) noexcept {
    if (steps > free_steps_left_) return fail(ErrorKind::too_large);
    free_steps_left_ -= static_cast<std::uint32_t>(steps);
  }

  /// From now on, `charge` records in `memory` what it takes from the budget of the ORB. `memory`
  /// must outlive the decoder.
  void set_decoded_memory(DecodedMemory& memory) noexcept { decoded_memory_ = &memory; }
  /// The limits for the rest of the message. A second decoder, which decodes a part of the message,
  /// gets them.
  [[nodiscard]] Limits limits_left() const noexcept {
    const std::uint64_t used = charged();
    return {depth_left_, objects_left_,
            used < decoded_size_max_ ? static_cast<std::uint32_t>(decoded_size_max_ - used) : 0};
  }
  /// The memory that all values of the message may take.
  [[nodiscard]] std::uint64_t decoded_max() const noexcept {
    if (next_sizes_ != nullptr) return decoded_size_max_;  // `set_pieces` has added the size
    return decoded_max(decoded_size_max_, octets_.size() + beyond_);
  }
  void set_environment(Environment* environment) noexcept { environment_ = environment; }
  [[nodiscard]] Environment* environment() const noexcept { return environment_; }
  [[nodiscard]] SequenceMemory* sequence_memory() const noexcept {
    return environment_ == nullptr ? nullptr : environment_->sequence_memory();
  }

  /// The valuetypes of the message; null outside of a ValueReading.
  [[nodiscard]] ValueReading* values() const noexcept;

  /// Keeps the first error and skips all octets, so that later reads fail.
  [[gnu::cold]] void fail(ErrorKind kind) noexcept;
  [[nodiscard]] bool ok() const noexcept { return error_.kind == ErrorKind::none; }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  friend class DecoderMark;
  friend class ValueReading;

  static constexpr std::uint64_t decoded_growth = 8;  // times the size of the message
  static constexpr std::uint64_t object_size = 320;   // about the memory of one counted object
  // This memory of each message is not charged to the budget, so small messages do not touch it.
  static constexpr std::uint32_t decoded_free = 256 * 1024;
  static constexpr std::uint64_t kib = 1024;
  // For vectors above this size, C libraries usually take fresh memory from the system each time.
  // The value is the largest M_MMAP_THRESHOLD of glibc.
  static constexpr std::size_t fresh_above = std::size_t{32} << 20;

  /// Reserves the vector's memory for `view`, and says whether the copy to it would be slow.
  /// Reserves a little more than needed: glibc places vectors of 4,096 octets 4,112 octets apart,
  /// so a copy from one to the next would be slow.
  template <typename T>
  static bool has_slow_copy(std::vector<T>& values, std::span<const T> view) {
    const std::size_t spare = view.size_bytes() < slow_copy_min ? 0 : 32 / sizeof(T);
    values.clear();
    if (values.capacity() < view.size()) values.reserve(view.size() + spare);
    return is_slow_copy(values.data(), view.data(), view.size_bytes());
  }
  static Decoder failed(ErrorKind kind) noexcept;
  /// Goes to the next piece or chunk. In the present piece or chunk, only padding in front of a
  /// number of this alignment may be unread. Without a next piece or chunk, returns false, and sets
  /// an error (`truncated`, `bad_value`).
  [[gnu::cold]] bool begin_next_piece(std::size_t alignment) noexcept;
  /// Goes to the piece or chunk that holds the next number, which has `size` octets.
  [[gnu::cold]] bool find_number(std::size_t size) noexcept;
  [[gnu::cold]] void align_at_end(std::size_t alignment) noexcept;
  [[nodiscard]] LandedSequence* landed() const noexcept;
  [[gnu::cold]] bool join_landed() noexcept;
  [[gnu::cold]] OctetSpan view_linked(std::size_t start, std::size_t count,
                                      std::size_t size) noexcept;
  [[gnu::cold]] OctetSpan read_octets_of_pieces(std::size_t count,
                                                std::size_t element_size = 1) noexcept;
  /// The octets of numbers: as `read_octets`, but a chunk of a valuetype may end between two
  /// numbers. The first number is aligned.
  [[nodiscard]] OctetSpan read_elements(std::size_t count, std::size_t element_size) noexcept {
    if (count > octets_.size() - position_) [[unlikely]]
      return read_octets_of_pieces(count, element_size);
    const OctetSpan view(octets_.data() + position_, count);
    position_ += count;
    return view;
  }
  [[nodiscard]] bool reads_chunks() const noexcept;
  bool begin_next_chunk(std::size_t alignment) noexcept;
  OctetSpan read_octets_of_chunks(std::size_t count, std::size_t element_size) noexcept;
  OctetSpan read_fixed_of_chunks(std::size_t size_max) noexcept;
  [[nodiscard]] std::uint64_t charged() const noexcept { return granted_kib_ * kib - memory_left_; }
  [[gnu::cold]] void ask_for_memory(std::uint64_t octets) noexcept;
  bool is_granted(std::uint64_t octets) noexcept;
  [[gnu::cold]] void will_fill(void* memory, std::size_t size) noexcept;
  std::string_view read_text(std::size_t size) noexcept;
  std::string_view read_checked_text(std::size_t size) noexcept;
  void copy_long(std::size_t size, std::string& text);
  [[gnu::cold]] char converted(char character) noexcept;
  bool check_text(std::string_view text) noexcept;
  void check_characters(std::span<const char> characters) noexcept;
  [[gnu::cold]] void convert(std::string_view octets, std::string& text);

  OctetSpan octets_;  // the present piece
  std::size_t position_ = 0;
  std::size_t beyond_ = 0;                   // octets of the pieces after it
  const std::size_t* next_sizes_ = nullptr;  // sizes of these pieces, if there are any
  // A landed sequence: its numbers follow `octets_`. Valuetypes: in a chunk, `octets_` end with the
  // chunk, and `beyond_` counts the octets after the chunk.
  DecoderPart* part_ = nullptr;
  bool swap_ = false;
  CodeSets code_sets_;
  // Small types, since decoders are copied in each call. In the order of Limits.
  std::uint32_t depth_left_ = Limits{}.depth_max;
  std::uint32_t objects_left_ = Limits{}.objects_max;
  std::uint32_t decoded_size_max_ = Limits{}.decoded_size_max;
  std::uint32_t free_steps_left_ = 1 << 20;
  std::uint32_t memory_left_ = decoded_free;         // granted, but not used
  std::uint32_t granted_kib_ = decoded_free / 1024;  // granted in all
  DecodedMemory* decoded_memory_ = nullptr;
  Environment* environment_ = nullptr;
  Error error_;
};

}  // namespace perigee::cdr
