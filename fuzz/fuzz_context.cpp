// The properties of a context in a request. The first octet selects the byte order, and the
// position at which they begin. Accepted properties must be found by their names, and must be
// unchanged after they were written and read again.
#include "require.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/context.h>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace perigee;
using fuzz::require;
using ContextRef = IDL::traits<CORBA::Context>::ref_type;

constexpr std::endian orders[] = {std::endian::little, std::endian::big};
constexpr std::string_view everything[] = {"*"};

ContextRef decode(cdr::Decoder& decoder) {
  ContextRef context;
  decoder >> context;
  require(decoder.ok() == static_cast<bool>(context));
  return context;
}

void find_each(CORBA::Context& context, const CORBA::ContextValues& values) {
  for (const auto& [name, value] : values)
    require(context.get_values("", 0, name).at(name) == value);
}

void forward(const ContextRef& context, const CORBA::ContextValues& values, std::endian order,
             std::size_t start) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order, cdr::Encoder::Borrowing::no, start);
  encoder << stub::selected(context, everything);
  require(encoder.ok());
  Octets octets(start);
  const Octets written = buffer.flatten();
  octets.insert(octets.end(), written.begin(), written.end());
  cdr::Decoder again(octets, order, start);
  const ContextRef copy = decode(again);
  require(copy && again.remaining() == 0 && copy->_select(everything) == values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t start = (data[0] >> 1) & 7u;
  cdr::Decoder decoder(octets, orders[data[0] & 1], start);
  const ContextRef context = decode(decoder);
  if (!context) return 0;
  const CORBA::ContextValues values = context->_select(everything);
  find_each(*context, values);
  for (const std::endian order : orders) forward(context, values, order, start);
  return 0;
}
