// The values of one message, for generated code that marshals valuetypes. Not for applications.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/cdr/value_reading.h>
#include <perigee/cdr/value_writing.h>
#include <perigee/orb/value.h>

#include <cstdint>
#include <vector>

namespace perigee::value {

/// The values of a message while its arguments or results are encoded. All values that share a
/// message must be encoded in one expression: `Writing(encoder).encoder() << a << b`.
using Writing = cdr::ValueWriting;

/// Called behind strings and sequences in the state of a value. See `ValueWriting::split_chunk`.
PERIGEE_API void split_chunk(cdr::Encoder& encoder);

/// The same for decoding: `Reading(decoder).decoder() >> a >> b`.
///
/// If decoding fails, the destructor sets the references between the decoded values to null, since
/// values in a cycle would exist for ever.
class PERIGEE_API Reading final : public cdr::ValueReading {
 public:
  explicit Reading(cdr::Decoder& decoder) noexcept;
  ~Reading() override;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  /// The reading of the decoder, which must be a Reading.
  [[nodiscard]] static Reading& of(const cdr::Decoder& decoder) noexcept {
    return static_cast<Reading&>(*decoder.values());
  }

  [[nodiscard]] counted_ptr<CORBA::ValueBase> decode(cdr::Decoder& decoder,
                                                     const Expected& expected);

 protected:
  [[nodiscard]] bool decode_skipped(cdr::Decoder& decoder, const cdr::ValueHeader& header) override;

 private:
  void decode_made(cdr::Decoder& decoder, const cdr::ValueHeader& header,
                   const counted_ptr<CORBA::ValueBase>& value, Rest rest);
  [[nodiscard]] counted_ptr<CORBA::ValueBase> decode_state(cdr::Decoder& decoder,
                                                           const cdr::ValueHeader& header,
                                                           const Expected& expected);
  void break_cycles() noexcept;

  int exceptions_;                                     // uncaught ones when decoding began
  std::vector<counted_ptr<CORBA::ValueBase>> values_;  // by number
};

}  // namespace perigee::value
