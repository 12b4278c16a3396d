// The rules by which code sets are chosen and announced.
#include "orb/context/code_sets.h"

#include <perigee/cdr/code_set_registry.h>

#include <algorithm>

namespace perigee::orb {

using cdr::CharSet;
using cdr::WideSet;

namespace {

// The code sets of a peer that announces none. CORBA 3.0, 13.10.2.6 and interop fact 32 of
// docs/interop.md.
constexpr CharSet silent_char = CharSet::iso_8859_1;
constexpr WideSet silent_wide = WideSet::none;

constexpr std::uint32_t utf_16_number = 0x00010109;

cdr::CodeSets unannounced(const CodeSetSettings& settings, std::uint8_t minor) noexcept {
  return {settings.native_char, settings.default_char.value_or(silent_char),
          settings.default_wide.value_or(silent_wide), minor};
}

template <typename Knows>
std::optional<std::uint32_t> first_known(const iop::CodeSetList& list, Knows&& knows) {
  if (knows(list.native)) return list.native;
  const auto found = std::ranges::find_if(list.conversions, knows);
  return found == list.conversions.end() ? std::nullopt : std::optional(*found);
}

/// The ORB converts from and to every code set that it knows. So the server's native code set comes
/// first if the ORB knows it. Then come the ORB's own code set, if the server converts it, and the
/// other code sets that the server converts. With -ORBPreferUtf8, UTF-8 comes before all of them if
/// it is the ORB's own code set and the server converts it: other code sets may lack characters.
std::optional<std::uint32_t> choose_char(const CodeSetSettings& settings,
                                         const iop::CodeSetList& server) {
  const CharSet native = settings.native_char;
  const std::uint32_t own = registry_number(native);
  const auto converts = [&server](std::uint32_t id) {
    return std::ranges::find(server.conversions, id) != server.conversions.end();
  };
  if (settings.prefer_utf_8 && native == CharSet::utf_8 && converts(own)) return own;
  if (cdr::char_set_of(server.native)) return server.native;
  if (converts(own)) return own;
  const auto known = first_known(server, [](std::uint32_t id) { return !!cdr::char_set_of(id); });
  if (known) return known;
  // The fallback of CORBA is UTF-8, for code sets that share characters. Only Unicode surely shares
  // characters with an unknown code set.
  if (native == CharSet::utf_8) return own;
  return std::nullopt;
}

/// The ORB's wide characters are Unicode. So UTF-16 is a fallback for every server that has wide
/// characters.
std::uint32_t choose_wide(const iop::CodeSetList& server) {
  const auto knows = [](std::uint32_t id) { return !!cdr::wide_set_of(id); };
  if (const auto known = first_known(server, knows)) {
    const bool has_utf_16 =
        std::ranges::find(server.conversions, utf_16_number) != server.conversions.end();
    return *known != server.native && has_utf_16 ? utf_16_number : *known;
  }
  return server.native == 0 && server.conversions.empty() ? 0 : utf_16_number;
}

/// For servers that announce no code sets, but whose code sets are set in the ORB's options.
CodeSetChoice configured(const CodeSetSettings& settings, std::uint8_t minor) {
  CodeSetChoice choice{unannounced(settings, minor), {}};
  if (!settings.default_char && !settings.default_wide) return choice;
  choice.announced = {registry_number(choice.code_sets.chars),
                      registry_number(choice.code_sets.wide)};
  return choice;
}

constexpr std::uint64_t packed(const iop::CodeSetContext& context) noexcept {
  return std::uint64_t{context.char_data} << 32 | context.wchar_data;
}

}  // namespace

iop::CodeSetInfo published_code_sets(const CodeSetSettings& settings) {
  iop::CodeSetInfo info;
  info.for_char.native = registry_number(settings.native_char);
  for (const CharSet set : {CharSet::utf_8, CharSet::iso_8859_1, CharSet::iso_8859_15})
    if (set != settings.native_char) info.for_char.conversions.push_back(registry_number(set));
  info.for_wchar.native = utf_16_number;
  return info;
}

std::optional<CodeSetChoice> choose_code_sets(const CodeSetSettings& settings,
                                              messaging::Version version,
                                              std::span<const iop::TaggedComponent> components) {
  // GIOP 1.0 has no code sets: no components (interop fact 45 of docs/interop.md), no contexts, no
  // wide characters.
  if (version.minor == 0) return CodeSetChoice{unannounced(settings, 0), {}};
  const iop::TaggedComponent* component = iop::find_component(components, iop::tag_code_sets);
  if (component == nullptr) return configured(settings, version.minor);
  const auto info = iop::decode_code_sets(component->data);
  if (!info) return configured(settings, version.minor);
  const auto chars = choose_char(settings, info->for_char);
  if (!chars) return std::nullopt;
  const std::uint32_t wide = choose_wide(info->for_wchar);
  CodeSetChoice choice;
  choice.code_sets = {settings.native_char, *cdr::char_set_of(*chars),
                      cdr::wide_set_of(wide).value_or(WideSet::none), version.minor};
  choice.announced = {*chars, wide};
  return choice;
}

void AnnouncedCodeSets::begin() noexcept { agreement_.code_sets.store(unannounced(settings_, 0)); }

// Another thread may not have stored the code sets of an earlier request yet. Then this request has
// the context, too: the client announces its code sets until it has the first reply.
std::expected<cdr::CodeSets, AnnouncedCodeSets::Problem> AnnouncedCodeSets::take(
    messaging::Version version, std::span<const iop::ServiceContext> contexts) noexcept {
  if (version.minor == 0) return unannounced(settings_, 0);
  std::expected<cdr::CodeSets, Problem> code_sets =
      agreement_.code_sets.load(std::memory_order_relaxed);
  const auto found =
      std::ranges::find(contexts, std::uint32_t{iop::context_code_sets}, &iop::ServiceContext::id);
  if (found != contexts.end()) code_sets = learn(found->data);
  if (code_sets) code_sets->giop_minor = version.minor;
  return code_sets;
}

std::expected<cdr::CodeSets, AnnouncedCodeSets::Problem> AnnouncedCodeSets::learn(
    OctetSpan octets) noexcept {
  const auto context = iop::decode_code_set_context(octets);
  if (!context) return std::unexpected(Problem::malformed);
  cdr::CodeSets code_sets = unannounced(settings_, 0);
  if (context->char_data != 0) {
    const auto chars = cdr::char_set_of(context->char_data);
    if (!chars) return std::unexpected(Problem::unknown);
    code_sets.chars = *chars;
  }
  if (context->wchar_data != 0) {
    const auto wide = cdr::wide_set_of(context->wchar_data);
    if (!wide) return std::unexpected(Problem::unknown);
    code_sets.wide = *wide;
  }
  std::uint64_t known = 0;
  if (!agreement_.code_set_numbers.compare_exchange_strong(known, packed(*context)) &&
      known != packed(*context))
    return std::unexpected(Problem::changed);
  agreement_.code_sets.store(code_sets);
  return code_sets;
}

}  // namespace perigee::orb
