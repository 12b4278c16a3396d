// CORBA::Any: values of basic types inside it, values of C++ types, and values as octets. Octets
// are decoded on demand. They are sent again unchanged if byte order, alignment and code sets are
// the same.
#include "orb/values/any_value.h"
#include "orb/values/dynamic_value.h"
#include "orb/values/reference_factory.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/long_double.h>
#include <perigee/cdr/typecode.h>
#include <perigee/cdr/value_format.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/value.h>
#include <perigee/orb/value_marshalling.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace perigee::any {

namespace {

using cdr::Decoder;
using cdr::Encoder;
using cdr::TypeRef;

constexpr const TypeNode& null_type = cdr::basic_node<TypeKind::tk_null>;

/// Calls `act` with a value of the C++ type of a basic kind, and with octets for a long double.
/// False for other kinds.
template <typename Act>
bool with_basic(TypeKind kind, Act&& act) {
  using enum TypeKind;
  switch (kind) {
    case tk_short:
      return act(std::int16_t{});
    case tk_ushort:
      return act(std::uint16_t{});
    case tk_long:
      return act(std::int32_t{});
    case tk_ulong:
      return act(std::uint32_t{});
    case tk_longlong:
      return act(std::int64_t{});
    case tk_ulonglong:
      return act(std::uint64_t{});
    case tk_float:
      return act(float{});
    case tk_double:
      return act(double{});
    case tk_longdouble:
      return act(cdr::QuadOctets{});
    case tk_boolean:
      return act(bool{});
    case tk_char:
      return act(char{});
    case tk_wchar:
      return act(wchar_t{});
    case tk_octet:
      return act(std::uint8_t{});
    case tk_int8:
      return act(std::int8_t{});
    default:
      return false;
  }
}

/// For values that the program has made, or that were within the limits when they were received.
constexpr cdr::Limits unlimited_memory{.decoded_size_max = ~std::uint32_t{0}};

bool accepts_all(const CORBA::ValueBase& /*value*/) { return true; }

counted_ptr<CORBA::ValueBase> make_dynamic_value(const value::Expected& expected) {
  const auto& type = *static_cast<const cdr::TypeRef*>(expected.context);
  // The TypeCode does not describe the state of a custom value.
  const TypeNode& node = cdr::unaliased(*type.node);
  if (node.kind != TypeKind::tk_value_box && node.scale == CORBA::VM_CUSTOM) return nullptr;
  return make_counted<orb::DynamicValue>(cdr::TypeRef{&node, type.owner});
}

/// Decodes a valuetype of this type, or the value of an abstract interface (null).
counted_ptr<CORBA::ValueBase> decode_object(Decoder& decoder, const TypeRef& type) {
  if (type.node == nullptr) return value::decode(decoder, {{}, &accepts_all, nullptr, nullptr});
  const std::string_view id = cdr::unaliased(*type.node).id;
  return value::decode(decoder, {id, &accepts_all, &make_dynamic_value, &type});
}

/// Keeps the valuetypes of a value as objects. In the octets, the place of each valuetype has the
/// tag of an indirection and the number of the object. Numbers begin at 1.
class KeptOutside final : public cdr::ValueTransfer {
 public:
  explicit KeptOutside(std::vector<counted_ptr<CORBA::ValueBase>>& values) : values_(values) {}

  void transfer(Decoder& decoder, Encoder& encoder, const TypeRef& type) override {
    decoder.charge(sizeof(counted_ptr<CORBA::ValueBase>));
    counted_ptr<CORBA::ValueBase> value = decode_object(decoder, type);
    if (!decoder.ok()) return;
    if (value == nullptr) return value::Writing::write_null(encoder);
    if (value->_description().id.size() > cdr::value_id_size_max)
      return decoder.fail(cdr::ErrorKind::too_large);  // it could not be written again
    values_.push_back(std::move(value));
    encoder.write(cdr::value_indirection_tag);
    encoder.write(static_cast<std::uint32_t>(values_.size()));
  }

 private:
  std::vector<counted_ptr<CORBA::ValueBase>>& values_;
};

/// Writes the objects of KeptOutside into a message.
class WrittenAgain final : public cdr::ValueTransfer {
 public:
  void transfer(Decoder& decoder, Encoder& encoder, const TypeRef& type) override {
    const counted_ptr<CORBA::ValueBase> value = decode_object(decoder, type);
    if (decoder.ok()) value::encode(encoder, value.get());
  }
};

/// A value as it came from a peer. `octets_` begin at a multiple of 8 in the message, `phase_`
/// octets before the value. This keeps the alignment of the value.
class EncodedValue final : public Content {
 public:
  EncodedValue(const Decoder& decoder, std::size_t size, const TypeNode& type)
      : EncodedValue(decoder) {
    Decoder copy = decoder;
    if (decoder.is_cut_within(size)) {
      write_again(copy, type);
    } else {
      const OctetSpan octets = copy.read_octets(size);
      octets_.reserve(phase_ + size);
      octets_.resize(phase_);
      octets_.insert(octets_.end(), octets.begin(), octets.end());
    }
  }
  /// For a value with valuetypes, whose octets may refer to other parts of the message. Reads the
  /// value from `decoder`, and writes it again into octets of its own. `decoder` has a Reading, and
  /// may fail. Values in a cycle become octets, so that the program need not break the cycle. Other
  /// values become objects, which the parts of the message share.
  EncodedValue(Decoder& decoder, const TypeRef& type) : EncodedValue(std::as_const(decoder)) {
    has_valuetypes_ = true;
    value::Reading& reading = value::Reading::of(decoder);
    if (!reading.expects_no_cycles() && cdr::has_value_cycle(decoder, *type.node)) {
      write_again(decoder, *type.node);
      return;
    }
    const value::Reading::WithoutCycles inner(reading);
    KeptOutside kept(values_);
    write_again(decoder, type, kept);
  }

  void encode(Encoder& encoder, const TypeNode& type) const override {
    const bool is_the_same = encoder.order() == order_ && encoder.position() % 8 == phase_ &&
                             encoder.code_sets() == code_sets_ && !has_valuetypes_;
    if (is_the_same) return encoder.write_octets(OctetSpan(octets_).subspan(phase_));
    Decoder decoder = make_decoder();
    if (values_.empty()) {
      cdr::copy_value(decoder, encoder, type);
    } else {
      value::Reading reading(decoder);
      reading.set_outer_values(values_);
      const value::Writing writing(encoder);
      WrittenAgain written;
      cdr::copy_value_with(decoder, encoder, {&type, nullptr}, written);
    }
    if (!decoder.ok()) encoder.fail(decoder.error().kind);
  }

  [[nodiscard]] const void* find(const void*) const noexcept override { return nullptr; }

  bool decode(const TypeNode& type, function_ref<void(Decoder&)> decode) const override {
    Decoder decoder = make_decoder();
    const std::shared_ptr<orb::ReferenceFactory> factory = factory_.lock();
    decoder.set_environment(factory.get());
    value::Reading values(decoder);
    values.set_outer_values(values_);
    decode(decoder);
    if (values.has_refused_outer()) return decode_whole(type, factory.get(), decode);
    if (decoder.error().kind == cdr::ErrorKind::too_much_memory)
      orb::raise_decode_error(decoder.error(), orb::Sender::client, CORBA::COMPLETED_NO,
                              "extracting from an any");
    return decoder.ok() && decoder.remaining() == 0;
  }

  [[nodiscard]] bool has_values() const noexcept { return !values_.empty(); }
  /// A copy of this value with another object in the place of each valuetype. An object may be in
  /// several places.
  [[nodiscard]] std::shared_ptr<const Content> with_values(const CopyValue& copy) const {
    auto replaced = std::make_shared<EncodedValue>(*this);
    for (counted_ptr<CORBA::ValueBase>& value : replaced->values_) value = copy(value);
    return replaced;
  }

 private:
  explicit EncodedValue(const Decoder& decoder)
      : order_(decoder.swaps() == (std::endian::native == std::endian::little)
                   ? std::endian::big
                   : std::endian::little),
        phase_(decoder.position() % 8),
        decoded_max_(static_cast<std::uint32_t>(
            std::min<std::uint64_t>(decoder.decoded_max(), unlimited_memory.decoded_size_max))),
        code_sets_(decoder.code_sets()) {
    if (auto* factory = orb::ReferenceFactory::from(decoder.environment()))
      factory_ = factory->share();
  }
  /// Encodes the value again in one piece: alignment begins anew in each fragment of GIOP 1.1.
  void write_again(Decoder& decoder, const TypeNode& type) {
    cdr::Buffer buffer;
    Encoder encoder(buffer, order_);
    encoder.set_code_sets(code_sets_);
    cdr::copy_value(decoder, encoder, type);
    if (!encoder.ok()) decoder.fail(encoder.error().kind);
    octets_ = buffer.flatten();
    phase_ = 0;
  }
  void write_again(Decoder& decoder, const TypeRef& type, KeptOutside& values) {
    cdr::Buffer buffer;
    Encoder encoder(buffer, order_);
    encoder.set_code_sets(code_sets_);
    cdr::copy_value_with(decoder, encoder, type, values);
    if (!encoder.ok()) decoder.fail(encoder.error().kind);
    octets_ = buffer.flatten();
    phase_ = 0;
  }
  /// Decodes an object whose class is not the class that `decode` reads: the object came before the
  /// program had a factory, or it is a boxed value.
  bool decode_whole(const TypeNode& type, orb::ReferenceFactory* factory,
                    function_ref<void(Decoder&)> decode) const {
    return decode_again(*this, type, [&](Decoder& decoder) {
      decoder.set_environment(factory);
      decode(decoder);
    });
  }
  [[nodiscard]] Decoder make_decoder() const {
    cdr::Limits limits;
    limits.decoded_size_max = decoded_max_;
    Decoder decoder(octets_, order_, phase_, limits);
    decoder.set_code_sets(code_sets_);
    return decoder;
  }

  Octets octets_;
  std::endian order_;
  std::size_t phase_;
  std::uint32_t decoded_max_;  // memory that all values of its message may take
  cdr::CodeSets code_sets_;
  std::weak_ptr<orb::ReferenceFactory> factory_;  // weak: an Any does not keep the ORB alive
  bool has_valuetypes_ = false;
  std::vector<counted_ptr<CORBA::ValueBase>> values_;  // that the octets refer to
};

using ValueReference = CORBA::valuetype_reference<CORBA::ValueBase>;

/// A valuetype, and the ORB that it came through.
class KeptValue final : public Content {
 public:
  explicit KeptValue(ValueReference value) : value_(std::move(value)) {}
  KeptValue(const Decoder& decoder, ValueReference value) : value_(std::move(value)) {
    if (auto* factory = orb::ReferenceFactory::from(decoder.environment()))
      factory_ = factory->share();
  }

  void encode(Encoder& encoder, const TypeNode&) const override { encoder << value_; }
  [[nodiscard]] const void* find(const void* tag) const noexcept override {
    return tag == &tag_of<ValueReference> ? &value_ : nullptr;
  }
  bool decode(const TypeNode& type, function_ref<void(Decoder&)> decode) const override {
    const std::shared_ptr<orb::ReferenceFactory> factory = factory_.lock();
    return decode_again(*this, type, [&](Decoder& decoder) {
      decoder.set_environment(factory.get());
      decode(decoder);
    });
  }

  [[nodiscard]] std::shared_ptr<const Content> with_value(ValueReference value) const {
    auto replaced = std::make_shared<KeptValue>(std::move(value));
    replaced->factory_ = factory_;
    return replaced;
  }
  [[nodiscard]] const ValueReference& value() const noexcept { return value_; }

 private:
  ValueReference value_;
  std::weak_ptr<orb::ReferenceFactory> factory_;  // weak: an Any does not keep the ORB alive
};

bool is_valuetype(TypeKind kind) noexcept {
  return kind == TypeKind::tk_value || kind == TypeKind::tk_value_box;
}

/// A value is decoded at once, since it may be shared with other parts of its message.
void decode_valuetype(Decoder& decoder, cdr::TypeRef type, CORBA::Any& any) {
  ValueReference decoded(decode_object(decoder, type));
  if (!decoder.ok()) return;
  Access::set(any, *type.node, std::make_shared<KeptValue>(decoder, std::move(decoded)),
              std::move(type.owner));
}

std::shared_ptr<const Content> decode_with_valuetypes(Decoder& decoder, const TypeRef& type) {
  if (decoder.values() != nullptr) return std::make_shared<EncodedValue>(decoder, type);
  const value::Reading own(decoder);
  return std::make_shared<EncodedValue>(decoder, type);
}

/// Decoded at once, like a valuetype. A value needs a factory: its TypeCode does not describe the
/// state.
void decode_abstract(Decoder& decoder, cdr::TypeRef type, CORBA::Any& any) {
  AbstractReference decoded;
  decoder >> decoded;
  if (!decoder.ok()) return;
  Access::set(any, *type.node, std::make_shared<Value<AbstractReference>>(std::move(decoded)),
              std::move(type.owner));
}

/// An enumerator without a C++ type.
class Enumerator final : public Content {
 public:
  explicit Enumerator(std::int64_t value) : value_(value) {}
  void encode(Encoder& encoder, const TypeNode& type) const override {
    cdr::write_enumerator(encoder, cdr::unaliased(type), value_);
  }
  [[nodiscard]] const void* find(const void*) const noexcept override { return nullptr; }
  bool decode(const TypeNode& type, function_ref<void(Decoder&)> decode) const override {
    return decode_again(*this, type, decode);
  }

 private:
  std::int64_t value_;
};

/// The code sets of values that are encoded and decoded in this file. Characters are not converted.
constexpr cdr::CodeSets own_code_sets{.wide = cdr::WideSet::native};

/// A value in a form for comparisons, from `write_comparable`. For a TypeCode inside the value, the
/// octets have only its kind, and `types` has the TypeCode.
struct Comparable {
  cdr::Buffer octets;
  cdr::InnerTypes types;
};

bool same_types(const std::vector<cdr::TypeRef>& mine, const std::vector<cdr::TypeRef>& its,
                bool (*same)(const TypeNode&, const TypeNode&, cdr::TypeLimits)) {
  return std::ranges::equal(mine, its, [same](const cdr::TypeRef& a, const cdr::TypeRef& b) {
    return same(*a.node, *b.node, {});
  });
}

bool operator==(const Comparable& mine, const Comparable& its) {
  return std::ranges::equal(mine.octets.own_octets(), its.octets.own_octets()) &&
         same_types(mine.types.of_anys, its.types.of_anys, cdr::equivalent) &&
         same_types(mine.types.values, its.types.values, cdr::equal);
}

/// Fills in `comparable`. False if the value cannot be encoded.
bool encode_for_comparison(Comparable& comparable, const CORBA::Any& any) {
  cdr::Buffer first;
  Encoder encoder(first);
  encoder.set_code_sets(own_code_sets);
  encode_value(encoder, any);
  Decoder decoder(first.own_octets(), std::endian::native, 0, unlimited_memory);
  decoder.set_code_sets(own_code_sets);
  Encoder normal(comparable.octets);
  normal.set_code_sets(own_code_sets);
  if (encoder.ok()) cdr::write_comparable(decoder, normal, Access::type(any), comparable.types);
  return encoder.ok() && decoder.ok() && normal.ok();
}

}  // namespace

void encode_value(Encoder& encoder, const CORBA::Any& any) {
  const TypeNode& type = Access::type(any);
  if (const Content* content = Access::content(any)) return content->encode(encoder, type);
  with_basic(cdr::unaliased(type).kind, [&](auto value) {
    value = Access::basic<decltype(value)>(any);
    if constexpr (std::is_same_v<decltype(value), cdr::QuadOctets>)
      encoder.write_quad(value);
    else
      encoder << value;
    return true;
  });
}

void decode_value(Decoder& decoder, cdr::TypeRef type, CORBA::Any& any) {
  CORBA::Any decoded;
  if (is_valuetype(cdr::unaliased(*type.node).kind))
    return decode_valuetype(decoder, std::move(type), any);
  if (cdr::unaliased(*type.node).kind == TypeKind::tk_abstract_interface)
    return decode_abstract(decoder, std::move(type), any);
  const bool is_basic = with_basic(cdr::unaliased(*type.node).kind, [&](auto value) {
    if constexpr (std::is_same_v<decltype(value), cdr::QuadOctets>)
      value = decoder.read_quad();
    else
      decoder >> value;
    Access::set_basic(decoded, value);
    return true;
  });
  std::shared_ptr<const Content> content;
  if (!is_basic) {
    decoder.count_object();
    const Decoder start = decoder;
    // Octets of chunks can be read only once.
    const bool is_in_chunk = decoder.values() != nullptr && decoder.values()->reads_chunks();
    const bool is_plain = !is_in_chunk && cdr::skip_plain_value(decoder, *type.node);
    if (!is_plain) {
      if (!is_in_chunk) decoder = start;
      content = decode_with_valuetypes(decoder, type);
    }
    if (!decoder.ok()) return;
    const std::size_t size = start.remaining() - decoder.remaining();
    decoder.charge(size);
    if (!decoder.ok()) return;
    if (is_plain) content = std::make_shared<EncodedValue>(start, size, *type.node);
  }
  if (!decoder.ok()) return;
  Access::set(decoded, *type.node, std::move(content), std::move(type.owner));
  any = std::move(decoded);
}

void replace_values(CORBA::Any& any, CopyValue copy) {
  const TypeKind kind = cdr::unaliased(Access::type(any)).kind;
  std::shared_ptr<const Content> content;
  if (is_valuetype(kind)) {
    const auto* const kept = dynamic_cast<const KeptValue*>(Access::content(any));
    if (kept == nullptr || !kept->value()) return;
    content = kept->with_value(ValueReference(copy(kept->value()._shared())));
  } else if (AbstractReference held; find_abstract(any, held)) {
    const ValueReference value = held._to_value();
    if (!value) return;
    content = std::make_shared<Value<AbstractReference>>(
        AbstractReference(dynamic_counted_cast<CORBA::AbstractBase>(copy(value._shared()))));
  } else if (const auto* const encoded = dynamic_cast<const EncodedValue*>(Access::content(any));
             encoded != nullptr && encoded->has_values()) {
    content = encoded->with_values(copy);
  } else {
    return;
  }
  Access::set(any, Access::type(any), std::move(content), Access::type_owner(any));
}

Content::~Content() = default;

bool decode_again(const Content& content, const TypeNode& type,
                  function_ref<void(Decoder&)> decode) {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder.set_code_sets(own_code_sets);
  const value::Writing written(encoder);
  content.encode(encoder, type);
  Decoder decoder(buffer.own_octets(), std::endian::native, 0, unlimited_memory);
  decoder.set_code_sets(own_code_sets);
  const value::Reading read(decoder);
  if (encoder.ok()) decode(decoder);
  return encoder.ok() && decoder.ok() && decoder.remaining() == 0;
}

void Access::set(CORBA::Any& any, const TypeNode& type, std::shared_ptr<const Content> content,
                 std::shared_ptr<const void> type_owner) {
  any.type_ = &type;
  any.type_owner_ = std::move(type_owner);
  any.content_ = std::move(content);
}

bool holds(const CORBA::Any& any, const TypeNode& type) {
  return cdr::equivalent(Access::type(any), type);
}

void insert_object(CORBA::Any& any, const TypeNode& type,
                   CORBA::object_reference<CORBA::Object> object) {
  using Kept = Value<CORBA::object_reference<CORBA::Object>>;
  Access::set(any, type, std::make_shared<Kept>(std::move(object)));
}

bool extract_object(const CORBA::Any& any, CORBA::object_reference<CORBA::Object>& object) {
  using Reference = CORBA::object_reference<CORBA::Object>;
  const TypeKind kind = cdr::unaliased(Access::type(any)).kind;
  if (kind != TypeKind::tk_objref && kind != TypeKind::tk_local_interface) return false;
  const Content& content = *Access::content(any);
  if (const void* found = content.find(&tag_of<Reference>)) {
    object = *static_cast<const Reference*>(found);
    return true;
  }
  return content.decode(Access::type(any), [&object](Decoder& decoder) { decoder >> object; });
}

void insert_value(CORBA::Any& any, const TypeNode& type, const ValueReference& value) {
  Access::set(any, type, std::make_shared<KeptValue>(value));
}

bool find_value(const CORBA::Any& any, ValueReference& value) {
  if (!is_valuetype(cdr::unaliased(Access::type(any)).kind)) return false;
  const void* const found = Access::content(any)->find(&tag_of<ValueReference>);
  if (found == nullptr) return false;
  value = *static_cast<const ValueReference*>(found);
  return true;
}

void insert_abstract(CORBA::Any& any, const TypeNode& type, AbstractReference reference) {
  Access::set(any, type, std::make_shared<Value<AbstractReference>>(std::move(reference)));
}

bool find_abstract(const CORBA::Any& any, AbstractReference& reference) {
  if (cdr::unaliased(Access::type(any)).kind != TypeKind::tk_abstract_interface) return false;
  const void* const found = Access::content(any)->find(&tag_of<AbstractReference>);
  if (found == nullptr) return false;
  reference = *static_cast<const AbstractReference*>(found);
  return true;
}

CORBA::Any make_enumerator(const TypeNode& type, std::shared_ptr<const void> type_owner,
                           std::int64_t enumerator) {
  CORBA::Any any;
  Access::set(any, type, std::make_shared<Enumerator>(enumerator), std::move(type_owner));
  return any;
}

}  // namespace perigee::any

namespace CORBA {
inline namespace perigee_v1 {

using perigee::any::Access;
using perigee::cdr::TypeKind;
using perigee::cdr::TypeRef;

Any::Any() noexcept : type_(&perigee::any::null_type) {}

object_reference<TypeCode> Any::type() const {
  return object_reference<TypeCode>(perigee::make_counted<TypeCode>(type_, type_owner_));
}

void Any::type(const object_reference<TypeCode>& type) {
  if (!type || !perigee::cdr::equivalent(*type_, *type->_node()))
    throw BAD_TYPECODE(0, COMPLETED_NO, "not equivalent to the type of the any's value");
  type_ = type->_node();
  type_owner_ = type->_owner();
}

bool Any::has_value() const noexcept {
  const TypeKind kind = perigee::cdr::unaliased(*type_).kind;
  return kind != TypeKind::tk_null && kind != TypeKind::tk_void;
}

void Any::swap(Any& other) noexcept {
  std::swap(type_, other.type_);
  type_owner_.swap(other.type_owner_);
  content_.swap(other.content_);
  std::swap(basic_, other.basic_);
}

bool operator==(const Any& a, const Any& b) {
  if (!perigee::cdr::equivalent(*a.type_, *b.type_)) return false;
  if (a.content_ != nullptr && a.content_ == b.content_) return true;
  perigee::any::Comparable mine;
  perigee::any::Comparable its;
  return perigee::any::encode_for_comparison(mine, a) &&
         perigee::any::encode_for_comparison(its, b) && mine == its;
}

std::string _text_of(const Any& any) {
  return "any of " + perigee::cdr::to_text(Access::type(any));
}

perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, const Any& any) {
  perigee::cdr::encode_type(encoder, Access::type(any));
  if (encoder.ok()) perigee::any::encode_value(encoder, any);
  return encoder;
}

perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, Any& any) {
  any.reset();
  TypeRef type = perigee::cdr::decode_type(decoder);
  if (decoder.ok()) perigee::any::decode_value(decoder, std::move(type), any);
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA
