// Opens plug-ins of all kinds. A faulty plug-in is an error of loading; it does not end the
// process.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/plugin.h>

#include <expected>
#include <memory>
#include <string>
#include <utility>

namespace perigee::transport {

/// The error that the plug-in at `path` cannot be used, and why.
[[nodiscard]] PERIGEE_INTERNAL_API IoError unusable_plugin(const std::string& path,
                                                           const std::string& why);

/// A shared library that was opened. Closes it, unless `keep` is called.
class PERIGEE_INTERNAL_API PluginLibrary {
 public:
  /// `path`: see ProtocolRegistry::load. Errors: IoErrorKind::bad_plugin.
  [[nodiscard]] static std::expected<PluginLibrary, IoError> open(const std::string& path);

  /// The address of the function `symbol` that the library exports. Errors:
  /// IoErrorKind::bad_plugin, if the library does not export it, or if the symbol is not a
  /// function.
  [[nodiscard]] std::expected<void*, IoError> function(const char* symbol) const;
  /// Checks that the library was built for this ORB, and is linked with this copy of the ORB.
  /// Errors: IoErrorKind::bad_plugin, with the difference.
  [[nodiscard]] std::expected<void, IoError> check_fit(const char* build, const char* home) const;
  /// The library stays mapped until the process ends.
  void keep() noexcept { [[maybe_unused]] void* const mapped = library_.release(); }

 private:
  struct Unload {
    void operator()(void* library) const noexcept;
  };

  PluginLibrary(std::string path, void* library) noexcept
      : path_(std::move(path)), library_(library) {}

  std::string path_;
  std::unique_ptr<void, Unload> library_;
};

/// Opens the library, and calls its function `symbol`, which returns the description of the
/// plug-in. The library stays mapped until the process ends. Errors: IoErrorKind::bad_plugin, with
/// the reason.
///
/// The file may contain anything. The fields of the description are checked in order, and the check
/// stops at the first field that does not fit.
template <typename Description>
[[nodiscard]] std::expected<const Description*, IoError> load_plugin(const std::string& path,
                                                                     const char* symbol) {
  auto library = PluginLibrary::open(path);
  if (!library) return std::unexpected(library.error());
  const auto function = library->function(symbol);
  if (!function) return std::unexpected(function.error());
  const Description* const plugin = reinterpret_cast<const Description* (*)()>(*function)();
  if (plugin == nullptr || plugin->magic != Description::magic_number)
    return std::unexpected(
        unusable_plugin(path, "not a plug-in of this ORB, or made for another plug-in interface"));
  if (const auto fits = library->check_fit(plugin->build, plugin->home); !fits)
    return std::unexpected(fits.error());
  library->keep();  // pointers into the library may exist from now on, even after an error
  return plugin;
}

}  // namespace perigee::transport
