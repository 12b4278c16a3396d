// The statements of changes.
#include "services/naming/sqlite_writer.h"

#include <utility>

namespace perigee::naming {

namespace {

using Outcome = ChangeResult::Outcome;

// ?1 context, ?2 id, ?3 kind, ?4 sort, ?5 target, ?6 reference, ?7 expires, ?8 now.
#define PERIGEE_NAMING_INSERT                                                          \
  "INSERT INTO bindings (context, id, kind, sort, target, reference, expires)"         \
  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (context, id, kind) DO UPDATE SET" \
  " sort = ?4, target = ?5, reference = ?6, expires = ?7"                              \
  " WHERE (expires != 0 AND expires <= ?8)"

constexpr const char* bind_text = PERIGEE_NAMING_INSERT;
constexpr const char* rebind_text = PERIGEE_NAMING_INSERT " OR (sort = 0) = (?4 = 0)";
#undef PERIGEE_NAMING_INSERT

constexpr const char* unbind_text =
    "DELETE FROM bindings WHERE context = ?1 AND id = ?2 AND kind = ?3"
    " AND (expires = 0 OR expires > ?8)";
constexpr const char* renew_text =
    "UPDATE bindings SET expires = iif(expires = 0, 0, ?7)"
    " WHERE context = ?1 AND id = ?2 AND kind = ?3 AND (expires = 0 OR expires > ?8)";
constexpr const char* has_binding_text =
    "SELECT 1 FROM bindings WHERE context = ?1 AND (expires = 0 OR expires > ?8) LIMIT 1";
// Removes a part at a time, so that the other changes of the group do not wait for long.
constexpr const char* remove_expired_text =
    // Both parts use the index of leases: contexts may have a million bindings without leases.
    "DELETE FROM bindings INDEXED BY leases"
    " WHERE expires != 0 AND expires <= ?8 AND (context, id, kind) IN"
    " (SELECT context, id, kind FROM bindings INDEXED BY leases"
    " WHERE expires != 0 AND expires <= ?8 ORDER BY expires LIMIT 1000)";
constexpr std::int64_t swept_max = 1'000;  // as in the statement

void bind_name(sqlite::Statement& statement, const Change& change) {
  statement.bind(1, change.context).bind(2, change.name.id).bind(3, change.name.kind);
}

}  // namespace

const char* SqliteWriter::statement_of_sweep() noexcept { return remove_expired_text; }

std::expected<SqliteWriter, sqlite::Error> SqliteWriter::make(sqlite::Database& database,
                                                              std::size_t contexts_max) {
  SqliteWriter writer(database, contexts_max);
  const auto contexts = database.number("SELECT count(*) FROM contexts");
  if (!contexts) return std::unexpected(contexts.error());
  writer.contexts_ = static_cast<std::size_t>(*contexts);
  const std::pair<sqlite::Statement*, const char*> texts[] = {
      {&writer.begin_, "BEGIN IMMEDIATE"},
      {&writer.commit_, "COMMIT"},
      {&writer.has_context_, "SELECT 1 FROM contexts WHERE number = ?1"},
      {&writer.bind_, bind_text},
      {&writer.rebind_, rebind_text},
      {&writer.unbind_, unbind_text},
      {&writer.renew_, renew_text},
      {&writer.make_context_, "INSERT INTO contexts DEFAULT VALUES"},
      {&writer.drop_made_, "DELETE FROM contexts WHERE number = ?1"},
      {&writer.has_binding_, has_binding_text},
      {&writer.remove_bindings_, "DELETE FROM bindings WHERE context = ?1"},
      {&writer.remove_context_, "DELETE FROM contexts WHERE number = ?1"},
      {&writer.remove_expired_, remove_expired_text},
  };
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return writer;
}

std::expected<void, sqlite::Error> SqliteWriter::begin() {
  contexts_at_begin_ = contexts_;
  return begin_.run();
}

std::expected<void, sqlite::Error> SqliteWriter::commit() {
  auto committed = commit_.run();
  if (!committed) roll_back();
  return committed;
}

void SqliteWriter::roll_back() noexcept {
  known_context_.reset();
  contexts_ = contexts_at_begin_;
  database_->roll_back();
}

std::expected<bool, sqlite::Error> SqliteWriter::context_exists(ContextNumber context) {
  if (context == known_context_) return true;
  const sqlite::ResetAtEnd reset(has_context_);
  auto row = has_context_.bind(1, context).step();
  if (row && *row) known_context_ = context;
  return row;
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::run(sqlite::Statement& statement,
                                                             Outcome otherwise) {
  if (const auto done = statement.run(); !done) return std::unexpected(done.error());
  return ChangeResult{database_->changes() == 0 ? otherwise : Outcome::done};
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::insert(sqlite::Statement& statement,
                                                                const Change& change,
                                                                Outcome otherwise) {
  bind_name(statement, change);
  statement.bind(4, static_cast<std::int64_t>(change.target.kind))
      .bind(5, change.target.context)
      .bind(6, change.target.reference)
      .bind(7, change.expires)
      .bind(8, change.now);
  return run(statement, otherwise);
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::apply(const Change& change) {
  const auto exists = context_exists(change.context);
  if (!exists) return std::unexpected(exists.error());
  if (!*exists) return ChangeResult{Outcome::no_context};
  switch (change.kind) {
    case Change::Kind::bind:
      return insert(bind_, change, Outcome::already_bound);
    case Change::Kind::rebind:
      return insert(rebind_, change, Outcome::wrong_sort);
    case Change::Kind::unbind:
      bind_name(unbind_, change);
      return run(unbind_.bind(8, change.now), Outcome::not_bound);
    case Change::Kind::renew:
      bind_name(renew_, change);
      return run(renew_.bind(7, change.expires).bind(8, change.now), Outcome::not_bound);
    case Change::Kind::make_context:
      return make_context();
    case Change::Kind::bind_new_context:
      return bind_new_context(change);
    case Change::Kind::destroy_context:
      return destroy(change);
    case Change::Kind::remove_expired:
      return remove_expired(change);
  }
  return ChangeResult{};
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::remove_expired(const Change& change) {
  auto removed = run(remove_expired_.bind(8, change.now), Outcome::done);
  if (removed) removed->has_more = database_->changes() >= swept_max;
  return removed;
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::make_context() {
  if (contexts_ >= contexts_max_) return ChangeResult{Outcome::too_many};
  if (const auto done = make_context_.run(); !done) return std::unexpected(done.error());
  ++contexts_;
  return ChangeResult{Outcome::done, static_cast<ContextNumber>(database_->last_row())};
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::bind_new_context(Change change) {
  auto made = make_context();
  if (!made || made->outcome != Outcome::done) return made;
  change.target = {TargetKind::own_context, made->made, {}};
  auto bound = insert(bind_, change, Outcome::already_bound);
  if (!bound) return bound;
  if (bound->outcome == Outcome::done) return made;
  if (const auto dropped = drop_made_.bind(1, made->made).run(); !dropped)
    return std::unexpected(dropped.error());
  --contexts_;
  return bound;
}

std::expected<ChangeResult, sqlite::Error> SqliteWriter::destroy(const Change& change) {
  {
    const sqlite::ResetAtEnd reset(has_binding_);
    const auto row = has_binding_.bind(1, change.context).bind(8, change.now).step();
    if (!row) return std::unexpected(row.error());
    if (*row) return ChangeResult{Outcome::not_empty};
  }
  known_context_.reset();
  if (const auto removed = remove_bindings_.bind(1, change.context).run(); !removed)
    return std::unexpected(removed.error());
  auto removed = run(remove_context_.bind(1, change.context), Outcome::no_context);
  if (removed && removed->outcome == Outcome::done) --contexts_;
  return removed;
}

}  // namespace perigee::naming
