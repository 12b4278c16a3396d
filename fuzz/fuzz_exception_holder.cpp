// Exception holders, which other processes send to reply handlers. The first octet selects the byte
// order, and the position at which the holder begins. An accepted holder contains an exception, and
// must be unchanged after it has been encoded and decoded again.
#include "require.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/ami.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace perigee;
using fuzz::require;
using HolderRef = CORBA::object_reference<Messaging::ExceptionHolder>;

constexpr stub::Operation operation{"f", stub::Operation::Kind::twoway, {}};

HolderRef decode(cdr::Decoder& decoder) {
  HolderRef holder;
  decoder >> stub::HolderToFill{holder, operation};
  require(decoder.ok() || !holder);
  return holder;
}

/// Raises the exception of the holder, which must be a system exception. Returns its repository id
/// and minor code.
std::string raised(const HolderRef& holder) {
  try {
    holder->raise_exception();
  } catch (const CORBA::SystemException& exception) {
    return exception._rep_id() + std::to_string(exception.minor());
  }
}

void forward(const HolderRef& holder, std::endian order, std::size_t start) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order, cdr::Encoder::Borrowing::no, start);
  encoder << holder;
  require(encoder.ok());
  Octets octets(start);
  const Octets written = buffer.flatten();
  octets.insert(octets.end(), written.begin(), written.end());
  cdr::Decoder again(octets, order, start);
  const HolderRef copy = decode(again);
  require(copy && again.remaining() == 0 && raised(copy) == raised(holder));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t start = (data[0] >> 1) & 7u;
  const std::endian order = (data[0] & 1) != 0 ? std::endian::big : std::endian::little;
  cdr::Decoder decoder(octets, order, start);
  const HolderRef holder = decode(decoder);
  if (!holder) return 0;
  for (const std::endian each : {std::endian::little, std::endian::big})
    forward(holder, each, start);
  return 0;
}
