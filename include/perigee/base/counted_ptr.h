// Counted pointers for the objects that generated headers hand out, in place of std::shared_ptr and
// std::weak_ptr. The standard pointers would make every generated file parse <memory>, which takes
// a third of the file's compile time.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/pool.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace perigee {

template <typename T>
class weak_counted_ptr;

namespace detail {

// Like std::exchange and std::swap, without the traits that these instantiate for each type.
template <typename T>
T* take(T*& pointer) noexcept {
  T* const taken = pointer;
  pointer = nullptr;
  return taken;
}
template <typename T>
void swap_pointers(T*& a, T*& b) noexcept {
  T* const kept = a;
  a = b;
  b = kept;
}

/// The counts of an object, in front of it in the same memory. Any thread.
class PERIGEE_API Counts {
 public:
  using Step = void (*)(Counts*) noexcept;

  /// `destroy` destroys the object, `free` gives its memory back.
  Counts(Step destroy, Step free) noexcept : destroy_(destroy), free_(free) {}

  void add_owner() noexcept { __atomic_fetch_add(&owners_, 1, __ATOMIC_RELAXED); }
  void remove_owner() noexcept {
    if (__atomic_fetch_sub(&owners_, 1, __ATOMIC_ACQ_REL) == 1) end();
  }
  /// False if there is no owner left.
  [[nodiscard]] bool try_add_owner() noexcept;
  [[nodiscard]] bool has_owner() const noexcept {
    return __atomic_load_n(&owners_, __ATOMIC_RELAXED) != 0;
  }
  void add_holder() noexcept { __atomic_fetch_add(&holders_, 1, __ATOMIC_RELAXED); }
  void remove_holder() noexcept {
    if (__atomic_fetch_sub(&holders_, 1, __ATOMIC_ACQ_REL) == 1) free_(this);
  }

 private:
  void end() noexcept;

  // Not std::atomic: <atomic> includes the headers of threads. Only the functions above read and
  // write the counts.
  std::uint32_t owners_ = 1;
  std::uint32_t holders_ = 1;  // weak pointers, and one for all owners together
  Step destroy_;
  Step free_;
};

struct CountedAccess;

/// An object that is destroyed in turn: see `_destroyed_in_turn`.
struct TurnLink {
  TurnLink* next = nullptr;
  Counts* counts = nullptr;
  Counts::Step destroy = nullptr;
};
/// Destroys the object now, or when the destructors that this thread is running have returned.
PERIGEE_API void destroy_in_turn(TurnLink& link) noexcept;

}  // namespace detail

/// Shares the ownership of an object made by `make_counted`. An empty pointer is null. Several
/// threads may use copies of a pointer, but not the same pointer.
template <typename T>
class counted_ptr {
 public:
  using element_type = T;

  counted_ptr() noexcept = default;
  counted_ptr(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  counted_ptr(const counted_ptr& other) noexcept : object_(other.object_), counts_(other.counts_) {
    if (counts_ != nullptr) counts_->add_owner();
  }
  counted_ptr(counted_ptr&& other) noexcept
      : object_(detail::take(other.object_)), counts_(detail::take(other.counts_)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  counted_ptr(const counted_ptr<U>& other) noexcept  // NOLINT(google-explicit-constructor)
      : object_(other.object_), counts_(other.counts_) {
    if (counts_ != nullptr) counts_->add_owner();
  }
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  counted_ptr(counted_ptr<U>&& other) noexcept  // NOLINT(google-explicit-constructor)
      : object_(detail::take(other.object_)), counts_(detail::take(other.counts_)) {}
  counted_ptr& operator=(const counted_ptr& other) noexcept {  // NOLINT
    counted_ptr(other).swap(*this);
    return *this;
  }
  counted_ptr& operator=(counted_ptr&& other) noexcept {
    counted_ptr(std::move(other)).swap(*this);
    return *this;
  }
  ~counted_ptr() {
    if (counts_ != nullptr) counts_->remove_owner();
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { counted_ptr().swap(*this); }
  void swap(counted_ptr& other) noexcept {
    detail::swap_pointers(object_, other.object_);
    detail::swap_pointers(counts_, other.counts_);
  }

  template <typename U>
  friend bool operator==(const counted_ptr& a, const counted_ptr<U>& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const counted_ptr& a, std::nullptr_t) noexcept {
    return a.object_ == nullptr;
  }

 private:
  template <typename U>
  friend class counted_ptr;
  friend struct detail::CountedAccess;

  counted_ptr(T* object, detail::Counts* counts) noexcept : object_(object), counts_(counts) {}

  T* object_ = nullptr;
  detail::Counts* counts_ = nullptr;  // null if and only if object_ is
};

namespace detail {

/// Accesses the private parts of the pointers.
struct CountedAccess {
  /// Takes over one owner of `counts`.
  template <typename T>
  static counted_ptr<T> adopt(T* object, Counts* counts) noexcept {
    return counted_ptr<T>(object, counts);
  }
  template <typename T>
  static Counts* counts(const counted_ptr<T>& pointer) noexcept {
    return pointer.counts_;
  }
};

/// The memory of a counted object. It is from the pool if the object's class has a type `_pooled`.
template <bool pooled>
struct CountedMemory {};
template <>
struct CountedMemory<true> {
  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }
};
template <typename T>
inline constexpr bool is_pooled = requires { typename T::_pooled; };

/// Objects of a class with a type `_destroyed_in_turn` are destroyed one after the other, not
/// inside each other's destructors. So the stack does not limit the length of a chain of such
/// objects.
template <bool in_turn>
struct CountedTurn {};
template <>
struct CountedTurn<true> : TurnLink {};
template <typename T>
inline constexpr bool is_destroyed_in_turn = requires { typename T::_destroyed_in_turn; };

/// An object behind its counts.
template <typename T>
struct Counted final : Counts, CountedMemory<is_pooled<T>>, CountedTurn<is_destroyed_in_turn<T>> {
  Counted() noexcept : Counts(&destroy, &free) {
    if constexpr (is_destroyed_in_turn<T>) {
      this->counts = this;
      this->TurnLink::destroy = &destroy_now;
    }
  }

  static void destroy(Counts* counts) noexcept {
    if constexpr (is_destroyed_in_turn<T>)
      destroy_in_turn(*static_cast<Counted*>(counts));
    else
      destroy_now(counts);
  }
  static void destroy_now(Counts* counts) noexcept {
    static_cast<Counted*>(counts)->object()->~T();
  }
  static void free(Counts* counts) noexcept { delete static_cast<Counted*>(counts); }
  T* object() noexcept { return std::launder(reinterpret_cast<T*>(memory)); }

  alignas(T) std::byte memory[sizeof(T)];
};

}  // namespace detail

/// Does not keep the object alive. `lock()` gives null once it is gone.
template <typename T>
class weak_counted_ptr {
 public:
  weak_counted_ptr() noexcept = default;
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_counted_ptr(const counted_ptr<U>& strong) noexcept  // NOLINT(google-explicit-constructor)
      : object_(strong.get()), counts_(detail::CountedAccess::counts(strong)) {
    if (counts_ != nullptr) counts_->add_holder();
  }
  weak_counted_ptr(const weak_counted_ptr& other) noexcept
      : object_(other.object_), counts_(other.counts_) {
    if (counts_ != nullptr) counts_->add_holder();
  }
  weak_counted_ptr(weak_counted_ptr&& other) noexcept
      : object_(detail::take(other.object_)), counts_(detail::take(other.counts_)) {}
  /// The object's address can be converted (to a virtual base, for example) only while the object
  /// lives.
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  weak_counted_ptr(  // NOLINT(google-explicit-constructor)
      const weak_counted_ptr<U>& other) noexcept
      : weak_counted_ptr(other.lock()) {}
  weak_counted_ptr& operator=(weak_counted_ptr other) noexcept {
    swap(other);
    return *this;
  }
  ~weak_counted_ptr() {
    if (counts_ != nullptr) counts_->remove_holder();
  }

  [[nodiscard]] counted_ptr<T> lock() const noexcept {
    if (counts_ == nullptr || !counts_->try_add_owner()) return nullptr;
    return detail::CountedAccess::adopt(object_, counts_);
  }
  [[nodiscard]] bool expired() const noexcept {
    return counts_ == nullptr || !counts_->has_owner();
  }
  void reset() noexcept { *this = weak_counted_ptr(); }
  void swap(weak_counted_ptr& other) noexcept {
    detail::swap_pointers(object_, other.object_);
    detail::swap_pointers(counts_, other.counts_);
  }

 private:
  T* object_ = nullptr;
  detail::Counts* counts_ = nullptr;
};

/// A base of classes whose member functions need a counted pointer to their object. Classes that
/// may inherit it several times must use it as a virtual base.
class counted_from_this {
 protected:
  counted_from_this() noexcept = default;
  counted_from_this(const counted_from_this&) noexcept {}
  counted_from_this& operator=(const counted_from_this&) noexcept { return *this; }  // NOLINT
  ~counted_from_this() = default;

  /// A pointer to the object. Null if `make_counted` did not make the object, has not finished it
  /// yet, or if the object is being destroyed.
  template <typename T>
  [[nodiscard]] static counted_ptr<T> counted(T& object) noexcept {
    detail::Counts* const counts = static_cast<counted_from_this&>(object).counts_;
    if (counts == nullptr || !counts->try_add_owner()) return nullptr;
    return detail::CountedAccess::adopt(&object, counts);
  }

 private:
  template <typename T, typename... Args>
  friend counted_ptr<T> make_counted(Args&&... args);

  detail::Counts* counts_ = nullptr;  // in the memory in front of the object
};

/// Makes a T and its counts in one piece of memory. The memory is from the pool if T has a type
/// `_pooled`.
template <typename T, typename... Args>
[[nodiscard]] counted_ptr<T> make_counted(Args&&... args) {
  struct Guard {
    detail::Counted<T>* counted;
    ~Guard() { delete counted; }
  } guard{new detail::Counted<T>};
  T* const object =
      ::new (static_cast<void*>(guard.counted->memory)) T(std::forward<Args>(args)...);
  detail::Counts* const counts = detail::take(guard.counted);
  if constexpr (std::is_base_of_v<counted_from_this, T>)
    static_cast<counted_from_this*>(object)->counts_ = counts;
  return detail::CountedAccess::adopt(object, counts);
}

/// The same object as a T, or null if it is not a T.
template <typename T, typename U>
[[nodiscard]] counted_ptr<T> dynamic_counted_cast(const counted_ptr<U>& pointer) noexcept {
  T* const object = dynamic_cast<T*>(pointer.get());
  if (object == nullptr) return nullptr;
  detail::Counts* const counts = detail::CountedAccess::counts(pointer);
  counts->add_owner();
  return detail::CountedAccess::adopt(object, counts);
}

}  // namespace perigee
