// Valuetypes: from references to their frames and state, and back.
#include "orb/values/dynamic_value.h"
#include "orb/values/reference_factory.h"
#include <perigee/cdr/value_format.h>
#include <perigee/orb/string_value.h>
#include <perigee/orb/value.h>
#include <perigee/orb/value_marshalling.h>

#include <array>
#include <exception>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

ValueBase::ValueBase() noexcept = default;
ValueBase::ValueBase(const ValueBase&) noexcept = default;
ValueBase::~ValueBase() = default;

ValueFactoryBase::ValueFactoryBase() noexcept = default;
ValueFactoryBase::~ValueFactoryBase() = default;
std::string ValueFactoryBase::_obv_repository_id() const { return {}; }

std::string _text_of_value(const ValueBase* value) {
  return value == nullptr ? "null" : "value of " + std::string(value->_description().id);
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::value {

namespace {

/// The ids of a value: its own, then those of the bases that it can be truncated to.
class Ids {
 public:
  explicit Ids(const Description& description) noexcept {
    for (const Description* type = &description; type != nullptr && count_ != ids_.size();
         type = type->truncatable_base)
      ids_[count_++] = type->id;
  }
  [[nodiscard]] std::span<const std::string_view> all() const noexcept {
    return std::span(ids_).first(count_);
  }

 private:
  std::array<std::string_view, cdr::value_ids_max> ids_;
  std::size_t count_ = 0;
};

/// A new value, and whether its type is a base of the received type.
struct Made {
  counted_ptr<CORBA::ValueBase> value;
  bool is_truncated = false;
};

/// Null if there is no factory, or if the factory has returned null.
counted_ptr<CORBA::ValueBase> make_of_type(const cdr::Decoder& decoder, std::string_view id,
                                           const Expected& expected) {
  orb::ReferenceFactory* const orb = orb::ReferenceFactory::from(decoder.environment());
  if (orb != nullptr)
    if (const CORBA::ValueFactory factory = orb->find_value_factory(id))
      return factory->create_for_unmarshal()._shared();
  if (id == CORBA::StringValue::_type_id) return make_counted<CORBA::StringValue>();
  if (id == CORBA::WStringValue::_type_id) return make_counted<CORBA::WStringValue>();
  return expected.make != nullptr && id == expected.id ? expected.make(expected) : nullptr;
}

/// A value without ids is of the expected type. A value without chunks cannot be truncated.
Made make_value(cdr::Decoder& decoder, const cdr::ValueHeader& header, const Expected& expected) {
  if (header.ids.empty()) {
    decoder.values()->count_id_steps(decoder, Reading::lookup_steps(expected.id));
    if (!decoder.ok()) return {};
    return {make_of_type(decoder, expected.id, expected)};
  }
  const std::size_t count = header.is_chunked ? header.ids.size() : 1;
  for (std::size_t index = 0; index != count && decoder.ok(); ++index) {
    decoder.values()->count_id_steps(decoder, Reading::lookup_steps(header.ids[index]));
    if (auto value = make_of_type(decoder, header.ids[index], expected))
      return {std::move(value), index != 0};
  }
  return {};
}

/// Counts the values that are decoded in skipped state. A factory may throw.
class Skipping final {
 public:
  explicit Skipping(std::uint32_t& depth) noexcept : depth_(depth) { ++depth_; }
  ~Skipping() { --depth_; }
  Skipping(const Skipping&) = delete;
  Skipping& operator=(const Skipping&) = delete;

 private:
  std::uint32_t& depth_;
};

bool accepts_cycles(const cdr::Decoder& decoder) {
  return decoder.environment() == nullptr || decoder.environment()->accepts_value_cycles();
}

bool may_be_shared(const CORBA::ValueBase& value) {
  const auto* const dynamic = dynamic_cast<const orb::DynamicValue*>(&value);
  return dynamic == nullptr || dynamic->is_complete();
}

}  // namespace

void encode(cdr::Encoder& encoder, const CORBA::ValueBase* value) {
  if (value == nullptr) return Writing::write_null(encoder);
  if (encoder.values() == nullptr) {
    const Writing own(encoder);
    return encode(encoder, value);
  }
  Writing& writing = *encoder.values();
  const Description& description = value->_description();
  const Ids ids(description);
  const bool is_chunked = description.truncatable_base != nullptr || description.is_custom;
  if (!writing.begin(encoder, value, ids.all(),
                     is_chunked ? Writing::Chunks::yes : Writing::Chunks::no))
    return;
  value->_marshal(encoder);
  writing.end(encoder);
}

void split_chunk(cdr::Encoder& encoder) {
  if (Writing* const writing = encoder.values()) writing->split_chunk(encoder);
}

counted_ptr<CORBA::ValueBase> decode(cdr::Decoder& decoder, const Expected& expected) {
  if (decoder.values() != nullptr) return Reading::of(decoder).decode(decoder, expected);
  Reading own(decoder);
  return own.decode(decoder, expected);
}

Reading::Reading(cdr::Decoder& decoder, Landed landed) noexcept
    : ValueReading(decoder, landed), exceptions_(std::uncaught_exceptions()) {}

Reading::~Reading() {
  const bool is_raising = std::uncaught_exceptions() > exceptions_;
  if (!is_active() || !has_sharing()) return;
  if (!decoder().ok() || is_raising) {
    decoder().fail(cdr::ErrorKind::bad_value);
    break_cycles(Broken::all);
  } else if (breaks_at_end_) {
    break_cycles(Broken::all);
  } else if (has_skipped_cycles_) {
    break_cycles(Broken::skipped);
  }
}

// A decoder that has failed gives null references.
void Reading::break_cycles(Broken broken) noexcept {
  cdr::Decoder failed;
  failed.fail(cdr::ErrorKind::bad_value);
  for (const Decoded& decoded : values_) {
    if (decoded.value == nullptr || (broken == Broken::skipped && !decoded.is_skipped)) continue;
    try {
      decoded.value->_unmarshal(failed);
    } catch (...) {
      continue;  // the next values may still be in the cycle
    }
  }
}

counted_ptr<CORBA::ValueBase> Reading::decode(cdr::Decoder& decoder, const Expected& expected) {
  const cdr::ValueHeader header = begin(decoder);
  switch (header.kind) {
    case cdr::ValueHeader::Kind::none:
    case cdr::ValueHeader::Kind::null:
      return nullptr;
    case cdr::ValueHeader::Kind::earlier:
      return earlier(decoder, header.number, expected);
    case cdr::ValueHeader::Kind::outer:
      return outer(decoder, header.number, expected);
    case cdr::ValueHeader::Kind::state:
      return decode_state(decoder, header, expected);
  }
  return nullptr;
}

counted_ptr<CORBA::ValueBase> Reading::earlier(cdr::Decoder& decoder, std::uint32_t number,
                                               const Expected& expected) {
  const Decoded* const decoded = number < values_.size() ? &values_[number] : nullptr;
  const bool is_known = decoded != nullptr && decoded->value != nullptr;
  if (is_known && !decoded->is_complete && !(accepts_cycles(decoder) && may_form_cycle())) {
    decoder.fail(cdr::ErrorKind::value_cycle);
    return nullptr;
  }
  if (is_known && expected.accepts(*decoded->value) && may_be_shared(*decoded->value) &&
      may_refer_to(*decoded))
    return decoded->value;
  decoder.fail(cdr::ErrorKind::bad_value);
  return nullptr;
}

counted_ptr<CORBA::ValueBase> Reading::outer(cdr::Decoder& decoder, std::uint32_t number,
                                             const Expected& expected) {
  const counted_ptr<CORBA::ValueBase>& value = outer_values_[number];
  if (expected.accepts(*value)) return value;
  has_refused_outer_ = true;
  decoder.fail(cdr::ErrorKind::bad_value);
  return nullptr;
}

// A program that ignores an any would not break the cycle. The destructor breaks cycles in skipped
// state.
bool Reading::may_form_cycle() const noexcept {
  return !expects_no_cycles() || skipped_depth_ != 0;
}

// The program cannot break a cycle of values that it does not see. It sees them if a reference from
// outside leads to one of them, but from which ones on is not known.
bool Reading::may_refer_to(const Decoded& decoded) noexcept {
  const bool is_from_skipped = skipped_depth_ != 0;
  if (!is_from_skipped && decoded.is_skipped) shares_skipped_ = true;
  const bool may_be_unseen = decoded.is_skipped || expects_no_cycles();
  if (is_from_skipped && may_be_unseen && !decoded.is_complete) has_skipped_cycles_ = true;
  return !(shares_skipped_ && has_skipped_cycles_);
}

counted_ptr<CORBA::ValueBase> Reading::decode_state(cdr::Decoder& decoder,
                                                    const cdr::ValueHeader& header,
                                                    const Expected& expected) {
  decoder.count_object();
  decoder.enter();
  if (!decoder.ok()) return nullptr;
  Made made = make_value(decoder, header, expected);
  if (made.value == nullptr) {
    decoder.fail(cdr::ErrorKind::no_value_factory);
    return nullptr;
  }
  if (!expected.accepts(*made.value)) {
    decoder.fail(cdr::ErrorKind::bad_value);
    return nullptr;
  }
  decode_made(decoder, header, made.value, made.is_truncated ? Rest::skip : Rest::refuse);
  decoder.leave();
  return decoder.ok() ? std::move(made.value) : nullptr;
}

void Reading::decode_made(cdr::Decoder& decoder, const cdr::ValueHeader& header,
                          const counted_ptr<CORBA::ValueBase>& value, Rest rest) {
  values_.resize(header.number + 1);  // values that were skipped have no object
  values_[header.number] = {value, skipped_depth_ != 0, false};
  value->_unmarshal(decoder);
  if (!decoder.ok()) return;
  values_[header.number].is_complete = true;
  // A program may leave a part of its custom state unread, but only chunks show its end.
  if (header.is_chunked)
    end_chunked(decoder, value->_description().is_custom ? Rest::skip : rest);
  else if (value->_description().is_custom)
    decoder.fail(cdr::ErrorKind::bad_value);
}

// The message keeps the value for later indirections. Beyond the limit of depth it is only skipped.
bool Reading::decode_skipped(cdr::Decoder& decoder, const cdr::ValueHeader& header) {
  if (header.ids.empty() || decoder.limits_left().depth_max == 0) return false;
  const Made made = make_value(decoder, header, Expected{{}, nullptr, nullptr});
  if (made.value == nullptr) return false;
  decoder.count_object();
  decoder.enter();
  {
    const Skipping skipping(skipped_depth_);
    if (decoder.ok())
      decode_made(decoder, header, made.value, made.is_truncated ? Rest::skip : Rest::refuse);
  }
  decoder.leave();
  return true;
}

}  // namespace perigee::value
