// Writes dependency files for make and ninja.
#include "idlc/program/program.h"

namespace perigee::idlc {

namespace {

/// Escapes a name for GNU make: spaces, # and : get a backslash, $ is doubled.
std::string escaped(const std::string& path) {
  std::string result;
  for (const char character : path) {
    if (character == ' ' || character == '#' || character == ':') result += '\\';
    if (character == '$') result += '$';
    result += character;
  }
  return result;
}

}  // namespace

std::string make_rule(const std::vector<std::string>& targets,
                      const std::vector<std::string>& dependencies) {
  std::string rule;
  for (const std::string& target : targets) rule += (rule.empty() ? "" : " ") + escaped(target);
  rule += ':';
  for (const std::string& dependency : dependencies) rule += " \\\n  " + escaped(dependency);
  rule += '\n';
  for (std::size_t index = 1; index < dependencies.size(); ++index)
    rule += '\n' + escaped(dependencies[index]) + ":\n";
  return rule;
}

}  // namespace perigee::idlc
