// Sets of pollables. The source of a pollable tells the sets that contain it when its event comes.
#include "dynamic/polling/dii_pollable.h"
#include "dynamic/polling/errors.h"
#include "dynamic/polling/source.h"
#include "orb/values/local_exception.h"
#include <perigee/dynamic/polling.h>
#include <perigee/orb/exceptions.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

using Stage = perigee::polling::Source::Stage;
using NoPossiblePollable = PollableSet::NoPossiblePollable;
using UnknownPollable = PollableSet::UnknownPollable;

namespace {

/// The rest of a time-out, in milliseconds. A part of a millisecond that is left counts as a whole
/// one: the wait must not end early.
class TimeLimit final {
 public:
  explicit TimeLimit(std::uint32_t timeout) noexcept : timeout_(timeout) {}

  [[nodiscard]] std::uint32_t left() const noexcept {
    if (timeout_ == perigee::polling::wait_for_ever) return timeout_;
    const auto passed =
        std::chrono::floor<std::chrono::milliseconds>(Clock::now() - start_).count();
    return passed >= timeout_ ? 0 : timeout_ - static_cast<std::uint32_t>(passed);
  }

 private:
  using Clock = std::chrono::steady_clock;

  const std::uint32_t timeout_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

/// Two lists of pollables: waiting ones, and ready ones in the order of their events. A change of
/// the stage moves a pollable. So the work for it does not grow with the number of pollables.
///
/// The object owns itself until the set ends, so that polling.h, which generated headers include,
/// needs no <memory>. A source that reports an event when the set ends keeps the object alive until
/// the report is complete.
struct PollableSet::Members : std::enable_shared_from_this<Members> {
  /// A pollable of the set. Its source keeps a weak pointer to it.
  struct Entry final : perigee::polling::Watcher {
    Entry(std::weak_ptr<Members> its_set, valuetype_reference<Pollable> its_pollable)
        : set(std::move(its_set)), pollable(std::move(its_pollable)) {}
    void settled() noexcept override {
      if (const std::shared_ptr<Members> members = set.lock()) members->settle(*this);
    }
    [[nodiscard]] perigee::polling::Source& source() const noexcept { return pollable->_source(); }

    const std::weak_ptr<Members> set;
    const valuetype_reference<Pollable> pollable;
    std::list<std::shared_ptr<Entry>>::iterator place{};  // in `list`
    std::list<std::shared_ptr<Entry>>* list = nullptr;    // null: the set has removed it
  };
  using List = std::list<std::shared_ptr<Entry>>;
  using EntryRef = std::shared_ptr<Entry>;

  explicit Members(object_reference<ORB> its_orb) : orb(std::move(its_orb)) {}
  static Members* make(object_reference<ORB> orb) {
    const auto made = std::make_shared<Members>(std::move(orb));
    made->self = made;
    return made.get();
  }

  /// Moves the entry to the end of the list `ready`.
  void settle(Entry& entry) noexcept {
    const std::lock_guard lock(mutex);
    move_to(entry, ready);
  }
  void move_to(Entry& entry, List& list) noexcept {
    if (entry.list == nullptr || entry.list == &list) return;
    list.splice(list.end(), *entry.list, entry.place);
    entry.list = &list;
  }
  void insert(const EntryRef& entry) {
    List added{entry};
    entries.emplace(entry->pollable.get(), entry.get());
    entry->place = added.begin();
    waiting.splice(waiting.end(), added);
    entry->list = &waiting;
    if (entry->source().is_of_queue()) ++of_queue;
  }
  /// The caller drops the entry without the lock: this may end the call.
  [[nodiscard]] EntryRef erase(Entry& entry) noexcept {
    EntryRef erased = std::move(*entry.place);
    entry.list->erase(entry.place);
    entry.list = nullptr;
    entries.erase(entry.pollable.get());
    if (entry.source().is_of_queue()) --of_queue;
    return erased;
  }
  [[nodiscard]] bool is_any_settled() const {
    const std::lock_guard lock(mutex);
    return entries.empty() || !ready.empty();
  }
  /// Whether no pollable can become ready until the program sends more dynamic requests.
  [[nodiscard]] bool is_idle() const;

  mutable std::mutex mutex;  // guards the members below, and those of the entries that change
  List waiting;
  List ready;
  std::unordered_map<const Pollable*, Entry*> entries;
  std::size_t of_queue = 0;   // entries for dynamic requests
  object_reference<ORB> orb;  // nil: not known
  std::shared_ptr<Members> self;
};

bool PollableSet::Members::is_idle() const {
  const std::lock_guard lock(mutex);
  return !waiting.empty() && of_queue == entries.size() && waiting.front()->source().is_idle();
}

PERIGEE_DEFINE_LOCAL_EXCEPTION(NoPossiblePollable, NoPossiblePollable,
                               "IDL:omg.org/CORBA/PollableSet/NoPossiblePollable:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(UnknownPollable, UnknownPollable,
                               "IDL:omg.org/CORBA/PollableSet/UnknownPollable:1.0")

PollableSet::PollableSet() : PollableSet(nullptr) {}
PollableSet::PollableSet(object_reference<ORB> orb) : members_(Members::make(std::move(orb))) {}
PollableSet::~PollableSet() { const std::shared_ptr<Members> last = std::move(members_->self); }

bool PollableSet::_implements(std::string_view repository_id) const noexcept {
  return perigee::stub::same(repository_id, _type_id) || LocalObject::_implements(repository_id);
}

valuetype_reference<DIIPollable> PollableSet::create_dii_pollable() {
  object_reference<ORB> orb;
  {
    const std::lock_guard lock(members_->mutex);
    orb = members_->orb;
  }
  if (!orb)
    throw BAD_INV_ORDER(
        0, COMPLETED_NO,
        "the ORB of the set is not known; make the set by a poller, or with an ORB");
  return perigee::polling::make_dii_pollable(orb);
}

// Another thread may take and drop the pollable at once, so this function keeps its reference.
void PollableSet::add_pollable(valuetype_reference<Pollable> potential) {
  if (!potential) throw BAD_PARAM(0, COMPLETED_NO, "the pollable is null");
  const auto entry =
      std::make_shared<Members::Entry>(members_->weak_from_this(), std::move(potential));
  perigee::polling::Source& source = entry->source();
  if (source.stage() == Stage::used_up) perigee::polling::raise_used_up();
  {
    const std::lock_guard lock(members_->mutex);
    const auto& entries = members_->entries;
    if (entries.contains(entry->pollable.get()))
      throw BAD_PARAM(0, COMPLETED_NO, "the set contains the pollable already");
    if (!entries.empty() && entries.begin()->second->source().orb() != source.orb())
      throw BAD_PARAM(0, COMPLETED_NO, "the pollables of a set must belong to one ORB");
    if (entries.size() == std::numeric_limits<std::uint16_t>::max())
      throw IMP_LIMIT(0, COMPLETED_NO, "a set may contain at most 65,535 pollables");
    members_->insert(entry);
  }
  if (!source.watch(entry)) members_->settle(*entry);
  source.wake_at_change();
  source.wake();
}

void PollableSet::remove(const valuetype_reference<Pollable>& potential) {
  Members::EntryRef removed;  // destroyed without the lock
  {
    const std::lock_guard lock(members_->mutex);
    const auto found = members_->entries.find(potential.get());
    if (found == members_->entries.end()) throw UnknownPollable();
    removed = members_->erase(*found->second);
  }
  removed->source().wake();  // threads that wait for the set look whether it is empty
}

std::uint16_t PollableSet::number_left() const {
  const std::lock_guard lock(members_->mutex);
  return static_cast<std::uint16_t>(members_->entries.size());
}

// The events of dynamic requests may be taken without the set: then their pollable waits again.
valuetype_reference<Pollable> PollableSet::take_ready() {
  for (;;) {
    Members::EntryRef first;  // destroyed without the lock
    Stage stage = Stage::waiting;
    {
      const std::lock_guard lock(members_->mutex);
      if (members_->entries.empty()) throw NoPossiblePollable();
      if (members_->ready.empty()) return nullptr;
      first = members_->ready.front();
      stage = first->source().stage();
      if (stage == Stage::waiting)
        members_->move_to(*first, members_->waiting);
      else
        first = members_->erase(*first);
    }
    if (stage == Stage::ready) return first->pollable;
    if (stage == Stage::waiting && !first->source().watch(first)) members_->settle(*first);
  }
}

// Another thread may take the pollable for which this thread has waited.
valuetype_reference<Pollable> PollableSet::get_ready_pollable(std::uint32_t timeout) {
  const TimeLimit limit(timeout);
  for (bool is_last = false;; is_last = limit.left() == 0) {
    if (valuetype_reference<Pollable> ready = take_ready()) return ready;
    if (is_last) perigee::polling::raise_not_ready(timeout);
    wait(limit.left());
  }
}

void PollableSet::wait(std::uint32_t timeout) {
  const bool has_limit = timeout != perigee::polling::wait_for_ever;
  valuetype_reference<Pollable> first;
  {
    const std::lock_guard lock(members_->mutex);
    if (members_->waiting.empty() || !members_->ready.empty()) return;
    first = members_->waiting.front()->pollable;
  }
  if (!has_limit && members_->is_idle()) perigee::polling::raise_no_request();
  const auto is_over = [this, has_limit] {
    return members_->is_any_settled() || (!has_limit && members_->is_idle());
  };
  first->_source().wait(is_over, timeout);
}

}  // namespace perigee_v1
}  // namespace CORBA
