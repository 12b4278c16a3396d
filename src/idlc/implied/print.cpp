// Writes implied declarations as plain IDL.
#include "idlc/frontend/lexer.h"
#include "idlc/implied/implied.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace perigee::idlc {
namespace {

/// The name, with an escape if it is a keyword.
std::string identifier(const std::string& name) {
  const auto is_same = [&](std::string_view word) { return lower_case(word) == lower_case(name); };
  return (std::ranges::any_of(keywords(IdlVersion::three), is_same) ? "_" : "") + name;
}

/// The same for a name like "::Stock::Quoter".
std::string scoped(const std::string& name) {
  std::string out;
  for (std::size_t start = 2; start <= name.size();) {
    const std::size_t end = std::min(name.find("::", start), name.size());
    out += "::" + identifier(name.substr(start, end - start));
    start = end + 2;
  }
  return out;
}

std::string type_text(const Type& type) {
  return type.declaration == nullptr ? to_text(type) : scoped(type.declaration->scoped_name);
}

template <typename T>
std::string names(const std::string& intro, const std::vector<const T*>& all) {
  std::string out;
  for (const T* each : all) out += (out.empty() ? intro : ", ") + scoped(each->scoped_name);
  return out;
}

/// Modules around a declaration, outermost first.
std::vector<std::string> modules_around(const Declaration& declaration) {
  std::vector<std::string> result;
  for (const auto* scope = declaration.parent; scope != nullptr; scope = scope->parent)
    result.insert(result.begin(), scope->name);
  return result;
}

/// The prefix of `#pragma prefix`: the part of the repository id in front of the scoped name.
std::string prefix_of(const Declaration& declaration) {
  std::string path = declaration.scoped_name.substr(2);
  for (std::size_t at = path.find("::"); at != std::string::npos; at = path.find("::", at))
    path.replace(at, 2, "/");
  const std::string& id = declaration.repository_id;
  const std::size_t at = id.find('/' + path + ':');
  return id.starts_with("IDL:") && at != std::string::npos && at > 4 ? id.substr(4, at - 4) : "";
}

class Printer final {
 public:
  std::string run(const Model& model, const ImpliedIdl& implied) {
    out_ = "#include \"" + std::filesystem::path(model.files.front().path).filename().string() +
           "\"\n";
    const auto is_ours = [](const auto& each) { return !each.origin->is_imported; };
    if (std::ranges::any_of(implied.ami, is_ours)) out_ += "#include <Messaging.idl>\n";
    for (const Ami& each : implied.ami)
      if (is_ours(each)) print(each);
    for (const Amh& each : implied.amh)
      if (is_ours(each)) print(each);
    leave();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    if (!text.empty()) out_.append(2 * depth_, ' ');
    out_ += text + '\n';
  }

  void leave() {
    while (depth_ > 0) {
      --depth_;
      line("};");
    }
  }

  /// Closes the open modules and opens these, unless they are the same.
  void enter(const std::vector<std::string>& modules, const std::string& prefix) {
    const bool is_there = modules == modules_ && prefix == prefix_;
    if (!is_there) leave();
    line("");
    if (is_there) return;
    if (prefix != prefix_) line("#pragma prefix \"" + prefix + "\"");
    for (const std::string& module : modules) {
      line("module " + identifier(module) + " {");
      ++depth_;
    }
    modules_ = modules;
    prefix_ = prefix;
  }

  void print(const Ami& ami) {
    enter(modules_around(*ami.origin), prefix_of(*ami.origin));
    line("// Asynchronous calls of " + ami.origin->name + '.');
    line("interface " + ami.handler->name + ';');
    if (ami.poller != nullptr) line("abstract valuetype " + ami.poller->name + ';');
    print(*ami.stub);
    print(*ami.handler);
    if (ami.poller != nullptr) print_poller(*ami.poller);
  }

  void print(const Amh& amh) {
    enter(modules_around(*amh.origin), prefix_of(*amh.origin));
    line("// Asynchronous servants for " + amh.origin->name + '.');
    line("local interface " + amh.handler->name + ';');
    line("valuetype " + amh.holder->name + ';');
    print(*amh.skeleton);
    print(*amh.handler);
    print_body("valuetype " + amh.holder->name, amh.holder->contents);
  }

  void print(const Interface& node) {
    print_body(
        (node.is_local ? "local interface " : "interface ") + node.name + names(" : ", node.bases),
        node.contents);
  }

  /// Abstract, since a poller has the pollers of several interfaces as bases.
  void print_poller(const Interface& poller) {
    const std::string bases =
        poller.bases.empty() ? " : ::Messaging::Poller" : names(" : ", poller.bases);
    print_body("abstract valuetype " + poller.name + bases, poller.contents);
  }

  void print_body(const std::string& head, const Declarations& contents) {
    line(head + " {");
    ++depth_;
    for (const Declaration* each : contents) print(*as<Operation>(each));
    --depth_;
    line("};");
  }

  void print(const Operation& node) {
    std::string text = (node.is_oneway ? "oneway " : "") + type_text(*node.return_type) + ' ' +
                       identifier(node.name) + '(';
    for (const Parameter& each : node.parameters) {
      const char* const direction = each.direction == Direction::in    ? "in "
                                    : each.direction == Direction::out ? "out "
                                                                       : "inout ";
      text += (&each == node.parameters.data() ? "" : ", ") + std::string(direction) +
              type_text(*each.type) + ' ' + identifier(each.name);
    }
    text += ')' + raises(node) + contexts(node) + ';';
    line(text);
  }

  static std::string raises(const Operation& node) {
    return node.raises.empty() ? "" : names(" raises (", node.raises) + ')';
  }

  static std::string contexts(const Operation& node) {
    std::string out;
    for (const std::string& each : node.contexts)
      out += (out.empty() ? " context (" : ", ") + to_text(Value{each});
    return out.empty() ? out : out + ')';
  }

  std::string out_;
  std::size_t depth_ = 0;
  std::vector<std::string> modules_;
  std::string prefix_;
};

}  // namespace

std::string print_implied_idl(const Model& model, const ImpliedIdl& implied) {
  return Printer().run(model, implied);
}

}  // namespace perigee::idlc
