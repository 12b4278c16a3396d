// The values of one message, for generated code that marshals valuetypes. Not for applications.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/cdr/value_reading.h>
#include <perigee/cdr/value_writing.h>
#include <perigee/orb/value.h>

#include <cstdint>
#include <span>
#include <vector>

namespace perigee::value {

/// The values of a message while its arguments or results are encoded. All values of a message must
/// be encoded in one expression: `Writing(encoder).encoder() << a << b`.
using Writing = cdr::ValueWriting;

/// Called after strings and sequences in the state of a value. See `ValueWriting::split_chunk`.
PERIGEE_API void split_chunk(cdr::Encoder& encoder);

/// The same for decoding: `Reading(decoder).decoder() >> a >> b`.
///
/// If decoding fails, the destructor sets the references between the decoded values to null, since
/// values in a cycle would exist for ever. It does the same for cycles in skipped state. So a
/// message may have cycles in skipped state, or references to values in skipped state, but not both
/// (`bad_value`).
class PERIGEE_API Reading final : public cdr::ValueReading {
 public:
  explicit Reading(cdr::Decoder& decoder, Landed landed = Landed::join) noexcept;
  ~Reading() override;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  /// The ValueReading of the decoder, which must be a Reading.
  [[nodiscard]] static Reading& of(const cdr::Decoder& decoder) noexcept {
    return static_cast<Reading&>(*decoder.values());
  }

  /// For octets that come from this process and may refer to values outside of them: sets these
  /// values. The span must outlive this object.
  void set_outer_values(std::span<const counted_ptr<CORBA::ValueBase>> values) noexcept {
    outer_values_ = values;
    accept_outer_values(static_cast<std::uint32_t>(values.size()));
  }

  /// Whether one of the outer values was not of the expected class.
  [[nodiscard]] bool has_refused_outer() const noexcept { return has_refused_outer_; }

  /// While an object of this class exists, the Reading decodes a value of an any whose TypeCode
  /// shows no cycle. Outside of skipped state, a reference to a value that contains it fails with
  /// `value_cycle`: a program that ignores the any would not break the cycle.
  class WithoutCycles final {
   public:
    explicit WithoutCycles(Reading& reading) noexcept : reading_(reading) {
      ++reading_.without_cycles_;
    }
    ~WithoutCycles() { --reading_.without_cycles_; }
    WithoutCycles(const WithoutCycles&) = delete;
    WithoutCycles& operator=(const WithoutCycles&) = delete;

   private:
    Reading& reading_;
  };
  [[nodiscard]] bool expects_no_cycles() const noexcept { return without_cycles_ != 0; }

  /// From now on, the destructor sets the references between the values to null if they may form a
  /// cycle, also after success. For values that no program gets.
  void break_cycles_at_end() noexcept { breaks_at_end_ = true; }

  [[nodiscard]] counted_ptr<CORBA::ValueBase> decode(cdr::Decoder& decoder,
                                                     const Expected& expected);

 protected:
  [[nodiscard]] bool decode_skipped(cdr::Decoder& decoder, const cdr::ValueHeader& header) override;

 private:
  struct Decoded {
    counted_ptr<CORBA::ValueBase> value;  // null: skipped, and its type is not known
    bool is_skipped = false;              // in state that the program does not see
    bool is_complete = false;
  };

  [[nodiscard]] counted_ptr<CORBA::ValueBase> earlier(cdr::Decoder& decoder, std::uint32_t number,
                                                      const Expected& expected);
  [[nodiscard]] counted_ptr<CORBA::ValueBase> outer(cdr::Decoder& decoder, std::uint32_t number,
                                                    const Expected& expected);
  [[nodiscard]] bool may_form_cycle() const noexcept;
  [[nodiscard]] bool may_refer_to(const Decoded& decoded) noexcept;
  void decode_made(cdr::Decoder& decoder, const cdr::ValueHeader& header,
                   const counted_ptr<CORBA::ValueBase>& value, Rest rest);
  [[nodiscard]] counted_ptr<CORBA::ValueBase> decode_state(cdr::Decoder& decoder,
                                                           const cdr::ValueHeader& header,
                                                           const Expected& expected);
  enum class Broken : std::uint8_t { all, skipped };
  void break_cycles(Broken broken) noexcept;

  int exceptions_;                   // uncaught exceptions when decoding began
  std::uint32_t skipped_depth_ = 0;  // values that are decoded in skipped state
  std::uint32_t without_cycles_ = 0;
  std::span<const counted_ptr<CORBA::ValueBase>> outer_values_;
  bool has_refused_outer_ = false;
  bool breaks_at_end_ = false;
  bool has_skipped_cycles_ = false;
  bool shares_skipped_ = false;  // an indirection outside of skipped state leads into it
  std::vector<Decoded> values_;  // by number
};

}  // namespace perigee::value
