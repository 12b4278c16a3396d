// Finds the headers that a generated header includes, and clashes of their names.
#include "idlc/backends/cpp11/included_files.h"

#include "idlc/backends/cpp11/names.h"

#include <algorithm>
#include <map>

namespace perigee::idlc::cpp11 {

namespace {

Diagnostic clash(const SourceFile& file, const SourceFile& other, const SourceFile& main,
                 const FileNames& names) {
  Diagnostic result;
  // The first #include of the file may be in another file.
  result.location = {&main, file.includer == &main ? file.include_line : 0, 1};
  result.text = "the header of '" + file.include_name + "' would have the same name as that of " +
                (&other == &main ? "this file" : "'" + other.include_name + "'") + ", " +
                client_header(included_name(file, names), names);
  result.hint = names.keeps_include_path
                    ? "give one of the files another name"
                    : "--keep-include-path keeps the folders of #include in generated code";
  return result;
}

}  // namespace

std::vector<const SourceFile*> header_files(const Model& model) {
  std::vector<const SourceFile*> result;
  for (const SourceFile& file : model.files)
    if (file.is_direct && !file.is_builtin && !file.is_part) result.push_back(&file);
  return result;
}

std::string included_name(const SourceFile& file, const FileNames& names) {
  return names.keeps_include_path ? file.include_name : file_name(file.include_name);
}

std::vector<std::string> base_headers(const std::vector<const Interface*>& interfaces,
                                      const FileNames& names,
                                      std::string (*header_of)(const std::string& idl_path,
                                                               const FileNames& names)) {
  std::vector<std::string> result;
  for (const Interface* interface : interfaces) {
    for (const Interface* base : interface->bases) {
      if (!base->is_imported || base->is_abstract) continue;
      const std::string header = header_of(included_name(*base->unit, names), names);
      if (std::ranges::find(result, header) == result.end()) result.push_back(header);
    }
  }
  return result;
}

std::vector<Diagnostic> name_clashes(const Model& model, const FileNames& names) {
  std::vector<Diagnostic> result;
  const SourceFile& main = model.files.front();
  std::map<std::string, const SourceFile*> by_header;
  by_header.emplace(client_header(file_name(main.path), names), &main);
  for (const SourceFile* file : header_files(model)) {
    const std::string header = client_header(included_name(*file, names), names);
    const SourceFile& other = *by_header.emplace(header, file).first->second;
    // One file may be found by several paths.
    if (&other != file && other.text != file->text)
      result.push_back(clash(*file, other, main, names));
  }
  return result;
}

}  // namespace perigee::idlc::cpp11
