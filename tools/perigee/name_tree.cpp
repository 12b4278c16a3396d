// Exports a tree of names as JSON, and imports it.
#include "name_tree.h"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace perigee::tool {

namespace {

using CosNaming::Binding;
using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NamingContext;
using nlohmann::json;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

constexpr const char* format_name = "perigee names";
constexpr int format_version = 1;
// Naming services limit the components of a name, too.
constexpr std::size_t depth_max = 100;

NamingContextRef to_context(const ObjectRef& object) {
  return IDL::traits<NamingContext>::unchecked_narrow(object);
}

Name joined(Name outer, const Name& inner) {
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

/// JSON can contain only UTF-8.
void check_text(const Name& name) {
  for (const auto& component : name) try {
      (void)json({component.id(), component.kind()}).dump();
    } catch (const json::type_error&) {
      throw NamingFailure{name_text(name) + ": the name is not UTF-8, and JSON cannot contain it"};
    }
}

class Export {
 public:
  Export(CORBA::ORB& orb, std::size_t bindings_max) : orb_(orb), bindings_left_(bindings_max) {}

  /// `depth`: the number of contexts around this context.
  json bindings_of(const NamingContextRef& context, const Name& path, std::size_t depth) {
    if (depth >= depth_max)
      throw NamingFailure{name_text(path) + ": the contexts are nested deeper than " +
                          std::to_string(depth_max)};
    met_.emplace(orb_.object_to_string(context), path);
    const CosNaming::BindingList bindings = all_bindings(context, bindings_left_);
    bindings_left_ -= bindings.size();
    json list = json::array();
    for (const Binding& binding : bindings) {
      check_size(binding, path);
      list.push_back(to_json(context, binding, joined(path, binding.binding_name()), depth));
    }
    return list;
  }

 private:
  /// A hostile service may return names of any size.
  static void check_size(const Binding& binding, const Name& path) {
    const std::size_t size = binding.binding_name().size();
    if (size != 1)
      throw NamingFailure{"the context '" + name_text(path) + "' has a binding with a name of " +
                          std::to_string(size) + " components; it must have one component"};
  }

  json to_json(const NamingContextRef& context, const Binding& binding, const Name& path,
               std::size_t depth) {
    check_text(path);
    const auto& last = path.back();
    json result{{"id", last.id()}, {"kind", last.kind()}};
    ObjectRef object;
    explain_exceptions(name_text(path), [&] { object = context->resolve(binding.binding_name()); });
    const std::string reference = orb_.object_to_string(object);
    if (binding.binding_type() == BindingType::nobject) {
      result["reference"] = reference;
    } else if (const auto met = met_.find(reference); met != met_.end()) {
      result["same_as"] = met->second.empty() ? "" : name_text(met->second);
    } else {
      add_context(result, to_context(object), reference, path, depth);
    }
    return result;
  }

  void add_context(json& result, const NamingContextRef& context, const std::string& reference,
                   const Name& path, std::size_t depth) {
    try {
      result["bindings"] = bindings_of(context, path, depth + 1);
    } catch (const CORBA::SystemException& exception) {
      std::cerr << "perigee name: " << name_text(path)
                << ": only the reference of the context is exported: " << exception.what() << '\n';
      result["context_reference"] = reference;
    }
  }

  CORBA::ORB& orb_;
  std::size_t bindings_left_;        // until the limit
  std::map<std::string, Name> met_;  // the contexts, by their references
};

[[noreturn]] void wrong(const std::string& place, const std::string& what) {
  throw NamingFailure{place + ": " + what};
}

void check_bindings(const json& bindings, const std::string& place, std::size_t depth) {
  if (!bindings.is_array()) wrong(place, "must be a list");
  if (depth > depth_max) wrong(place, "is nested deeper than " + std::to_string(depth_max));
  for (std::size_t index = 0; index < bindings.size(); ++index) {
    const json& binding = bindings[index];
    const std::string here = place + '[' + std::to_string(index) + ']';
    if (!binding.is_object()) wrong(here, "must be an object");
    for (const char* member : {"id", "kind"})
      if (!binding.contains(member) || !binding[member].is_string())
        wrong(here + '.' + member, "must be text");
    std::size_t targets = 0;
    for (const char* member : {"reference", "same_as", "context_reference"}) {
      if (!binding.contains(member)) continue;
      ++targets;
      if (!binding[member].is_string()) wrong(here + '.' + member, "must be text");
    }
    if (binding.contains("bindings")) {
      ++targets;
      check_bindings(binding["bindings"], here + ".bindings", depth + 1);
    }
    if (targets != 1)
      wrong(here, "must have one of reference, bindings, same_as and context_reference");
  }
}

void check_tree(const json& tree) {
  if (!tree.is_object() || tree.value("format", json()) != format_name)
    wrong("format", std::string("must be \"") + format_name + "\": this is not an export of names");
  if (tree.value("version", json()) != format_version)
    wrong("version", "must be " + std::to_string(format_version));
  check_bindings(tree.value("bindings", json()), "bindings", 1);
}

class Import {
 public:
  Import(CORBA::ORB& orb, NamingContextRef root, OnExisting existing)
      : orb_(orb), root_(std::move(root)), existing_(existing) {}

  void add_bindings(const json& bindings, const Name& path) {
    for (const json& binding : bindings) {
      Name name = path;
      name.emplace_back(binding["id"].get<std::string>(), binding["kind"].get<std::string>());
      explain_exceptions(name_text(name), [&] { add(binding, name); });
    }
  }

  /// Binds contexts to their further names. Called after all contexts have been made.
  void add_links() {
    for (const auto& [name, target] : links_)
      explain_exceptions(name_text(name), [&] { add_context(name, context_named(target)); });
  }

  [[nodiscard]] const ImportCounts& counts() const { return counts_; }

 private:
  void add(const json& binding, const Name& name) {
    if (binding.contains("reference")) return add_object(name, binding["reference"]);
    if (binding.contains("same_as")) {
      links_.emplace_back(name, binding["same_as"].get<std::string>());
      return;
    }
    if (binding.contains("context_reference"))
      return add_context(name, to_context(orb_.string_to_object(binding["context_reference"])));
    try {
      (void)root_->bind_new_context(name);
      ++counts_.contexts;
    } catch (const NamingContext::AlreadyBound&) {
      require_context(name);
    }
    add_bindings(binding["bindings"], name);
  }

  /// Looks up a name inside `name`. The inner name need not be bound: the reason in the service's
  /// exception tells whether `name` is a context.
  void require_context(const Name& name) {
    try {
      (void)root_->resolve(joined(name, {name.back()}));
    } catch (const NamingContext::NotFound& exception) {
      if (exception.why() == NamingContext::NotFoundReason::not_context)
        throw NamingFailure{name_text(name) + ": this is an object, but must be a context"};
    }
  }

  void add_object(const Name& name, const std::string& reference) {
    const ObjectRef object = orb_.string_to_object(reference);
    if (existing_ == OnExisting::replace)
      root_->rebind(name, object);
    else
      root_->bind(name, object);
    ++counts_.objects;
  }

  void add_context(const Name& name, const NamingContextRef& context) {
    try {
      root_->bind_context(name, context);
    } catch (const NamingContext::AlreadyBound&) {
      if (root_->resolve(name)->_is_equivalent(context)) return;
      if (existing_ != OnExisting::replace) throw;
      root_->rebind_context(name, context);
    }
  }

  NamingContextRef context_named(const std::string& text) {
    if (text.empty()) return root_;
    const auto converter = IDL::traits<CosNaming::NamingContextExt>::narrow(root_);
    if (!converter) throw NamingFailure{text + ": the naming service cannot convert names"};
    return to_context(root_->resolve(converter->to_name(text)));
  }

  CORBA::ORB& orb_;
  const NamingContextRef root_;
  const OnExisting existing_;
  std::vector<std::pair<Name, std::string>> links_;
  ImportCounts counts_;
};

std::string contents_of(const std::string& file) {
  std::ostringstream contents;
  if (file == "-") {
    contents << std::cin.rdbuf();
    return contents.str();
  }
  std::ifstream input(file, std::ios::binary);
  if (!input) wrong(file, "cannot be read: " + std::generic_category().message(errno));
  contents << input.rdbuf();
  return contents.str();
}

}  // namespace

json export_tree(CORBA::ORB& orb, const NamingContextRef& context, std::size_t bindings_max) {
  return {{"format", format_name},
          {"version", format_version},
          {"bindings", Export(orb, bindings_max).bindings_of(context, {}, 0)}};
}

json read_tree(const std::string& file) {
  const std::string contents = contents_of(file);
  try {
    json tree = json::parse(contents);
    check_tree(tree);
    return tree;
  } catch (const json::parse_error& error) {
    wrong(file, error.what());
  } catch (const NamingFailure& failure) {
    wrong(file, failure.text);
  }
}

ImportCounts import_tree(CORBA::ORB& orb, const NamingContextRef& context, const json& tree,
                         OnExisting existing) {
  Import import(orb, context, existing);
  import.add_bindings(tree["bindings"], {});
  import.add_links();
  return import.counts();
}

}  // namespace perigee::tool
