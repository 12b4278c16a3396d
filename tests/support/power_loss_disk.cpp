// A virtual file system of SQLite in front of SQLite's usual virtual file system.
#include "support/power_loss_disk.h"

#include <sqlite3.h>

#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

namespace power_loss {

struct Step {
  enum class Kind : std::uint8_t { write, truncate, sync, remove, acknowledge };
  Kind kind;
  std::string file;
  std::size_t place = 0;  // the place of a write, or the size after a truncation
  std::string octets = {};
};

/// A file on the disk, and its changes that are not synchronised.
struct Content {
  std::string octets;
  bool exists = false;
  std::vector<const Step*> unsynced;

  void apply(const Step& step) {
    exists = true;
    if (step.kind == Step::Kind::truncate) return octets.resize(step.place);
    if (octets.size() < step.place + step.octets.size())
      octets.resize(step.place + step.octets.size());
    octets.replace(step.place, step.octets.size(), step.octets);
  }
  void sync() {
    exists = true;
    for (const Step* const step : unsynced) apply(*step);
    unsynced.clear();
  }
};

}  // namespace power_loss

using power_loss::Content;
using power_loss::Step;

class PowerLossDisk::Log {
 public:
  Log() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.zName = "power-loss";
    vfs_.pNext = nullptr;
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = &Log::open;
    vfs_.xDelete = &Log::remove;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~Log() { end(); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void end() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
  }
  void add(Step step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
  }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return steps_.size();
  }

 private:
  /// SQLite allocates a File, and after it in memory the file of the usual file system.
  struct File {
    sqlite3_file base;
    Log* log;
    std::string* name;
  };
  static sqlite3_file* real_of(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
  }
  static void note(sqlite3_file* file, Step::Kind kind, sqlite3_int64 place = 0,
                   std::string octets = {}) {
    const File& own = *reinterpret_cast<File*>(file);
    own.log->add({kind, *own.name, static_cast<std::size_t>(place), std::move(octets)});
  }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* flags_out) {
    Log* const log = static_cast<Log*>(vfs->pAppData);
    const int code = log->real_->xOpen(log->real_, name, real_of(file), flags, flags_out);
    file->pMethods = code == SQLITE_OK ? &methods : nullptr;
    if (code != SQLITE_OK) return code;
    File* const own = reinterpret_cast<File*>(file);
    own->log = log;
    own->name = new std::string(name != nullptr ? name : "");
    return code;
  }
  static int remove(sqlite3_vfs* vfs, const char* name, int sync) {
    Log* const log = static_cast<Log*>(vfs->pAppData);
    log->add({Step::Kind::remove, name});
    return log->real_->xDelete(log->real_, name, sync);
  }
  static int close(sqlite3_file* file) {
    delete reinterpret_cast<File*>(file)->name;
    return real_of(file)->pMethods->xClose(real_of(file));
  }
  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 place) {
    return real_of(file)->pMethods->xRead(real_of(file), to, size, place);
  }
  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 place) {
    note(file, Step::Kind::write, place,
         {static_cast<const char*>(from), static_cast<std::size_t>(size)});
    return real_of(file)->pMethods->xWrite(real_of(file), from, size, place);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    note(file, Step::Kind::truncate, size);
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
  }
  static int sync(sqlite3_file* file, int /*flags*/) {
    note(file, Step::Kind::sync);
    return SQLITE_OK;
  }
  static int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
  }
  static int lock(sqlite3_file* file, int level) {
    return real_of(file)->pMethods->xLock(real_of(file), level);
  }
  static int unlock(sqlite3_file* file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
  }
  static int is_reserved(sqlite3_file* file, int* result) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
  }
  static int sector_size(sqlite3_file* file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
  }
  static int characteristics(sqlite3_file* file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
  }
  static int map_shared(sqlite3_file* file, int page, int size, int extend,
                        void volatile** memory) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
  }
  static int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
  }
  static void bar_shared(sqlite3_file* file) {
    real_of(file)->pMethods->xShmBarrier(real_of(file));
  }
  static int unmap_shared(sqlite3_file* file, int remove_too) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove_too);
  }

  // Version 2: without mapped files, whose writes could not be noted.
  static constexpr sqlite3_io_methods methods = {2,
                                                 &Log::close,
                                                 &Log::read,
                                                 &Log::write,
                                                 &Log::truncate,
                                                 &Log::sync,
                                                 &Log::file_size,
                                                 &Log::lock,
                                                 &Log::unlock,
                                                 &Log::is_reserved,
                                                 &Log::control,
                                                 &Log::sector_size,
                                                 &Log::characteristics,
                                                 &Log::map_shared,
                                                 &Log::lock_shared,
                                                 &Log::bar_shared,
                                                 &Log::unmap_shared,
                                                 nullptr,
                                                 nullptr};

  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_;
  mutable std::mutex mutex_;
  std::vector<Step> steps_;  // guarded by mutex_ until `end`
};

PowerLossDisk::PowerLossDisk() : log_(std::make_unique<Log>()) {}
PowerLossDisk::~PowerLossDisk() = default;

void PowerLossDisk::note_acknowledgement() { log_->add({Step::Kind::acknowledge, ""}); }
void PowerLossDisk::end() { log_->end(); }
std::size_t PowerLossDisk::steps() const { return log_->size(); }

std::size_t PowerLossDisk::restore(std::size_t steps, Unsynced unsynced, std::mt19937& random,
                                   const std::filesystem::path& folder) const {
  std::map<std::string, Content> files;
  std::size_t acknowledged = 0;
  for (std::size_t at = 0; at < steps; ++at) {
    const Step& step = log_->steps()[at];
    if (step.kind == Step::Kind::acknowledge)
      ++acknowledged;
    else if (step.kind == Step::Kind::remove)
      files.erase(step.file);
    else if (step.kind == Step::Kind::sync)
      files[step.file].sync();
    else
      files[step.file].unsynced.push_back(&step);
  }
  for (auto& [name, content] : files) {
    if (unsynced == Unsynced::mixed)
      for (const Step* const step : content.unsynced)
        if (random() % 2 == 0) content.apply(*step);
    if (!content.exists) continue;
    std::ofstream file(folder / std::filesystem::path(name).filename(), std::ios::binary);
    file << content.octets;
  }
  return acknowledged;
}

}  // namespace perigee::test
