// Copies types, with or without names. Nodes of kind tk_recursive with the type's id become the
// copy itself. Each node is copied once, from a list instead of by recursion.
#include "cdr/type_arena.h"
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <unordered_map>
#include <utility>

namespace perigee::cdr {

namespace {

enum class Names { keep, drop };

class Copy final {
 public:
  Copy(Names names, TypeLimits limits) : names_(names), limits_(limits) {}

  TypeRef run(const TypeNode& type) {
    root_ = &type;
    const TypeNode* const root = copy_of(&type);
    for (std::size_t next = 0; next < copies_.size() && is_within_limit_; ++next)
      complete(*copies_[next]);
    if (!is_within_limit_) return {};
    return {root, std::move(arena_)};
  }

 private:
  /// The copy of the type. Until `complete`, it refers to the parts of the original.
  const TypeNode* copy_of(const TypeNode* type) {
    if (type == nullptr) return nullptr;
    if (type->kind == TypeKind::tk_recursive && may_recur(root_->kind) && type->id == root_->id)
      type = root_;
    const auto known = copied_.find(type);
    if (known != copied_.end()) return known->second;
    if (arena_->node_count >= limits_.nodes_max) {
      is_within_limit_ = false;
      return &basic_node<TypeKind::tk_null>;
    }
    TypeNode& copy = arena_->add(*type);
    copied_.emplace(type, &copy);
    copies_.push_back(&copy);
    return &copy;
  }

  void complete(TypeNode& copy) {
    copy.encapsulation = {};
    copy.id = text(copy.id);
    copy.name = names_ == Names::keep ? text(copy.name) : std::string_view();
    copy.content = copy_of(copy.content);
    copy.key = copy_of(copy.key);
    if (copy.members.empty()) return;
    std::vector<TypeMember> members(copy.members.begin(), copy.members.end());
    for (TypeMember& member : members) {
      member.name = names_ == Names::keep ? text(member.name) : std::string_view();
      member.type = copy_of(member.type);
    }
    copy.members = arena_->add(std::move(members));
  }

  std::string_view text(std::string_view original) {
    return original.empty() ? original : arena_->add(std::string(original));
  }

  Names names_;
  TypeLimits limits_;
  const TypeNode* root_ = nullptr;
  std::shared_ptr<TypeArena> arena_ = std::make_shared<TypeArena>();
  std::unordered_map<const TypeNode*, const TypeNode*> copied_;
  std::vector<TypeNode*> copies_;
  bool is_within_limit_ = true;
};

}  // namespace

TypeRef compact_copy(const TypeNode& type, TypeLimits limits) {
  return Copy(Names::drop, limits).run(type);
}

TypeRef deep_copy(const TypeNode& type, TypeLimits limits) {
  return Copy(Names::keep, limits).run(type);
}

}  // namespace perigee::cdr
