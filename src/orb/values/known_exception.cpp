// The list of exceptions with TypeCodes. Libraries that are loaded and unloaded add and remove
// classes, so the list is linked through its members, and needs no memory.
#include <perigee/orb/known_exception.h>

#include <mutex>

namespace perigee::any {

namespace {

constinit std::mutex list_mutex;  // guards the list and the links of its members
constinit KnownException* first_known = nullptr;

}  // namespace

KnownException::KnownException(std::string_view repository_id, Inserter inserter) noexcept
    : repository_id_(repository_id), inserter_(inserter) {
  const std::lock_guard lock(list_mutex);
  next_ = first_known;
  if (next_ != nullptr) next_->previous_ = this;
  first_known = this;
}

KnownException::~KnownException() {
  const std::lock_guard lock(list_mutex);
  (previous_ != nullptr ? previous_->next_ : first_known) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

// Two libraries may have classes with the same repository id. The lock is held during the copy, so
// that a library cannot be unloaded meanwhile.
bool KnownException::insert(CORBA::Any& any, const CORBA::UserException& exception) {
  const std::string_view repository_id = exception._rep_id();
  const std::lock_guard lock(list_mutex);
  for (const KnownException* known = first_known; known != nullptr; known = known->next_)
    if (known->repository_id_ == repository_id && known->inserter_(any, exception)) return true;
  return false;
}

}  // namespace perigee::any
