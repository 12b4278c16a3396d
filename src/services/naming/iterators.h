// The iterators of `list`. Each keeps only the last name that it has returned, so a long list costs
// the service no memory.
#pragma once

#include <perigee/poa/poa.h>
#include <perigee/services/naming/options.h>

#include <CosNamingS.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::naming {

/// The position where the next page begins, in the bindings of one context.
struct Position {
  ContextNumber context = root_context;
  Component after;
  bool is_start = false;  ///< from the first binding; `after` has no meaning
};

/// The bindings as clients see them, and whether more bindings follow.
struct Page {
  CosNaming::BindingList bindings;
  bool has_more = false;
};

/// Reads at most `count` bindings that follow `after`, or the first ones if `after` is null. Raises
/// PERSIST_STORE.
[[nodiscard]] Page read_page(Store& store, ContextNumber context, const Component* after,
                             std::size_t count, WallTime now);

/// Makes iterators, counts them, and ends iterators that were not used for long. Any thread.
class Iterators {
 public:
  using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

  /// `poa` has the policies of the Root POA, without implicit activation. `store` and `options`
  /// outlive this object and its iterators.
  Iterators(PoaRef poa, Store& store, const Options& options);
  ~Iterators();
  Iterators(const Iterators&) = delete;
  Iterators& operator=(const Iterators&) = delete;

  [[nodiscard]] IDL::traits<CosNaming::BindingIterator>::ref_type make(Position position,
                                                                       const std::string& client);
  [[nodiscard]] std::size_t count() const;

 private:
  class Servant;
  using Id = PortableServer::ObjectId;
  struct Entry {
    Id id;
    std::string client;
    TimePoint last_use;
  };
  using Entries = std::list<Entry>;  // the least recently used iterator first

  /// The iterator of this id was used now.
  void used(const Id& id);
  /// Ends the iterator.
  void end(const Id& id);
  void add(const Id& id, const std::string& client);
  /// Removes from the list the iterators that must end to make room for a new one.
  [[nodiscard]] std::vector<Id> make_room(const std::string& client);
  Id take_off(Entries::iterator entry);
  void deactivate(const Id& id) noexcept;

  const PoaRef poa_;
  Store& store_;
  const Options& options_;
  mutable std::mutex mutex_;  // guards the members below
  Entries entries_;
  std::map<Id, Entries::iterator> by_id_;
  std::map<std::string, std::size_t> of_client_;
};

}  // namespace perigee::naming
