// Task: work that a reactor does soon. A task lives in the object that it works for.
#pragma once

namespace perigee::event {

/// The object that a task works for has the task as a base or as a member (see MemberTask). `run`
/// gets the task and finds the object by a static_cast. Posting a task allocates nothing. A posted
/// task must not be destroyed.
class Task {
 public:
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

 protected:
  /// `run` is called on a thread that runs the reactor, without locks. It may destroy the task, or
  /// post it again.
  explicit Task(void (*run)(Task&)) noexcept : run_(run) {}
  ~Task() = default;

 private:
  friend class TaskList;
  void (*const run_)(Task&);
  Task* next_ = nullptr;
  bool posted_ = false;
};

/// A task that calls a member function of the object that it is a member of.
template <typename Owner, auto function>
class MemberTask final : public Task {
 public:
  explicit MemberTask(Owner& owner) noexcept : Task(&ran), owner_(owner) {}

 private:
  static void ran(Task& task) { (static_cast<MemberTask&>(task).owner_.*function)(); }

  Owner& owner_;
};

}  // namespace perigee::event
