// Writes the two files of the server's side.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/skeletons.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// Calls `write(writer, interface)` for each interface of the main file that has a skeleton: not
/// for local and abstract interfaces. The interface's namespaces are open.
template <typename Write>
void write_skeletons(Writer& writer, const Declarations& declarations, const Write& write) {
  for (const Declaration* declaration : declarations) {
    if (declaration->is_imported) continue;
    if (const auto* module = as<Module>(declaration)) {
      Writer contents;
      write_skeletons(contents, module->contents, write);
      write_namespace(writer, cpp_name(*module), contents.take());
    }
    const auto* interface = as<Interface>(declaration);
    if (interface != nullptr && !interface->is_local && !interface->is_abstract) {
      writer.separate();
      write(writer, *interface);
    }
  }
}

/// The skeleton class and the tie, in the namespace of skeletons.
void declare_servant(Writer& writer, const SkeletonClass& skeleton);
/// `CORBA::servant_traits`.
void specialise_servant_traits(Writer& writer, const Interface& interface);

std::string server_header_text(const Model& model, const FileNames& names);
std::string server_source_text(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
