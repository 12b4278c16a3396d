// Codecs: encapsulations from the network. The first octet selects the version of GIOP and the kind
// of the other octets: an any, a value of a known type, or a TypeCode and a value of its type. A
// decoded value may take 8 times the size of the octets plus `uncharged_max`. It must be equal
// after it was encoded and decoded again.
#include "heap.h"
#include "require.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/codec.h>
#include <perigee/orb/orb.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using fuzz::allocated;
using fuzz::require;
using fuzz::uncharged_max;
using CodecRef = CORBA::object_reference<IOP::Codec>;
using TypeRef = CORBA::object_reference<CORBA::TypeCode>;
using OctetSeq = std::vector<std::uint8_t>;

/// One codec for each version of GIOP. Their ORB allows no memory beyond 8 times the octets.
struct Codecs {
  Codecs() {
    std::vector<std::string> options = {"fuzz_codec", "-ORBDecodedSizeMax", "0", "-ORBTraceLevel",
                                        "off"};
    orb = CORBA::ORB_init(options, "fuzz");
    const auto factory =
        IDL::traits<IOP::CodecFactory>::narrow(orb->resolve_initial_references("CodecFactory"));
    for (std::uint8_t minor = 0; minor < of_versions.size(); ++minor)
      of_versions[minor] = factory->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, minor});
  }
  CORBA::object_reference<CORBA::ORB> orb;
  std::array<CodecRef, 3> of_versions;
};

template <typename T>
TypeRef type_of() {
  return CORBA::TypeCodeConstant(&any::Traits<T>::type);
}

const std::vector<TypeRef>& types() {
  static const std::vector<TypeRef> all{
      CORBA::_tc_long,
      CORBA::_tc_longdouble,
      CORBA::_tc_char,
      CORBA::_tc_wchar,
      CORBA::_tc_string,
      CORBA::_tc_wstring,
      CORBA::_tc_any,
      CORBA::_tc_TypeCode,
      CORBA::_tc_Object,
      CORBA::_tc_TCKind,
      type_of<std::vector<std::string>>(),
      type_of<std::vector<CORBA::Any>>(),
      type_of<std::vector<std::vector<std::wstring>>>(),
  };
  return all;
}

/// Runs `action`. False: the octets or the value were refused, by one of the documented exceptions.
template <typename Action>
bool accepts(Action action) {
  try {
    action();
    return true;
  } catch (const IOP::Codec::FormatMismatch&) {
  } catch (const IOP::Codec::TypeMismatch&) {
  } catch (const IOP::Codec::InvalidTypeForEncoding&) {
  } catch (const CORBA::IMP_LIMIT&) {
  }
  return false;
}

/// A value that was decoded from `size` octets, and the memory that it takes.
template <typename Decode>
bool decode_within_budget(CORBA::Any& any, std::size_t size, Decode decode) {
  const std::size_t before = allocated();
  const bool is_decoded = accepts([&] { any = decode(); });
  require(allocated() <= before + 8 * size + uncharged_max);
  return is_decoded;
}

/// Values that are too large for a comparison are not equal to themselves.
void require_equal(const CORBA::Any& copy, const CORBA::Any& any) {
  require(copy == any || !(any == any));
}

void try_any(IOP::Codec& codec, const OctetSeq& octets) {
  CORBA::Any any;
  if (!decode_within_budget(any, octets.size(), [&] { return codec.decode(octets); })) return;
  OctetSeq encoded;
  if (!accepts([&] { encoded = codec.encode(any); })) return;
  CORBA::Any copy;
  if (!accepts([&] { copy = codec.decode(encoded); })) return;
  require_equal(copy, any);
}

void try_value(IOP::Codec& codec, const OctetSeq& octets, const TypeRef& type) {
  CORBA::Any any;
  const auto decode = [&](const OctetSeq& from) { return codec.decode_value(from, type); };
  if (!decode_within_budget(any, octets.size(), [&] { return decode(octets); })) return;
  require(any.type()->equal(type));
  OctetSeq encoded;
  if (!accepts([&] { encoded = codec.encode_value(any); })) return;
  CORBA::Any copy;
  if (!accepts([&] { copy = decode(encoded); })) return;
  require_equal(copy, any);
}

/// The first octet is the size of an encapsulation with a TypeCode, in units of 4 octets. The value
/// follows it.
void try_foreign_type(IOP::Codec& codec, const OctetSeq& octets) {
  if (octets.empty()) return;
  const std::size_t size = std::min<std::size_t>(octets.size() - 1, 4 * std::size_t{octets[0]});
  const auto value = octets.begin() + 1 + static_cast<std::ptrdiff_t>(size);
  CORBA::Any any;
  const auto decode = [&] {
    return codec.decode_value(OctetSeq(octets.begin() + 1, value), CORBA::_tc_TypeCode);
  };
  if (!decode_within_budget(any, size, decode)) return;
  TypeRef type;
  require(any >>= type);
  try_value(codec, OctetSeq(value, octets.end()), type);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Codecs codecs;
  if (size == 0) return 0;
  const OctetSeq octets(data + 1, data + size);
  IOP::Codec& codec = *codecs.of_versions[(data[0] & 15u) % codecs.of_versions.size()];
  const std::size_t choice = data[0] >> 4;
  if (choice < types().size())
    try_value(codec, octets, types()[choice]);
  else if (choice == types().size())
    try_foreign_type(codec, octets);
  else
    try_any(codec, octets);
  return 0;
}
