// Writes lambdas that own arguments.
// Local names have an underscore on both sides, or begin with one: IDL names cannot.
#include "idlc/backends/cpp11/sent_arguments.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

namespace perigee::idlc::cpp11 {

void write_sent_arguments(Writer& writer, const Callable& arguments, Taking taking) {
  if (!arguments.has_arguments()) return writer.write("{},");
  std::vector<std::string> captures;
  std::vector<std::string> values;
  for (const Parameter& parameter : arguments.parameters) {
    const std::string capture = "_in_" + parameter.name;
    const std::string name = cpp_name(parameter.name);
    const bool is_moved = taking == Taking::moved && !is_scalar(*parameter.type);
    captures.push_back(capture + " = " + (is_moved ? "std::move(" + name + ")" : name));
    values.push_back(capture);
  }
  if (!arguments.contexts.empty()) {
    captures.emplace_back("_in_context_ = std::move(_context_)");
    values.emplace_back("::perigee::stub::selected(_in_context_, _properties_)");
  }
  writer.list("[", captures, "](::perigee::cdr::Encoder& _encoder_) {");
  {
    const Indented body(writer);
    writer.chain(encoder_of(arguments, Passed::in_request, "_encoder_") + " << ", values, " << ");
  }
  writer.write("},");
}

}  // namespace perigee::idlc::cpp11
