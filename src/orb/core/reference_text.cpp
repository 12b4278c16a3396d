// References as text (`IOR:`, `corbaloc:`, `corbaname:`, `file:`) and by name (initial references).
// One table maps schemes to functions.
#include "orb/core/orb_core.h"
#include "orb/references/corbaname.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/printable.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/stub.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace perigee::orb {

using CORBA::object_reference;
using Object = CORBA::Object;

namespace {

// A file may name another file, and an initial reference another initial reference. This limits the
// chain.
constexpr int indirections_max = 8;
constexpr std::size_t reference_file_size_max = 128 * 1024;

// One resolution for a caller. It counts the indirections.
struct Resolution {
  OrbCore& core;
  int indirections_left = indirections_max;
};

[[noreturn]] void raise_bad_text(iop::ReferenceError::Reason reason, const std::string& text) {
  throw CORBA::BAD_PARAM(omg_minor(static_cast<std::uint32_t>(reason)), CORBA::COMPLETED_NO, text);
}

object_reference<Object> from_ior(Resolution& resolution, std::string_view text) {
  auto ior = iop::parse_ior_string(text, resolution.core.settings().reference_limits);
  if (!ior) raise_bad_text(ior.error().reason, ior.error().text);
  return resolution.core.make_object(std::move(*ior));
}

// CORBA::InvalidName is a user exception, which string_to_object does not raise.
object_reference<Object> from_initial_reference(Resolution& resolution, const std::string& name) {
  try {
    return resolution.core.resolve_initial_reference(name);
  } catch (const CORBA::InvalidName&) {
    raise_bad_text(iop::ReferenceError::Reason::other,
                   "no initial reference is named '" + name + "'; -ORBInitRef names one");
  }
}

object_reference<Object> from_corbaloc(Resolution& resolution, std::string_view text) {
  const auto url = iop::parse_corbaloc(text);
  if (!url) raise_bad_text(url.error().reason, url.error().text);
  if (url->rir) {
    const std::string name(reinterpret_cast<const char*>(url->object_key.data()),
                           url->object_key.size());
    return from_initial_reference(resolution, name.empty() ? "NameService" : name);
  }
  iop::Ior ior;
  for (const iop::CorbalocAddress& address : url->addresses) {
    const transport::ProtocolFactory* factory = resolution.core.protocols().find(address.scheme);
    if (factory == nullptr)
      raise_bad_text(iop::ReferenceError::Reason::bad_address,
                     "no protocol has the scheme '" + address.scheme +
                         "' (without a scheme, write two colons: corbaloc::host:port/key)");
    ior.profiles.push_back(factory->make_profile(
        {address.scheme, address.address}, {address.major, address.minor, url->object_key, {}}));
  }
  return resolution.core.make_object(std::move(ior));
}

std::string read_reference_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    raise_bad_text(iop::ReferenceError::Reason::bad_specific,
                   "cannot read '" + path + "': " + std::generic_category().message(errno));
  std::string text(reference_file_size_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > reference_file_size_max)
    raise_bad_text(iop::ReferenceError::Reason::bad_specific,
                   "'" + path + "' is larger than " + std::to_string(reference_file_size_max) +
                       " octets, the limit for a file with a reference");
  const auto is_space = [](unsigned char character) { return std::isspace(character) != 0; };
  text.erase(text.begin(), std::ranges::find_if_not(text, is_space));
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

object_reference<Object> resolve_text(Resolution& resolution, const std::string& text);

// file:///path, file:/path and file:path.
object_reference<Object> from_file(Resolution& resolution, std::string_view text) {
  std::string_view path = text.substr(std::string_view("file:").size());
  if (path.starts_with("//")) path.remove_prefix(2);
  return resolve_text(resolution, read_reference_file(std::string(path)));
}

constexpr std::string_view not_found_id = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0";
constexpr stub::RaisedException naming_exceptions[] = {
    {not_found_id,
     [](cdr::Decoder&) {
       raise_bad_text(iop::ReferenceError::Reason::other, "corbaname: NotFound, no such name");
     }},
    {"IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0",
     [](cdr::Decoder&) {
       raise_bad_text(iop::ReferenceError::Reason::other, "corbaname: CannotProceed");
     }},
    {"IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0",
     [](cdr::Decoder&) {
       raise_bad_text(iop::ReferenceError::Reason::other, "corbaname: InvalidName");
     }},
};
constexpr stub::Operation resolve_operation{"resolve", stub::Operation::Kind::twoway,
                                            naming_exceptions};

// CosNaming::NamingContext::resolve.
object_reference<Object> resolve_name(const Object& context,
                                      const std::vector<NameComponent>& name) {
  object_reference<Object> found;
  stub::invoke(
      context, resolve_operation,
      [&](cdr::Encoder& encoder) {
        encoder.write(static_cast<std::uint32_t>(name.size()));
        for (const NameComponent& component : name) {
          encoder.write_string(component.id);
          encoder.write_string(component.kind);
        }
      },
      [&](cdr::Decoder& decoder) {
        if (auto reference = stub::decode_reference(decoder))
          found = object_reference<Object>(perigee::make_counted<Object>(std::move(reference)));
      });
  return found;
}

object_reference<Object> from_corbaname(Resolution& resolution, std::string_view text) {
  const auto url = parse_corbaname(text);
  if (!url) raise_bad_text(url.error().reason, url.error().text);
  auto context = resolve_text(resolution, url->corbaloc);
  if (url->name.empty()) return context;
  return resolve_name(*context, url->name);
}

struct Scheme {
  std::string_view prefix;
  object_reference<Object> (*resolve)(Resolution& resolution, std::string_view text);
};

constexpr Scheme schemes[] = {
    {"IOR:", from_ior},
    {"corbaloc:", from_corbaloc},
    {"corbaname:", from_corbaname},
    {"file:", from_file},
};

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

object_reference<Object> resolve_text(Resolution& resolution, const std::string& text) {
  if (resolution.indirections_left-- == 0)
    raise_bad_text(iop::ReferenceError::Reason::other,
                   "the reference leads through too many files and initial references");
  for (const Scheme& scheme : schemes)
    if (has_prefix(text, scheme.prefix)) return scheme.resolve(resolution, text);
  raise_bad_text(iop::ReferenceError::Reason::bad_scheme,
                 "a reference begins with IOR:, corbaloc:, corbaname: or file:, not with '" +
                     text.substr(0, 16) + "'");
}

// Initial references may be defined by each other. Each thread counts its own depth.
class ResolveDepth {
 public:
  ResolveDepth() {
    if (depth_ == indirections_max)
      raise_bad_text(iop::ReferenceError::Reason::other,
                     "an initial reference is defined by itself");
    ++depth_;
  }
  ~ResolveDepth() { --depth_; }
  ResolveDepth(const ResolveDepth&) = delete;
  ResolveDepth& operator=(const ResolveDepth&) = delete;

 private:
  static thread_local int depth_;
};
thread_local int ResolveDepth::depth_ = 0;

}  // namespace

object_reference<Object> OrbCore::string_to_object(const std::string& text) {
  Resolution resolution{*this};
  return resolve_text(resolution, text);
}

void OrbCore::add_initial_reference(const std::string& name, InitialFactory make) {
  const std::lock_guard lock(mutex_);
  initial_references_.insert_or_assign(name, InitialReference{std::move(make)});
}

namespace {

/// Resolves a URL of the settings. An error names its place in the configuration file.
object_reference<Object> from_settings(OrbCore& core, const std::string& url,
                                       const std::string& value) {
  try {
    return core.string_to_object(url);
  } catch (const CORBA::BAD_PARAM& exception) {
    throw CORBA::BAD_PARAM(exception.minor(), exception.completed(),
                           exception.detail() + core.settings().place_of(value));
  }
}

}  // namespace

object_reference<Object> OrbCore::resolve_initial_reference(const std::string& name) {
  check_running();
  const ResolveDepth depth;
  for (const auto& [known, url] : settings_.initial_references)
    if (known == name) return from_settings(*this, url, url);
  InitialFactory make;
  {
    const std::lock_guard lock(mutex_);
    if (const auto entry = initial_references_.find(name); entry != initial_references_.end())
      make = entry->second.make;
  }
  if (make) return make();
  if (!settings_.default_initial_reference.empty() && !name.empty())
    return from_settings(*this, settings_.default_initial_reference + "/" + name,
                         settings_.default_initial_reference);
  const std::string shown = printable(name);
  if (server_ == nullptr && (name == "RootPOA" || name == "INSPOA" || name == "omniINSPOA"))
    throw CORBA::InvalidName(shown +
                             " needs libperigee_server: link the program with Perigee::perigee "
                             "(pkg-config: perigee)");
  throw CORBA::InvalidName("no initial reference is named '" + shown + "'; '-ORBInitRef " + shown +
                           "=<reference>' names one");
}

void OrbCore::register_initial_reference(const std::string& name,
                                         const object_reference<Object>& object) {
  check_running();
  if (!object)
    throw CORBA::BAD_PARAM(omg_minor(27), CORBA::COMPLETED_NO,
                           "an initial reference must not be nil");
  const std::lock_guard lock(mutex_);
  if (name.empty()) throw CORBA::InvalidName("an initial reference needs a name");
  InitialReference reference{[object] { return object; }, /*is_registered=*/true};
  if (!initial_references_.try_emplace(name, std::move(reference)).second)
    throw CORBA::InvalidName("an initial reference is named '" + printable(name) + "' already");
}

object_reference<Object> OrbCore::unregister_initial_reference(const std::string& name) {
  check_running();
  InitialFactory make;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = initial_references_.find(name);
    if (entry == initial_references_.end() || !entry->second.is_registered)
      throw CORBA::InvalidName("the program did not register an initial reference '" +
                               printable(name) + "'");
    make = std::move(entry->second.make);
    initial_references_.erase(entry);
  }
  return make();
}

std::vector<std::string> OrbCore::initial_reference_names() const {
  std::vector<std::string> names;
  for (const auto& [name, url] : settings_.initial_references) names.push_back(name);
  const std::lock_guard lock(mutex_);
  for (const auto& [name, reference] : initial_references_)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace perigee::orb
