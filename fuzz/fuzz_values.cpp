// Valuetypes from outside: graphs with sharing and cycles, chunks, truncation, values in anys. The
// first octet selects the byte order and the position of the first octet. A message has a value and
// a list of values. Accepted values must have the same octets after they were written, read and
// written again. Values of a refused message must not stay in memory.
#include "orb/values/reference_factory.h"
#include "require.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/any.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/value.h>
#include <perigee/orb/value_marshalling.h>

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
  void clear() {
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

  std::vector<double> numbers;
  CORBA::valuetype_reference<Link> last;
};

/// The values of a message that have a class here.
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

/// Has factories for both types. Its destructor ends the cycles of the values.
class Environment final : public orb::ReferenceFactory {
 public:
  Environment() = default;
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
    return id == Long::_type_id ? long_ : nullptr;
  }
  [[nodiscard]] std::shared_ptr<ReferenceFactory> share() override { return nullptr; }

 private:
  iop::IorLimits limits_;
  Made made_;
  CORBA::ValueFactory link_ = CORBA::make_reference<Factory<Link>>(made_);
  CORBA::ValueFactory long_ = CORBA::make_reference<Factory<Long>>(made_);
};

struct Contents {
  ValueReference value;
  std::vector<ValueReference> values;
};

/// False if the message is refused.
bool read(Environment& environment, OctetSpan octets, std::endian order, std::size_t start,
          Contents& contents) {
  cdr::Decoder decoder(octets, order, start);
  decoder.set_environment(&environment);
  {
    value::Reading reading(decoder);
    decoder >> contents.value >> contents.values;
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

/// Compares with the second copy, since an any may keep the padding of the message in the first
/// one.
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
  Environment environment;
  Contents contents;
  if (!read(environment, octets, order, start, contents)) return 0;
  for (const std::endian each : {std::endian::little, std::endian::big})
    check_copy(contents, each, start);
  return 0;
}
