// Indents the lines of generated files, and wraps long lines.
#include "idlc/backends/cpp11/writer.h"

namespace perigee::idlc::cpp11 {

std::string fill(std::string_view text, Substitutions substitutions) {
  std::string result(text);
  for (const auto& [name, value] : substitutions) {
    std::string place = "$";
    place.append(name).append("$");
    std::size_t at = 0;
    while ((at = result.find(place, at)) != std::string::npos) {
      result.replace(at, place.size(), value);
      at += value.size();
    }
  }
  return result;
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  std::string result;
  for (const std::string& item : items) {
    if (!result.empty()) result += separator;
    result += item;
  }
  return result;
}

void Writer::write(std::string_view text) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) text_.append(indentation_, ' ').append(line);
    text_ += '\n';
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void Writer::separate() {
  const bool is_block_start = text_.ends_with("{\n") || text_.ends_with(":\n");
  if (!text_.empty() && !is_block_start && !text_.ends_with("\n\n")) text_ += '\n';
}

void Writer::list(std::string_view head, const std::vector<std::string>& items,
                  std::string_view tail) {
  std::string line(head);
  line.append(join(items, ", ")).append(tail);
  if (fits(line) || items.empty()) return write(line);
  // Items are aligned after a bracket or colon. After a longer head they start a new line.
  const bool hangs = head.size() <= 2;
  line = hangs ? head : std::string_view();
  if (!hangs) write(head.ends_with(' ') ? head.substr(0, head.size() - 1) : head);
  std::size_t continuation = hangs ? 0 : 4;
  indent(continuation);
  for (std::size_t index = 0; index < items.size(); ++index) {
    std::string item = items[index];
    item.append(index + 1 == items.size() ? tail : std::string_view(","));
    if (index != 0 && !fits(line + " " + item)) {
      write(line);
      line.clear();
      if (hangs && continuation == 0) indent(continuation = head.size());
    } else if (index != 0) {
      line += ' ';
    }
    line += item;
  }
  write(line);
  dedent(continuation);
}

void Writer::chain(std::string_view head, const std::vector<std::string>& parts,
                   std::string_view separator) {
  std::string line(head);
  bool is_first_line = true;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    std::string part(index == 0 ? std::string_view() : separator);
    part += parts[index];
    if (index + 1 == parts.size()) part += ';';
    if (index != 0 && !fits(line + part)) {
      write(line);
      if (is_first_line) indent(4);
      is_first_line = false;
      line.clear();
      part.erase(0, part.find_first_not_of(' '));
    }
    line += part;
  }
  write(line);
  if (!is_first_line) dedent(4);
}

std::string Writer::take() {
  while (text_.ends_with("\n\n")) text_.pop_back();
  return std::move(text_);
}

void write_namespace(Writer& writer, const std::string& name, const std::string& contents) {
  if (contents.empty()) return;
  writer.separate();
  writer.write("namespace $name$ {\n\n", {{"name", name}});
  writer.write(contents);
  writer.separate();
  writer.write("}  // namespace $name$", {{"name", name}});
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
