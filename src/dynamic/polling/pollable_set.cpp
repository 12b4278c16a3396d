// Sets of pollables. A set looks at all its pollables after each turn of the loop.
#include "dynamic/polling/errors.h"
#include "dynamic/polling/source.h"
#include "orb/values/local_exception.h"
#include <perigee/dynamic/polling.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

using Stage = perigee::polling::Source::Stage;
using NoPossiblePollable = PollableSet::NoPossiblePollable;
using UnknownPollable = PollableSet::UnknownPollable;

namespace {

using Pollables = std::vector<valuetype_reference<Pollable>>;

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

PERIGEE_DEFINE_LOCAL_EXCEPTION(NoPossiblePollable, NoPossiblePollable,
                               "IDL:omg.org/CORBA/PollableSet/NoPossiblePollable:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(UnknownPollable, UnknownPollable,
                               "IDL:omg.org/CORBA/PollableSet/UnknownPollable:1.0")

struct PollableSet::Members {
  std::mutex mutex;  // guards the member below
  Pollables pollables;
};

PollableSet::PollableSet() : members_(new Members) {}
PollableSet::~PollableSet() { delete members_; }

bool PollableSet::_implements(std::string_view repository_id) const noexcept {
  return perigee::stub::same(repository_id, _type_id) || LocalObject::_implements(repository_id);
}

valuetype_reference<DIIPollable> PollableSet::create_dii_pollable() {
  throw NO_IMPLEMENT(0, COMPLETED_NO, "a set cannot wait for dynamic requests");
}

// Another thread may take and drop the pollable at once, so this function keeps its reference.
void PollableSet::add_pollable(valuetype_reference<Pollable> potential) {
  const valuetype_reference<Pollable> added = std::move(potential);
  if (!added) throw BAD_PARAM(0, COMPLETED_NO, "the pollable is null");
  const perigee::polling::Source& source = added->_source();
  if (source.stage() == Stage::used_up) perigee::polling::raise_used_up();
  {
    const std::lock_guard lock(members_->mutex);
    Pollables& pollables = members_->pollables;
    if (std::ranges::find(pollables, added) != pollables.end())
      throw BAD_PARAM(0, COMPLETED_NO, "the set contains the pollable already");
    if (!pollables.empty() && pollables.front()->_source().orb() != source.orb())
      throw BAD_PARAM(0, COMPLETED_NO, "the pollables of a set must belong to one ORB");
    if (pollables.size() == std::numeric_limits<std::uint16_t>::max())
      throw IMP_LIMIT(0, COMPLETED_NO, "a set contains 65,535 pollables at most");
    pollables.push_back(added);
  }
  source.wake_at_change();
  source.wake();
}

void PollableSet::remove(const valuetype_reference<Pollable>& potential) {
  valuetype_reference<Pollable> removed;  // destroyed without the lock
  {
    const std::lock_guard lock(members_->mutex);
    const auto found = std::ranges::find(members_->pollables, potential);
    if (found == members_->pollables.end()) throw UnknownPollable();
    removed = std::move(*found);
    members_->pollables.erase(found);
  }
  removed->_source().wake();  // threads that wait for the set look whether it is empty
}

std::uint16_t PollableSet::number_left() const {
  const std::lock_guard lock(members_->mutex);
  return static_cast<std::uint16_t>(members_->pollables.size());
}

valuetype_reference<Pollable> PollableSet::take_ready() {
  Pollables used_up;  // destroyed without the lock
  const std::lock_guard lock(members_->mutex);
  for (std::size_t index = 0; index < members_->pollables.size();) {
    const Stage stage = members_->pollables[index]->_source().stage();
    if (stage == Stage::waiting) {
      ++index;
      continue;
    }
    valuetype_reference<Pollable> taken = std::move(members_->pollables[index]);
    members_->pollables[index] = std::move(members_->pollables.back());
    members_->pollables.pop_back();
    if (stage == Stage::ready) return taken;
    used_up.push_back(std::move(taken));
  }
  if (members_->pollables.empty()) throw NoPossiblePollable();
  return nullptr;
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

bool PollableSet::is_any_settled() const {
  const std::lock_guard lock(members_->mutex);
  return members_->pollables.empty() ||
         std::ranges::any_of(members_->pollables, [](const auto& each) {
           return each->_source().stage() != Stage::waiting;
         });
}

void PollableSet::wait(std::uint32_t timeout) {
  valuetype_reference<Pollable> first;
  {
    const std::lock_guard lock(members_->mutex);
    if (members_->pollables.empty()) return;
    first = members_->pollables.front();
  }
  first->_source().wait([this] { return is_any_settled(); }, timeout);
}

}  // namespace perigee_v1
}  // namespace CORBA
