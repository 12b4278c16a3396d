// Writes the lines of an IDL text, with #pragma ID and #pragma prefix: CORBA 3.0, 10.7.5.
#include "remote/idl_output.h"

#include "remote/type_text.h"
#include <perigee/base/printable.h>

#include <algorithm>

namespace perigee::tool {

void IdlOutput::enter(const std::vector<std::string>& modules, const std::string& prefix) {
  const std::string& wanted =
      modules.empty() ? prefix : prefixes_.try_emplace(modules.front(), prefix).first->second;
  if (wanted != prefix_) {
    leave(0);
    directive("#pragma prefix " + quoted(wanted));
    prefix_ = wanted;
  }
  const auto common =
      static_cast<std::size_t>(std::ranges::mismatch(modules_, modules).in1 - modules_.begin());
  leave(common);
  for (std::size_t index = common; index < modules.size(); ++index) {
    begin("module " + escaped(modules[index]) + " {");
    modules_.push_back(modules[index]);
  }
}

void IdlOutput::leave(std::size_t module_count) {
  for (; modules_.size() > module_count; modules_.pop_back()) end("};");
}

void IdlOutput::line(std::string_view text) {
  text_.append(2 * depth_, ' ').append(text).push_back('\n');
}

void IdlOutput::begin(std::string_view text) {
  line(text);
  ++depth_;
}

void IdlOutput::end(std::string_view text) {
  --depth_;
  line(text);
}

void IdlOutput::directive(std::string_view text) { text_.append(text).push_back('\n'); }

std::string IdlOutput::take() {
  leave(0);
  return std::move(text_);
}

std::string quoted(const std::string& id) {
  const bool is_plain = std::ranges::all_of(id, [](char octet) {
    return octet >= ' ' && octet < '\x7f' && octet != '"' && octet != '\\';
  });
  if (!is_plain)
    throw DescriptionError("the Interface Repository has the repository id \"" + printable(id) +
                           "\", which IDL cannot write");
  return '"' + id + '"';
}

}  // namespace perigee::tool
