// Valuetypes from the network: graphs with sharing and cycles, chunks, truncation, values in anys,
// references to abstract interfaces. The first octet selects the byte order, the position of the
// first octet, and whether cycles are refused. A message has a value and a list of values. Accepted
// values must have the same octets after they were written, read and written again. One type is
// custom. If cycles are refused, no value may stay in memory after the message is dropped. Structs
// are then also extracted from the anys of accepted values. A struct in an any may have the id of a
// known type, but other members.
#include "orb/values/reference_factory.h"
#include "require.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/data_streams.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/value.h>
#include <perigee/orb/value_marshalling.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using fuzz::require;

using ValueReference = CORBA::valuetype_reference<CORBA::ValueBase>;

/// A value that may be a part of every graph.
class Link : public virtual CORBA::ValueBase {
 public:
  static constexpr std::string_view _type_id = "IDL:Link:1.0";
  static constexpr value::Description description{_type_id};

  [[nodiscard]] const value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override {
    encoder << number << next << text << others << any;
  }
  void _unmarshal(cdr::Decoder& decoder) override {
    decoder >> number >> next >> text >> others >> any;
  }
  virtual void clear() {
    next.reset();
    others.clear();
    any.reset();
  }

  std::uint16_t number = 0;
  ValueReference next;
  std::string text;
  std::vector<ValueReference> others;
  CORBA::Any any;
};

/// Can be truncated to a Link.
class Long final : public Link {
 public:
  static constexpr std::string_view _type_id = "IDL:Long:1.0";
  static constexpr value::Description description{_type_id, &Link::description};

  [[nodiscard]] const value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override {
    Link::_marshal(encoder);
    encoder << numbers << last;
  }
  void _unmarshal(cdr::Decoder& decoder) override {
    Link::_unmarshal(decoder);
    decoder >> numbers >> last;
  }
  void clear() override {
    Link::clear();
    last.reset();
  }

  std::vector<double> numbers;
  CORBA::valuetype_reference<Link> last;
};

/// Reads and writes its state through streams.
class Own final : public Link, public virtual CORBA::CustomMarshal {
 public:
  static constexpr std::string_view _type_id = "IDL:Own:1.0";
  static constexpr value::Description description{_type_id, nullptr, true};

  [[nodiscard]] const value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override { CustomMarshal::_marshal(encoder); }
  void _unmarshal(cdr::Decoder& decoder) override {
    if (!_unmarshal_custom(decoder)) Link::_unmarshal(decoder);
  }
  void marshal(CORBA::DataOutputStream::_ref_type os) override {
    os->write_any(any);
    os->write_ulong(static_cast<std::uint32_t>(longs.size()));
    os->write_longlong_array(longs, 0, static_cast<std::uint32_t>(longs.size()));
    os->write_Value(next);
    os->write_string(text);
  }
  void unmarshal(CORBA::DataInputStream::_ref_type is) override {
    any = is->read_any();
    longs.clear();
    is->read_longlong_array(longs, 0, is->read_ulong());
    next = is->read_Value();
    text = is->read_string();
  }

  CORBA::LongLongSeq longs;
};

/// Supports an abstract interface, and refers to values and objects that do.
class Part final : public Link, public virtual CORBA::AbstractBase {
 public:
  static constexpr std::string_view _type_id = "IDL:Part:1.0";
  static constexpr value::Description description{_type_id, &Link::description};

  [[nodiscard]] const value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override {
    Link::_marshal(encoder);
    encoder << part << parts;
  }
  void _unmarshal(cdr::Decoder& decoder) override {
    Link::_unmarshal(decoder);
    decoder >> part >> parts;
  }
  void clear() override {
    Link::clear();
    part.reset();
    parts.clear();
  }

  CORBA::abstract_reference<CORBA::AbstractBase> part;
  std::vector<CORBA::abstract_reference<CORBA::AbstractBase>> parts;
};

/// The values that the factories have made for a message.
using Made = std::vector<CORBA::weak_valuetype_reference<Link>>;

template <typename T>
class Factory final : public CORBA::ValueFactoryBase {
 public:
  explicit Factory(Made& made) : made_(made) {}
  ValueReference create_for_unmarshal() override {
    const CORBA::valuetype_reference<T> value = CORBA::make_reference<T>();
    made_.emplace_back(value);
    return value;
  }

 private:
  Made& made_;
};

struct Contents {
  ValueReference value;
  std::vector<ValueReference> values;
};

/// The type of Contents. A struct of a message may have this id and other members.
constexpr cdr::TypeMember struct_members[] = {
    {"value", &cdr::value_base_node}, {"values", &cdr::sequence_node<cdr::value_base_node>}};
constexpr cdr::TypeNode struct_type{
    .kind = cdr::TypeKind::tk_struct, .id = "IDL:S:1.0", .name = "S", .members = struct_members};

enum class Cycles : std::uint8_t { accepted, refused };

/// Has factories for the four types. Its destructor ends the cycles of the values.
class Environment final : public orb::ReferenceFactory {
 public:
  explicit Environment(Cycles cycles = Cycles::accepted) {
    accepts_value_cycles_ = cycles == Cycles::accepted;
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& value : made_)
      if (const auto link = value.lock()) link->clear();
  }
  counted_ptr<orb::Reference> make_reference(iop::Ior /*ior*/) override { return nullptr; }
  [[nodiscard]] const iop::IorLimits& reference_limits() const noexcept override { return limits_; }
  [[nodiscard]] CORBA::ValueFactory find_value_factory(std::string_view id) override {
    if (id == Link::_type_id) return link_;
    if (id == Own::_type_id) return own_;
    if (id == Part::_type_id) return part_;
    return id == Long::_type_id ? long_ : nullptr;
  }
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override {
    return std::shared_ptr<ReferenceFactory>(life_, this);
  }
  /// Extracts a struct with values from each any of a value.
  void extract_structs() const {
    const Made known = made_;  // extracted values are added to made_
    for (const auto& each : known)
      if (const auto link = each.lock()) extract_struct(link->any);
  }
  [[nodiscard]] bool has_values() const {
    return std::ranges::any_of(made_, [](const auto& value) { return !value.expired(); });
  }

 private:
  static void extract_struct(const CORBA::Any& any) try {
    if (!any::holds(any, struct_type)) return;
    any::Access::content(any)->decode(struct_type, [](cdr::Decoder& decoder) {
      Contents contents;
      decoder >> contents.value >> contents.values;
    });
  } catch (const CORBA::SystemException&) {
    return;  // too much memory
  }

  iop::IorLimits limits_;
  std::shared_ptr<int> life_ = std::make_shared<int>(0);  // anys refer to it, but do not own it
  Made made_;
  CORBA::ValueFactory link_ = CORBA::make_reference<Factory<Link>>(made_);
  CORBA::ValueFactory long_ = CORBA::make_reference<Factory<Long>>(made_);
  CORBA::ValueFactory part_ = CORBA::make_reference<Factory<Part>>(made_);
  CORBA::ValueFactory own_ = CORBA::make_reference<Factory<Own>>(made_);
};

/// False if the message is refused.
bool read(Environment& environment, OctetSpan octets, std::endian order, std::size_t start,
          Contents& contents) {
  cdr::Decoder decoder(octets, order, start);
  decoder.set_environment(&environment);
  try {
    const value::Reading reading(decoder);
    decoder >> contents.value >> contents.values;
  } catch (const CORBA::SystemException&) {
    return false;  // the stream of a custom value has raised it
  }
  return decoder.ok();
}

/// Empty if the values cannot be written, for example because a text has too many octets.
Octets write(const Contents& contents, std::endian order, std::size_t start) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order, cdr::Encoder::Borrowing::no, start);
  {
    value::Writing writing(encoder);
    encoder << contents.value << contents.values;
  }
  if (!encoder.ok()) return {};
  Octets octets(start);
  const Octets written = buffer.flatten();
  octets.insert(octets.end(), written.begin(), written.end());
  return octets;
}

/// Compares the octets of the second copy with those of the third. In the first copy, an any may
/// keep padding of the message.
void check_copy(const Contents& contents, std::endian order, std::size_t start) {
  Environment environment;
  Contents copy;
  // Written values may be larger than the message, which had indirections in TypeCodes.
  const Octets first = write(contents, order, start);
  if (first.empty() || !read(environment, first, order, start, copy)) return;
  const Octets second = write(copy, order, start);
  Contents again;
  require(read(environment, second, order, start, again));
  require(write(again, order, start) == second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t start = (data[0] >> 1) & 7u;
  const std::endian order = (data[0] & 1) != 0 ? std::endian::big : std::endian::little;
  const Cycles cycles = (data[0] & 16) != 0 ? Cycles::refused : Cycles::accepted;
  Environment environment(cycles);
  Contents contents;
  if (!read(environment, octets, order, start, contents)) return 0;
  if (cycles == Cycles::refused) {
    environment.extract_structs();
    contents = {};
    require(!environment.has_values());
    return 0;
  }
  for (const std::endian each : {std::endian::little, std::endian::big})
    check_copy(contents, each, start);
  return 0;
}
