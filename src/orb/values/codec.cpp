// Codecs: values of anys as encapsulations. A program that uses none does not link this file.
#include "orb/values/any_value.h"
#include "orb/values/linked_reference.h"
#include "orb/values/local_exception.h"
#include "orb/values/reference_factory.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/code_set_registry.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/codec.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>

namespace IOP {
inline namespace perigee_v1 {

#define PERIGEE_DEFINE_CODEC_EXCEPTION(CLASS, NAME) \
  PERIGEE_DEFINE_LOCAL_EXCEPTION(CLASS::NAME, NAME, "IDL:omg.org/IOP/" #CLASS "/" #NAME ":1.0")

PERIGEE_DEFINE_CODEC_EXCEPTION(Codec, InvalidTypeForEncoding)
PERIGEE_DEFINE_CODEC_EXCEPTION(Codec, FormatMismatch)
PERIGEE_DEFINE_CODEC_EXCEPTION(Codec, TypeMismatch)
PERIGEE_DEFINE_CODEC_EXCEPTION(CodecFactory, UnknownEncoding)
#undef PERIGEE_DEFINE_CODEC_EXCEPTION

CodecFactory::UnsupportedCodeset::~UnsupportedCodeset() = default;
const char* CodecFactory::UnsupportedCodeset::_rep_id() const noexcept {
  return "IDL:omg.org/IOP/CodecFactory/UnsupportedCodeset:1.0";
}
const char* CodecFactory::UnsupportedCodeset::_name() const noexcept {
  return "UnsupportedCodeset";
}
void CodecFactory::UnsupportedCodeset::_raise() const { throw *this; }
void CodecFactory::UnsupportedCodeset::_encode(perigee::cdr::Encoder& encoder) const {
  encoder.write(codeset_);
}
void CodecFactory::UnsupportedCodeset::_describe(std::string& text) const {
  text.append(_rep_id()).append(" {codeset=").append(std::to_string(codeset_)).append("}");
}

Codec::~Codec() = default;
CodecFactory::~CodecFactory() = default;

}  // namespace perigee_v1
}  // namespace IOP

namespace perigee::orb {

namespace {

using cdr::ErrorKind;
using OctetSeq = std::vector<std::uint8_t>;

bool is_limit(ErrorKind kind) noexcept {
  return kind == ErrorKind::too_deep || kind == ErrorKind::too_large ||
         kind == ErrorKind::too_much_memory || kind == ErrorKind::memory_full;
}

/// Encapsulations of one version of GIOP. Keeps the ORB alive, whose references it may decode.
class EncapsulationCodec final : public IOP::Codec {
 public:
  EncapsulationCodec(std::shared_ptr<ReferenceFactory> orb, const cdr::Limits& limits,
                     cdr::CodeSets code_sets) noexcept
      : orb_(std::move(orb)), limits_(limits), code_sets_(code_sets) {}

  OctetSeq encode(const CORBA::Any& data) override {
    return encapsulate([&data](cdr::Encoder& encoder) { encoder << data; });
  }
  OctetSeq encode_value(const CORBA::Any& data) override {
    return encapsulate([&data](cdr::Encoder& encoder) { any::encode_value(encoder, data); });
  }
  CORBA::Any decode(const OctetSeq& data) override {
    Reader reader(*this, data);
    CORBA::Any any;
    reader.decoder >> any;
    reader.check();
    if (!reader.decoder.ok()) throw FormatMismatch();
    return any;
  }
  CORBA::Any decode_value(const OctetSeq& data,
                          const CORBA::object_reference<CORBA::TypeCode>& type) override {
    if (!type) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "nil TypeCode");
    Reader reader(*this, data);
    if (!reader.decoder.ok()) throw FormatMismatch();
    CORBA::Any any;
    any::decode_value(reader.decoder, {type->_node(), type->_owner()}, any);
    reader.check();
    if (!reader.decoder.ok()) throw TypeMismatch();
    return any;
  }

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  /// A decoder with the limits and the memory budget of the ORB.
  struct Reader {
    Reader(EncapsulationCodec& codec, const OctetSeq& data)
        : decoder(cdr::Decoder::from_encapsulation(std::as_bytes(std::span(data)), codec.limits_)) {
      decoder.set_code_sets(codec.code_sets_);
      decoder.set_environment(codec.orb_.get());
      decoder.set_decoded_memory(memory);
    }
    void check() const {
      if (is_limit(decoder.error().kind))
        raise_decode_error(decoder.error(), Sender::client, CORBA::COMPLETED_NO, "decoding");
    }
    cdr::DecodedMemory memory;
    cdr::Decoder decoder;
  };

  template <typename WriteContents>
  OctetSeq encapsulate(WriteContents&& write_contents) const {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, std::endian::native);
    encoder.set_code_sets(code_sets_);
    encoder.write_boolean(std::endian::native == std::endian::little);
    write_contents(encoder);
    check(encoder.error());
    const Octets octets = buffer.flatten();
    OctetSeq made(octets.size());
    std::ranges::transform(octets, made.begin(), std::to_integer<std::uint8_t>);
    return made;
  }
  static void check(const cdr::Error& error) {
    switch (error.kind) {
      case ErrorKind::none:
        return;
      case ErrorKind::local_object:
      case ErrorKind::no_code_set:
      case ErrorKind::not_in_version:
      case ErrorKind::not_supported:
        throw InvalidTypeForEncoding();
      default:
        raise_encode_error(error, Sender::client, CORBA::COMPLETED_NO);
    }
  }

  const std::shared_ptr<ReferenceFactory> orb_;  // shared with references
  const cdr::Limits limits_;
  cdr::CodeSets code_sets_;
};

class EncapsulationCodecFactory final : public IOP::CodecFactory {
 public:
  EncapsulationCodecFactory(std::shared_ptr<ReferenceFactory> orb, const cdr::Limits& limits,
                            cdr::CharSet native) noexcept
      : orb_(std::move(orb)), limits_(limits), native_(native) {}

  CORBA::object_reference<IOP::Codec> create_codec(const IOP::Encoding& encoding) override {
    check(encoding);
    return create(code_sets_of(encoding.minor_version()));
  }

  CORBA::object_reference<IOP::Codec> create_codec_with_codesets(
      const IOP::Encoding_1_2& encoding) override {
    check(encoding);
    cdr::CodeSets code_sets = code_sets_of(encoding.minor_version());
    const auto chars = cdr::char_set_of(encoding.char_codeset());
    if (!chars) throw UnsupportedCodeset(encoding.char_codeset());
    code_sets.chars = *chars;
    if (code_sets.wide != cdr::WideSet::none) {
      const auto wide = cdr::wide_set_of(encoding.wchar_codeset());
      if (!wide) throw UnsupportedCodeset(encoding.wchar_codeset());
      code_sets.wide = *wide;
    }
    return create(code_sets);
  }

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  template <typename AnyEncoding>
  static void check(const AnyEncoding& encoding) {
    const bool is_known = encoding.format() == IOP::ENCODING_CDR_ENCAPS &&
                          encoding.major_version() == 1 && encoding.minor_version() <= 2;
    if (!is_known) throw UnknownEncoding();
  }
  [[nodiscard]] cdr::CodeSets code_sets_of(std::uint8_t giop_minor) const noexcept {
    cdr::CodeSets code_sets{.native = native_, .giop_minor = giop_minor};
    if (giop_minor == 0) code_sets.wide = cdr::WideSet::none;
    return code_sets;
  }
  [[nodiscard]] CORBA::object_reference<IOP::Codec> create(const cdr::CodeSets& code_sets) const {
    return CORBA::object_reference<IOP::Codec>(
        make_counted<EncapsulationCodec>(orb_, limits_, code_sets));
  }

  const std::shared_ptr<ReferenceFactory> orb_;  // shared with references
  const cdr::Limits limits_;
  const cdr::CharSet native_;
};

const LinkedReference codec_factory("CodecFactory", [](LinkedReference::Orb orb) {
  return CORBA::object_reference<CORBA::Object>(
      make_counted<EncapsulationCodecFactory>(std::move(orb.references), orb.limits, orb.native));
});

}  // namespace

}  // namespace perigee::orb
