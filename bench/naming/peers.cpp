// The processes of the naming experiment: a naming service, its clients, and the floor. Each
// prints its results as lines of numbers.
// clang-format off: a table
//   naming_peers server <store>                          prints two references: of the root context,
//                                                        and of an object with a void call; SIGTERM
//                                                        ends it
//   naming_peers calls void|resolve <reference> <count>  calls per second
//   naming_peers rows <file> <rows> <group>              rows per second, without an ORB
//   naming_peers fill memory|<file> <count>              memory of this process with this many bindings, MiB
//   naming_peers pages <root>                            microseconds of the first page and of the
//                                                        last page
// clang-format on
#include "CosNamingC.h"
#include "harness/run_peer.h"
#include "void_callsC.h"
#include "void_callsS.h"
#include <perigee/corba.h>
#include <perigee/services/naming/service.h>

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace naming = perigee::naming;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;
using OrbRef = CORBA::object_reference<CORBA::ORB>;
using ContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;

double per_second(std::size_t count, Clock::duration time) {
  return static_cast<double>(count) / std::chrono::duration<double>(time).count();
}

CosNaming::Name name(const std::string& id) { return {CosNaming::NameComponent(id, "service")}; }

std::unique_ptr<naming::Store> open_store(const std::string& where) {
  if (where == "memory") return naming::make_memory_store();
  auto store = naming::open_sqlite_store(where);
  if (!store) throw std::runtime_error(store.error().text);
  return std::move(*store);
}

/// MiB of memory that this process has now.
double resident_mib() {
  std::ifstream pages("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  pages >> total >> resident;
  constexpr double page_size = 4096;
  return static_cast<double>(resident) * page_size / (1 << 20);
}

class Bare final : public CORBA::servant_traits<Ami::Cuber>::base_type {
 public:
  void cube_void() override {}
};

int serve(const OrbRef& orb, const Words& words) {
  const naming::NamingService service(orb, open_store(words.at(1)));
  const auto bare = CORBA::make_reference<Bare>();
  const std::string reference = orb->object_to_string(bare->_this());
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  perigee::serve_until_signal(orb, [&] {
    std::cout << orb->object_to_string(service.root()) << '\n' << reference << std::endl;
  });
  orb->destroy();
  return 0;
}

ContextRef context_of(const OrbRef& orb, const std::string& reference) {
  return IDL::traits<CosNaming::NamingContext>::unchecked_narrow(orb->string_to_object(reference));
}

int call(const OrbRef& orb, const Words& words) {
  const auto count = std::stoul(words.at(3));
  const auto object = orb->string_to_object(words.at(2));
  std::function<void()> one;
  if (words.at(1) == "void") {
    const auto target = IDL::traits<Ami::Cuber>::unchecked_narrow(object);
    one = [target] { target->cube_void(); };
  } else {
    const auto root = IDL::traits<CosNaming::NamingContext>::unchecked_narrow(object);
    root->rebind(name("resolved"), object);
    one = [root, resolved = name("resolved")] { (void)root->resolve(resolved); };
  }
  for (std::size_t index = 0; index < count / 10; ++index) one();
  const auto begin = Clock::now();
  for (std::size_t index = 0; index < count; ++index) one();
  std::cout << per_second(count, Clock::now() - begin) << std::endl;
  return 0;
}

void check(int code, sqlite3* database) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
    throw std::runtime_error(sqlite3_errmsg(database));
}

/// Inserts rows into the file `words[1]` without a naming service. `open_store` makes the tables of
/// the file, so the rows are the same as those of a naming service.
int insert_rows(const Words& words) {
  (void)open_store(words.at(1));
  const auto rows = std::stoul(words.at(2));
  const auto group = std::stoul(words.at(3));
  sqlite3* database = nullptr;
  check(sqlite3_open(words.at(1).c_str(), &database), database);
  const auto run = [&](const char* text) {
    check(sqlite3_exec(database, text, nullptr, nullptr, nullptr), database);
  };
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  sqlite3_stmt* insert = nullptr;
  check(sqlite3_prepare_v2(database, "INSERT INTO bindings VALUES (1, ?1, ?2, 0, 0, ?3, 0)", -1,
                           &insert, nullptr),
        database);
  const std::string reference(84, 'r');  // as large as the reference that the clients bind
  const std::string kind = "service";
  const auto begin = Clock::now();
  for (std::size_t row = 0; row < rows; ++row) {
    // The order of the names is that of `group` clients that bind at the same time.
    const std::string id =
        "rows-" + std::to_string(row % group) + '-' + std::to_string(row / group);
    if (row % group == 0) run("BEGIN IMMEDIATE");
    sqlite3_bind_blob(insert, 1, id.data(), static_cast<int>(id.size()), SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, kind.data(), static_cast<int>(kind.size()), SQLITE_STATIC);
    sqlite3_bind_blob(insert, 3, reference.data(), static_cast<int>(reference.size()),
                      SQLITE_STATIC);
    check(sqlite3_step(insert), database);
    check(sqlite3_reset(insert), database);
    if (row % group == group - 1 || row == rows - 1) run("COMMIT");
  }
  std::cout << per_second(rows, Clock::now() - begin) << std::endl;
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return 0;
}

int fill(const Words& words) {
  const auto store = open_store(words.at(1));
  const auto count = std::stoul(words.at(2));
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t waiting = 0;
  for (std::size_t index = 0; index < count; ++index) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return waiting < 8'000; });
      ++waiting;
    }
    store->change({.name = {"object-" + std::to_string(index), "service"},
                   .target = {.reference = std::string(84, 'r')}},
                  [&](const std::expected<naming::ChangeResult, naming::StoreError>& result) {
                    if (!result) std::cerr << "naming_peers: " << result.error().text << '\n';
                    const std::lock_guard lock(mutex);
                    --waiting;
                    changed.notify_one();
                  });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return waiting == 0; });
  std::cout << resident_mib() << std::endl;
  return 0;
}

int time_pages(const OrbRef& orb, const Words& words) {
  constexpr std::uint32_t page = 1'000;
  constexpr std::size_t timed = 50;
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  context_of(orb, words.at(1))->list(page, bindings, rest);
  std::vector<double> times;
  for (;;) {
    const auto begin = Clock::now();
    const bool more = rest->next_n(page, bindings);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    if (!more) break;
  }
  rest->destroy();
  times.pop_back();  // the empty page
  if (times.size() < 2 * timed) throw std::runtime_error("too few pages");
  const auto median = [](std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + timed / 2);
    return values[timed / 2];
  };
  std::cout << median({times.begin(), times.begin() + timed}) << '\n'
            << median({times.end() - timed, times.end()}) << std::endl;
  return 0;
}

int run(const OrbRef& orb, const Words& words) {
  const std::string& role = words.at(0);
  if (role == "server") return serve(orb, words);
  if (role == "calls") return call(orb, words);
  if (role == "rows") return insert_rows(words);
  if (role == "fill") return fill(words);
  if (role == "pages") return time_pages(orb, words);
  throw std::runtime_error("no role " + role);
}

}  // namespace

int main(int argc, char* argv[]) {
  return perigee::bench::run_peer("naming_peers", argc, argv, run);
}
