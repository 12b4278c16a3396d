// Tasks in the order in which they were posted, as an intrusive list. Private to the library.
#pragma once

#include <perigee/event/task.h>

#include <utility>

namespace perigee::event {

class TaskList {
 public:
  TaskList() = default;
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// False if the task is in a list already.
  bool push(Task& task) noexcept {
    if (std::exchange(task.posted_, true)) return false;
    (last_ != nullptr ? last_->next_ : first_) = &task;
    last_ = &task;
    return true;
  }
  /// Takes the first task out; null if there is none.
  [[nodiscard]] Task* pop() noexcept {
    Task* const task = first_;
    if (task == nullptr) return nullptr;
    first_ = std::exchange(task->next_, nullptr);
    if (first_ == nullptr) last_ = nullptr;
    task->posted_ = false;
    return task;
  }
  /// Takes all tasks of `other`. This list must be empty.
  void take(TaskList& other) noexcept {
    first_ = std::exchange(other.first_, nullptr);
    last_ = std::exchange(other.last_, nullptr);
  }
  /// Runs a task that is in no list.
  static void run(Task& task) { task.run_(task); }
  [[nodiscard]] static bool runs(const Task& task, void (*run)(Task&)) noexcept {
    return task.run_ == run;
  }

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

}  // namespace perigee::event
