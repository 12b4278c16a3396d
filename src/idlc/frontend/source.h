// Source files, positions in them, and the interface through which the compiler reads files. Does
// not know the meaning of the text.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

namespace perigee::idlc {

/// One file of a compilation. Owned by the Model.
struct SourceFile {
  std::string path;  ///< as opened; "<builtin>/orb.idl" for a built-in text
  std::string
      include_name;  ///< as written in the first #include that named it; empty for the main file
  const SourceFile* includer = nullptr;  ///< the file with the first #include that named it
  std::uint32_t include_line = 0;        ///< the line of that #include
  /// The file named on the command line. In the output of a preprocessor, also its original file.
  bool is_main = false;
  bool is_direct = false;      ///< the main file itself includes it
  bool is_part = false;        ///< included only inside scopes of other files: has no C++ file
  bool is_builtin = false;     ///< a built-in text (orb.idl): the library has its C++ declarations
  bool is_renumbered = false;  ///< only #line names it: there is no text to show
  std::string text;            ///< the contents, for diagnostics
};

/// A position in a file. Lines and columns count from 1; a column counts octets.
struct Location {
  const SourceFile* file = nullptr;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Reads files for the compiler. Tests and fuzz targets use an implementation with files in memory.
class FileProvider {
 public:
  virtual ~FileProvider() = default;
  /// The whole file, or the reason why it cannot be read. A file of more than `size_max` octets
  /// is not read.
  virtual std::expected<std::string, std::string> read(const std::string& path,
                                                       std::size_t size_max) = 0;
};

/// Files of the operating system.
class SystemFiles final : public FileProvider {
 public:
  std::expected<std::string, std::string> read(const std::string& path,
                                               std::size_t size_max) override;
};

/// Files in memory, by exact path.
class MemoryFiles final : public FileProvider {
 public:
  void add(std::string path, std::string text) { files_[std::move(path)] = std::move(text); }
  std::expected<std::string, std::string> read(const std::string& path,
                                               std::size_t size_max) override;

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace perigee::idlc
