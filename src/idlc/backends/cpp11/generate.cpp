// The files of one IDL file.
#include "idlc/backends/cpp11/generate.h"

#include "idlc/backends/cpp11/any.h"
#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/server.h"
#include "idlc/backends/cpp11/support.h"

namespace perigee::idlc::cpp11 {

GenerateResult generate(const Model& model, const FileNames& names) {
  GenerateResult result;
  result.diagnostics = unsupported(model);
  if (result.ok() && names.with_any) result.diagnostics = unsupported_in_any(model);
  if (!result.ok()) return result;
  const std::vector<std::string> paths = output_names(model.files.front().path, names);
  result.files = {{paths[0], client_header_text(model, names)},
                  {paths[1], client_source_text(model, names)},
                  {paths[2], server_header_text(model, names)},
                  {paths[3], server_source_text(model, names)}};
  if (names.with_any) {
    result.files.push_back({paths[4], any_header_text(model, names)});
    result.files.push_back({paths[5], any_source_text(model, names)});
  }
  return result;
}

}  // namespace perigee::idlc::cpp11
