// Names the parts of references, and describes their contents.
#include "parts.h"

#include "describe.h"
#include <perigee/cdr/code_set_registry.h>
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/security_mechanisms.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace perigee::tool {

namespace {

struct Name {
  std::uint32_t value;
  std::string_view name;
};

// Source: OMG standard tags; TAO's and omniORB's own (TAO ORB_Constants.h, omniORB minorCode.h).
constexpr std::array profile_names{
    Name{0, "IIOP"},
    Name{1, "MULTIPLE_COMPONENTS"},
    Name{transport::tag_perigee_local, "Perigee UIOP"},
    Name{transport::tag_perigee_shared_memory, "Perigee SHMIOP"},
    Name{0x54414f00, "TAO UIOP"},
    Name{0x54414f02, "TAO SHMIOP"},
    Name{0x54414f04, "TAO DIOP"},
};
constexpr std::array component_names{
    Name{0, "ORB_TYPE"},
    Name{1, "CODE_SETS"},
    Name{2, "POLICIES"},
    Name{3, "ALTERNATE_IIOP_ADDRESS"},
    Name{5, "COMPLETE_OBJECT_KEY"},
    Name{6, "ENDPOINT_ID_POSITION"},
    Name{12, "LOCATION_POLICY"},
    Name{20, "SSL_SEC_TRANS"},
    Name{iop::tag_security_mechanisms, "CSI_SEC_MECH_LIST"},
    Name{iop::tag_giop_lite, "Perigee's GIOPlite"},
    Name{iop::tag_omniorb_unix_address, "omniORB UNIX_TRANS"},
    Name{transport::tag_perigee_place, "Perigee's place of a socket"},
};
constexpr std::array orb_names{
    Name{0x41545400, "omniORB"},
    Name{0x54414f00, "TAO"},
    Name{0x4a414300, "JacORB"},
    Name{0x50474500, "Perigee"},
};
constexpr std::array wide_set_names{
    Name{0x00010109, "UTF-16"},
    Name{0x00010100, "UCS-2"},
    Name{0x00010106, "UCS-4"},
};

template <std::size_t size>
std::string_view find_name(const std::array<Name, size>& names, std::uint32_t value) {
  const auto* const found =
      std::ranges::find_if(names, [value](const Name& name) { return name.value == value; });
  return found == names.end() ? std::string_view("unknown") : found->name;
}

std::string hexadecimal(std::uint32_t value) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

/// The name and number of a code set; "unknown" if the ORB does not convert it. Several numbers may
/// stand for one wide code set; they have the same name.
std::string code_set(std::uint32_t id) {
  const auto chars = cdr::char_set_of(id);
  const auto wide = cdr::wide_set_of(id);
  const std::string name =
      chars ? cdr::name_of(*chars)
            : std::string(find_name(wide_set_names, wide ? cdr::registry_number(*wide) : id));
  return name + " (" + hexadecimal(id) + ")";
}

std::string describe(const iop::CodeSetList& list) {
  if (list.native == 0 && list.conversions.empty()) return "none";
  std::string text = code_set(list.native);
  for (std::size_t i = 0; i < list.conversions.size(); ++i)
    text += (i == 0 ? ", converts " : ", ") + code_set(list.conversions[i]);
  return text;
}

std::string describe_orb_type(OctetSpan data) {
  const auto orb = iop::decode_orb_type(data);
  if (!orb) return {};
  return std::string(find_name(orb_names, *orb)) + " (" + hexadecimal(*orb) + ")";
}

std::string describe_code_sets(OctetSpan data) {
  const auto info = iop::decode_code_sets(data);
  if (!info) return {};
  return "char " + describe(info->for_char) + "; wchar " + describe(info->for_wchar);
}

std::string describe_alternate_address(OctetSpan data) {
  const auto alternate = iop::decode_alternate_address(data);
  return alternate ? address(alternate->host, alternate->port) : std::string();
}

std::string describe_omniorb_unix_address(OctetSpan data) {
  const auto decoded = iop::decode_omniorb_unix_address(data);
  return decoded ? local_address(decoded->host, decoded->path) : std::string();
}

/// Names of AssociationOption bits, with commas between; "nothing" if none is set.
std::string describe_association(std::uint16_t options) {
  constexpr Name names[] = {{iop::no_protection, "no protection"},
                            {iop::integrity, "integrity"},
                            {iop::confidentiality, "confidentiality"},
                            {iop::detect_replay, "replay detection"},
                            {iop::detect_misordering, "misordering detection"},
                            {iop::establish_trust_in_target, "trust in the server"},
                            {iop::establish_trust_in_client, "trust in the client"}};
  std::string text;
  for (const Name& name : names)
    if ((options & name.value) != 0) text.append(text.empty() ? "" : ", ").append(name.name);
  return text.empty() ? "nothing" : text;
}

std::string describe_ssl_address(OctetSpan data) {
  const auto ssl = iop::decode_ssl_address(data);
  if (!ssl) return {};
  return "TLS at port " + std::to_string(ssl->port) + "; provides " +
         describe_association(ssl->supports) + "; requires " + describe_association(ssl->needs);
}

std::string describe_mechanisms(OctetSpan data) {
  const auto addresses = iop::decode_tls_addresses(data);
  if (!addresses) return {};
  std::string text;
  for (const auto& tls : *addresses)
    text += (text.empty() ? "TLS at " : "; TLS at ") + address(tls.host, tls.port) + "; provides " +
            describe_association(tls.supports) + "; requires " + describe_association(tls.needs);
  return text.empty() ? "no address of TLS" : text;
}

}  // namespace

std::string_view profile_name(std::uint32_t tag) { return find_name(profile_names, tag); }
std::string_view component_name(std::uint32_t tag) { return find_name(component_names, tag); }

std::string address(std::string_view host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string_view::npos;
  const std::string shown = printable(host);
  return (is_v6 ? "[" + shown + "]" : shown) + ":" + std::to_string(port);
}

std::string local_address(std::string_view host, std::string_view path) {
  return printable(path) + " on " + (host.empty() ? "(no host)" : printable(host));
}

std::string component_contents(const iop::TaggedComponent& component) {
  switch (component.tag) {
    case iop::tag_orb_type:
      return describe_orb_type(component.data);
    case iop::tag_code_sets:
      return describe_code_sets(component.data);
    case iop::tag_alternate_iiop_address:
      return describe_alternate_address(component.data);
    case iop::tag_giop_lite:
      return iop::decode_giop_lite(component.data) ? "version 1" : "";
    case iop::tag_omniorb_unix_address:
      return describe_omniorb_unix_address(component.data);
    case iop::tag_ssl_sec_trans:
      return describe_ssl_address(component.data);
    case iop::tag_security_mechanisms:
      return describe_mechanisms(component.data);
    default:
      return {};
  }
}

// The parser of corbalocs knows the escapes.
std::expected<iop::ObjectKey, std::string> parse_key(const std::string& text) {
  auto parsed = iop::parse_corbaloc("corbaloc::h:1/" + text);
  if (!parsed) return std::unexpected(parsed.error().text);
  return std::move(parsed->object_key);
}

std::uint16_t tls_port(std::span<const iop::TaggedComponent> components) {
  const auto* const component = iop::find_component(components, iop::tag_ssl_sec_trans);
  if (component == nullptr) return 0;
  const auto ssl = iop::decode_ssl_address(component->data);
  return ssl ? ssl->port : std::uint16_t{0};
}

// Empty if a corbaloc cannot contain the host.
std::string corbaloc(const iop::IiopProfile& profile) {
  const std::uint16_t secured = profile.port == 0 ? tls_port(profile.components) : std::uint16_t{0};
  const std::string text = std::string(secured != 0 ? "corbaloc:ssliop:" : "corbaloc:iiop:") +
                           std::to_string(profile.major) + "." + std::to_string(profile.minor) +
                           "@" + address(profile.host, secured != 0 ? secured : profile.port) +
                           "/" + iop::escape_key(profile.object_key);
  return iop::parse_corbaloc(text) ? text : std::string();
}

bool is_local(std::uint32_t profile_tag) {
  return profile_tag == transport::tag_perigee_local ||
         profile_tag == transport::tag_perigee_shared_memory;
}

std::expected<LocalProfile, cdr::Error> decode_local(iop::TaggedProfile profile) {
  const bool is_shared_memory = profile.tag == transport::tag_perigee_shared_memory;
  profile.tag = transport::tag_perigee_local;
  auto body = transport::make_local_codec()->decode(profile, {});
  if (!body) return std::unexpected(body.error());
  return LocalProfile{std::move(*body), is_shared_memory ? "shmiop" : "uiop"};
}

// In a corbaloc, '|' ends a path.
std::string corbaloc(const LocalProfile& body) {
  const std::string text = "corbaloc:" + std::string(body.scheme) + ":" +
                           std::to_string(body.major) + "." + std::to_string(body.minor) + "@" +
                           body.address + (body.address.starts_with('/') ? "|" : "/") +
                           iop::escape_key(body.object_key);
  const auto parsed = iop::parse_corbaloc(text);
  const bool same = parsed && parsed->addresses.size() == 1 &&
                    parsed->addresses.front().address == body.address &&
                    parsed->object_key == body.object_key;
  return same ? text : std::string();
}

std::string why_out_of_reach(iop::TaggedProfile profile, transport::Endpoint endpoint) {
  if (profile.tag == transport::tag_perigee_shared_memory) {
    profile.tag = transport::tag_perigee_local;
    endpoint.scheme = "uiop";
  }
  return transport::why_not_here(profile, endpoint);
}

}  // namespace perigee::tool
