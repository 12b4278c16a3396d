// The data of tagged components and service contexts. All of them are encapsulations.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace perigee::iop {

namespace {

constexpr std::size_t conversions_max = 64;
constexpr std::uint8_t giop_lite_version = 1;
constexpr std::size_t component_size_min = 8;  // a tag and a length

void write_list(cdr::Encoder& encoder, const CodeSetList& list) {
  encoder.write(list.native);
  encoder.write_length(list.conversions.size());
  encoder.write_array(std::span<const std::uint32_t>(list.conversions));
}

void read_list(cdr::Decoder& decoder, CodeSetList& list) {
  list.native = decoder.read<std::uint32_t>();
  const std::size_t count = decoder.read_length(sizeof(std::uint32_t));
  if (count > conversions_max) return decoder.fail(cdr::ErrorKind::too_large);
  list.conversions.resize(count);
  decoder.read_array(std::span<std::uint32_t>(list.conversions));
}

template <typename Value>
std::expected<Value, cdr::Error> checked(const cdr::Decoder& decoder, Value&& value) {
  if (!decoder.ok()) return std::unexpected(decoder.error());
  return std::forward<Value>(value);
}

}  // namespace

const TaggedComponent* find_component(std::span<const TaggedComponent> components,
                                      std::uint32_t tag) noexcept {
  const auto found = std::ranges::find(components, tag, &TaggedComponent::tag);
  return found == components.end() ? nullptr : &*found;
}

TaggedComponent encode_orb_type(std::uint32_t orb_type) {
  return {tag_orb_type,
          cdr::encode_encapsulation(
              std::endian::native, [orb_type](cdr::Encoder& encoder) { encoder.write(orb_type); })};
}

TaggedComponent encode_code_sets(const CodeSetInfo& info) {
  return {tag_code_sets,
          cdr::encode_encapsulation(std::endian::native, [&info](cdr::Encoder& encoder) {
            write_list(encoder, info.for_char);
            write_list(encoder, info.for_wchar);
          })};
}

TaggedComponent encode_alternate_address(const AlternateAddress& address) {
  return {tag_alternate_iiop_address,
          cdr::encode_encapsulation(std::endian::native, [&address](cdr::Encoder& encoder) {
            encoder.write_string(address.host);
            encoder.write(address.port);
          })};
}

TaggedComponent encode_giop_lite() {
  return {tag_giop_lite, cdr::encode_encapsulation(std::endian::native, [](cdr::Encoder& encoder) {
            encoder.write(giop_lite_version);
          })};
}

TaggedComponent encode_omniorb_unix_address(const OmniorbUnixAddress& address) {
  return {tag_omniorb_unix_address,
          cdr::encode_encapsulation(std::endian::native, [&address](cdr::Encoder& encoder) {
            encoder.write_string(address.host);
            encoder.write_string(address.path);
          })};
}

TaggedComponent encode_ssl_address(const SslAddress& address) {
  return {tag_ssl_sec_trans,
          cdr::encode_encapsulation(std::endian::native, [&address](cdr::Encoder& encoder) {
            encoder.write(address.supports);
            encoder.write(address.needs);
            encoder.write(address.port);
          })};
}

Octets encode_code_set_context(const CodeSetContext& context) {
  return cdr::encode_encapsulation(std::endian::native, [&context](cdr::Encoder& encoder) {
    encoder.write(context.char_data);
    encoder.write(context.wchar_data);
  });
}

void encode_remaining_time(std::span<std::byte, remaining_time_size> data,
                           std::uint64_t microseconds) noexcept {
  std::ranges::fill(data, std::byte{0});
  data[0] = std::byte{std::endian::native == std::endian::little};
  std::memcpy(&data[8], &microseconds, sizeof microseconds);
}

std::optional<std::uint64_t> decode_remaining_time(OctetSpan data) noexcept {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  const auto microseconds = decoder.read<std::uint64_t>();
  return decoder.ok() ? std::optional(microseconds) : std::nullopt;
}

std::expected<std::uint32_t, cdr::Error> decode_orb_type(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  auto orb_type = decoder.read<std::uint32_t>();
  return checked(decoder, std::move(orb_type));
}

std::expected<CodeSetInfo, cdr::Error> decode_code_sets(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  CodeSetInfo info;
  read_list(decoder, info.for_char);
  read_list(decoder, info.for_wchar);
  return checked(decoder, std::move(info));
}

std::expected<AlternateAddress, cdr::Error> decode_alternate_address(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  AlternateAddress address;
  decoder.read_string(address.host);
  address.port = decoder.read<std::uint16_t>();
  return checked(decoder, std::move(address));
}

bool decode_giop_lite(OctetSpan data) noexcept {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  const auto version = decoder.read<std::uint8_t>();
  return decoder.ok() && version == giop_lite_version;
}

std::expected<OmniorbUnixAddress, cdr::Error> decode_omniorb_unix_address(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  OmniorbUnixAddress address;
  decoder.read_string(address.host);
  decoder.read_string(address.path);
  return checked(decoder, std::move(address));
}

std::expected<SslAddress, cdr::Error> decode_ssl_address(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  SslAddress address;
  address.supports = decoder.read<std::uint16_t>();
  address.needs = decoder.read<std::uint16_t>();
  address.port = decoder.read<std::uint16_t>();
  return checked(decoder, std::move(address));
}

std::expected<CodeSetContext, cdr::Error> decode_code_set_context(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  CodeSetContext context;
  context.char_data = decoder.read<std::uint32_t>();
  context.wchar_data = decoder.read<std::uint32_t>();
  return checked(decoder, std::move(context));
}

void encode_components(cdr::Encoder& encoder, std::span<const TaggedComponent> components) {
  encoder.write_length(components.size());
  for (const TaggedComponent& component : components) {
    encoder.write(component.tag);
    encoder.write_length(component.data.size());
    encoder.write_octets(component.data);
  }
}

void decode_components(cdr::Decoder& decoder, std::vector<TaggedComponent>& components,
                       const IorLimits& limits) {
  const std::size_t count = decoder.read_length(component_size_min);
  if (count > limits.components_max) return decoder.fail(cdr::ErrorKind::too_large);
  components.reserve(count);
  for (std::size_t index = 0; index < count && decoder.ok(); ++index) {
    const auto tag = decoder.read<std::uint32_t>();
    const OctetSpan data = decoder.read_octet_sequence();
    components.push_back({tag, Octets(data.begin(), data.end())});
  }
}

}  // namespace perigee::iop
