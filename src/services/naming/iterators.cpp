// The servants of iterators, and their list in the order of use.
#include "services/naming/iterators.h"

#include "services/naming/raise.h"
#include "services/naming/wall_clock.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace perigee::naming {

namespace {

CosNaming::Binding to_binding(Binding&& binding) {
  CosNaming::Name name;
  name.emplace_back(std::move(binding.name.id), std::move(binding.name.kind));
  return CosNaming::Binding(std::move(name), binding.target.kind == TargetKind::object
                                                 ? CosNaming::BindingType::nobject
                                                 : CosNaming::BindingType::ncontext);
}

}  // namespace

Page read_page(Store& store, ContextNumber context, const Component* after, std::size_t count,
               WallTime now) {
  auto bindings = store.list(context, after, count + 1, now);
  if (!bindings) raise(bindings.error(), CORBA::COMPLETED_NO);
  Page page;
  page.has_more = bindings->size() > count;
  if (page.has_more) bindings->pop_back();
  page.bindings.reserve(bindings->size());
  for (Binding& binding : *bindings) page.bindings.push_back(to_binding(std::move(binding)));
  return page;
}

class Iterators::Servant final
    : public CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  Servant(Iterators& iterators, Position position)
      : iterators_(iterators), position_(std::move(position)) {}

  /// Makes the iterator ready. Before this call, the reference has not left `make`. So an earlier
  /// call of the iterator comes from a client that has guessed its object key.
  void set_id(const Id& id) {
    const std::lock_guard lock(mutex_);
    id_ = id;
  }

  bool next_one(CosNaming::Binding& b) override {
    CosNaming::BindingList bindings = next(1);
    if (bindings.empty()) return false;
    b = std::move(bindings.front());
    return true;
  }
  bool next_n(std::uint32_t how_many, CosNaming::BindingList& bl) override {
    if (how_many == 0)
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "how_many is 0; ask for one or more");
    bl = next(how_many);
    return !bl.empty();
  }
  void destroy() override { iterators_.end(known_id()); }

 private:
  [[nodiscard]] Id known_id() const {
    const std::lock_guard lock(mutex_);
    if (id_.empty())
      throw CORBA::OBJECT_NOT_EXIST(
          0, CORBA::COMPLETED_NO,
          "the iterator is not ready: `list` has not returned it to its client");
    return id_;
  }
  CosNaming::BindingList next(std::size_t how_many) {
    iterators_.used(known_id());
    const std::size_t count = std::min(how_many, iterators_.options_.limits.page_max);
    const std::lock_guard lock(mutex_);
    Page page = read_page(iterators_.store_, position_.context,
                          position_.is_start ? nullptr : &position_.after, count,
                          now_of(iterators_.options_));
    if (!page.bindings.empty()) {
      const CosNaming::NameComponent& last = page.bindings.back().binding_name().front();
      position_.after = {last.id(), last.kind()};
      position_.is_start = false;
    }
    return std::move(page.bindings);
  }

  Iterators& iterators_;
  mutable std::mutex mutex_;  // guards the members below
  Id id_;                     // empty until the iterator is in the list of Iterators
  Position position_;
};

Iterators::Iterators(PoaRef poa, Store& store, const Options& options)
    : poa_(std::move(poa)), store_(store), options_(options) {}
Iterators::~Iterators() = default;

IDL::traits<CosNaming::BindingIterator>::ref_type Iterators::make(Position position,
                                                                  const std::string& client) {
  for (const Id& id : make_room(client)) deactivate(id);
  const auto servant = CORBA::make_reference<Servant>(*this, std::move(position));
  const Id id = poa_->activate_object(servant);
  add(id, client);
  servant->set_id(id);  // last: a call before it cannot end an iterator that is not in the list
  return IDL::traits<CosNaming::BindingIterator>::unchecked_narrow(poa_->id_to_reference(id));
}

std::size_t Iterators::count() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void Iterators::add(const Id& id, const std::string& client) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({id, client, options_.clock->now()});
  by_id_[id] = std::prev(entries_.end());
  ++of_client_[client];
}

void Iterators::used(const Id& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  found->second->last_use = options_.clock->now();
  entries_.splice(entries_.end(), entries_, found->second);
}

std::vector<Iterators::Id> Iterators::make_room(const std::string& client) {
  const Limits& limits = options_.limits;
  const std::lock_guard lock(mutex_);
  std::vector<Id> ended;
  const TimePoint oldest = options_.clock->now() - limits.iterator_idle_max;
  while (!entries_.empty() && entries_.front().last_use < oldest)
    ended.push_back(take_off(entries_.begin()));
  const auto of_client = of_client_.find(client);
  if (of_client != of_client_.end() && of_client->second >= limits.iterators_per_client_max)
    ended.push_back(take_off(std::ranges::find(entries_, client, &Entry::client)));
  if (!entries_.empty() && entries_.size() >= limits.iterators_max)
    ended.push_back(take_off(entries_.begin()));
  return ended;
}

Iterators::Id Iterators::take_off(Entries::iterator entry) {
  const auto of_client = of_client_.find(entry->client);
  if (--of_client->second == 0) of_client_.erase(of_client);
  Id id = std::move(entry->id);
  by_id_.erase(id);
  entries_.erase(entry);
  return id;
}

void Iterators::end(const Id& id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return;
    take_off(found->second);
  }
  deactivate(id);
}

void Iterators::deactivate(const Id& id) noexcept try {
  poa_->deactivate_object(id);
} catch (const CORBA::Exception& exception) {  // the adapter is being destroyed
  log::write(log::Level::debug, "naming", exception.what());
}

}  // namespace perigee::naming
