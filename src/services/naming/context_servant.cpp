// The operations of CosNaming and of PerigeeNaming.
#include "services/naming/context_servant.h"

#include "services/naming/name_text.h"

#include <algorithm>
#include <utility>

namespace perigee::naming {

namespace {

using CosNaming::NamingContext;
using PerigeeNaming::LeasingContext;
using Outcome = ChangeResult::Outcome;
using Kind = Change::Kind;

Name rest_of(const Name& name, const Place& place) {
  return {name.begin() + static_cast<std::ptrdiff_t>(place.rest), name.end()};
}

/// A change of the last component of a name, in an own context.
Change change_of(Kind kind, const Place& place, const Name& name, WallTime now) {
  return {kind, place.context, {name.back().id(), name.back().kind()}, {}, never, now};
}

Components to_components(const Name& name) {
  Components components;
  for (const auto& component : name) components.push_back({component.id(), component.kind()});
  return components;
}

/// The data on which the exception of a failed change depends.
struct Attempt {
  ContextNumber context = root_context;
  TargetKind target = TargetKind::object;
};

/// A binding to a context outlives the context, if the context is destroyed first. If the name led
/// to such a context, the client's own context still exists.
[[noreturn]] void raise_no_context(const Tree& tree, const Attempt& attempt, const Name& name) {
  if (name.size() > 1)
    throw NamingContext::CannotProceed(
        IDL::traits<NamingContext>::unchecked_narrow(tree.reference_of(attempt.context)),
        Name{name.back()});
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO,
                                "the naming context has already been destroyed");
}

/// Raises the exception for an outcome other than `done`.
void check_outcome(const Tree& tree, const ChangeResult& result, const Attempt& attempt,
                   const Name& name) {
  switch (result.outcome) {
    case Outcome::done:
      return;
    case Outcome::already_bound:
      throw NamingContext::AlreadyBound();
    case Outcome::not_bound:
      raise_not_found(Reason::missing_node, name, name.size() - 1);
    case Outcome::wrong_sort:
      raise_not_found(
          attempt.target == TargetKind::object ? Reason::not_object : Reason::not_context, name,
          name.size() - 1);
    case Outcome::not_empty:
      throw NamingContext::NotEmpty();
    case Outcome::no_context:
      raise_no_context(tree, attempt, name);
    case Outcome::too_many:
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO,
                                "the store has as many contexts as its limit allows");
  }
}

/// Makes the change of the last component of `name`, or of a context if `name` is empty.
task<ChangeResult> make(Tree& tree, Change change, Name name) {
  const Attempt attempt{change.context, change.target.kind};
  const ChangeResult result = co_await tree.change(std::move(change));
  check_outcome(tree, result, attempt, name);
  co_return result;
}

}  // namespace

ContextServant::ContextServant(Tree& tree, Iterators& iterators,
                               IDL::traits<PortableServer::Current>::ref_type current,
                               std::optional<ContextNumber> context)
    : tree_(tree), iterators_(iterators), current_(std::move(current)), context_(context) {}

ContextNumber ContextServant::context() const {
  return context_ ? *context_ : tree_.number_of(current_->get_object_id());
}

Place ContextServant::place_of_change(const Name& name) {
  tree_.require_change();
  tree_.check(name);
  return tree_.walk(context(), name);
}

WallTime ContextServant::end_of_lease(std::uint32_t seconds) const {
  if (seconds == 0)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a lease needs a time of one second or more");
  return tree_.now() + WallTime{seconds} * 1000;
}

template <typename Interface, typename Call, typename Complete>
task<void> ContextServant::change_last(Name n, Kind kind, Call call, Complete complete) {
  const Place place = place_of_change(n);
  if (place.foreign) {
    Name rest = rest_of(n, place);
    auto sent = call(tree_.foreign<Interface>(place), rest);
    co_await tree_.forward(place, std::move(rest), std::move(sent));
    co_return;
  }
  Change change = change_of(kind, place, n, tree_.now());
  complete(change);
  co_await make(tree_, std::move(change), std::move(n));
}

task<void> ContextServant::bind(Name n, ObjectRef obj) {
  return change_last<NamingContext>(
      std::move(n), Kind::bind,
      [obj](const auto& to, const Name& rest) { return to->_async().bind(rest, obj); },
      [this, obj](Change& change) { change.target = tree_.object_target(obj); });
}

task<void> ContextServant::rebind(Name n, ObjectRef obj) {
  return change_last<NamingContext>(
      std::move(n), Kind::rebind,
      [obj](const auto& to, const Name& rest) { return to->_async().rebind(rest, obj); },
      [this, obj](Change& change) { change.target = tree_.object_target(obj); });
}

task<void> ContextServant::bind_context(Name n, ContextRef nc) {
  return change_last<NamingContext>(
      std::move(n), Kind::bind,
      [nc](const auto& to, const Name& rest) { return to->_async().bind_context(rest, nc); },
      [this, nc](Change& change) { change.target = tree_.context_target(nc); });
}

task<void> ContextServant::rebind_context(Name n, ContextRef nc) {
  return change_last<NamingContext>(
      std::move(n), Kind::rebind,
      [nc](const auto& to, const Name& rest) { return to->_async().rebind_context(rest, nc); },
      [this, nc](Change& change) { change.target = tree_.context_target(nc); });
}

task<ObjectRef> ContextServant::resolve(Name n) {
  const ContextNumber start = context();
  tree_.check(n);
  const Place place = tree_.walk(start, n);
  if (!place.foreign) co_return tree_.resolve_last(place, n).object;
  Name rest = rest_of(n, place);
  auto call = tree_.foreign<NamingContext>(place)->_async().resolve(rest);
  co_return co_await tree_.forward(place, std::move(rest), std::move(call));
}

task<void> ContextServant::unbind(Name n) {
  return change_last<NamingContext>(
      std::move(n), Kind::unbind,
      [](const auto& to, const Name& rest) { return to->_async().unbind(rest); },
      [](const Change&) {});
}

task<ContextRef> ContextServant::new_context() {
  tree_.require_change();
  Change change{.kind = Kind::make_context, .context = context(), .now = tree_.now()};
  const ChangeResult result = co_await make(tree_, std::move(change), Name());
  co_return IDL::traits<NamingContext>::unchecked_narrow(tree_.reference_of(result.made));
}

task<ContextRef> ContextServant::bind_new_context(Name n) {
  const Place place = place_of_change(n);
  if (place.foreign) {
    Name rest = rest_of(n, place);
    auto call = tree_.foreign<NamingContext>(place)->_async().bind_new_context(rest);
    co_return co_await tree_.forward(place, std::move(rest), std::move(call));
  }
  Change change = change_of(Kind::bind_new_context, place, n, tree_.now());
  const ChangeResult result = co_await make(tree_, std::move(change), std::move(n));
  co_return IDL::traits<NamingContext>::unchecked_narrow(tree_.reference_of(result.made));
}

task<void> ContextServant::destroy() {
  tree_.require_change();
  Change change{.kind = Kind::destroy_context, .context = context(), .now = tree_.now()};
  if (change.context == root_context)
    throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_NO, "the root context cannot be destroyed");
  co_await make(tree_, std::move(change), Name());
}

task<CosNaming::NamingContext_list_results> ContextServant::list(std::uint32_t how_many) {
  const ContextNumber listed = context();
  tree_.require_context(listed);
  const std::string client = services::name_of(tree_.client());
  tree_.begin_removal_of_expired();
  const std::size_t count = std::min<std::size_t>(how_many, tree_.options().limits.page_max);
  Page page = read_page(tree_.store(), listed, nullptr, count, tree_.now());
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  if (page.has_more) {
    Position position{listed, {}, page.bindings.empty()};
    if (!page.bindings.empty()) {
      const auto& last = page.bindings.back().binding_name().front();
      position.after = {last.id(), last.kind()};
    }
    rest = iterators_.make(std::move(position), client);
  }
  co_return CosNaming::NamingContext_list_results(std::move(page.bindings), std::move(rest));
}

task<std::string> ContextServant::to_string(Name n) {
  tree_.check(n);
  std::string text = to_text(to_components(n));
  if (text.size() > tree_.options().limits.text_size_max)
    raise_limit("the name as text has too many octets", tree_.options().limits.text_size_max);
  co_return text;
}

Name ContextServant::name_of_text(const std::string& text) const {
  const std::size_t limit = tree_.options().limits.text_size_max;
  if (text.size() > limit) raise_limit("the name as text has too many octets", limit);
  auto components = parse_text(text);
  if (!components) throw NamingContext::InvalidName();
  Name name;
  for (Component& component : *components)
    name.emplace_back(std::move(component.id), std::move(component.kind));
  tree_.check(name);
  return name;
}

task<Name> ContextServant::to_name(std::string sn) { co_return name_of_text(sn); }

task<std::string> ContextServant::to_url(std::string addr, std::string sn) {
  if (addr.size() > tree_.options().limits.text_size_max)
    raise_limit("the address has too many octets", tree_.options().limits.text_size_max);
  (void)name_of_text(sn);
  auto url = make_url(addr, sn);
  if (!url) throw CosNaming::NamingContextExt::InvalidAddress();
  co_return std::move(*url);
}

task<ObjectRef> ContextServant::resolve_str(std::string sn) { return resolve(name_of_text(sn)); }

task<void> ContextServant::bind_leased(Name n, ObjectRef obj, std::uint32_t seconds) {
  const WallTime end = end_of_lease(seconds);
  return change_last<LeasingContext>(
      std::move(n), Kind::bind,
      [obj, seconds](const auto& to, const Name& rest) {
        return to->_async().bind_leased(rest, obj, seconds);
      },
      [this, obj, end](Change& change) {
        change.target = tree_.object_target(obj);
        change.expires = end;
      });
}

task<void> ContextServant::rebind_leased(Name n, ObjectRef obj, std::uint32_t seconds) {
  const WallTime end = end_of_lease(seconds);
  return change_last<LeasingContext>(
      std::move(n), Kind::rebind,
      [obj, seconds](const auto& to, const Name& rest) {
        return to->_async().rebind_leased(rest, obj, seconds);
      },
      [this, obj, end](Change& change) {
        change.target = tree_.object_target(obj);
        change.expires = end;
      });
}

task<void> ContextServant::renew(Name n, std::uint32_t seconds) {
  const WallTime end = end_of_lease(seconds);
  return change_last<LeasingContext>(
      std::move(n), Kind::renew,
      [seconds](const auto& to, const Name& rest) { return to->_async().renew(rest, seconds); },
      [end](Change& change) { change.expires = end; });
}

}  // namespace perigee::naming
