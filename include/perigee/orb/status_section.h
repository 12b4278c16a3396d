// Tables that services show to operators on the metrics page: docs/metrics.md.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {
class ORB;
}
}  // namespace CORBA

namespace perigee::orb {

/// The part of a table that a reader of the page wants. The keys come from the reader: check them.
struct StatusQuery {
  std::vector<std::string> path;  ///< keys of the rows that were opened, the outermost first
  std::string after;              ///< StatusTable::next of the part before; empty: the first part
  std::size_t rows_max = 0;       ///< the page ignores further rows
};

struct StatusRow {
  std::string key;  ///< the step of StatusQuery::path that opens this row; empty: it has no table
  std::vector<std::string> cells;  ///< texts in UTF-8; octets that are not UTF-8 appear as \xNN
};

/// Keys and `next` may contain any octets.
struct StatusTable {
  std::vector<std::string> columns;
  std::vector<StatusRow> rows;
  std::string next;  ///< for StatusQuery::after; empty: there are no further rows
  std::string note;  ///< a sentence for the reader, for example why there is no table
};

/// Makes the table of `query`. Runs on the thread of the page: while it waits, for example for a
/// disk or a lock, the page and `/metrics` do not answer. It must not wait for calls, and must not
/// destroy its own StatusSection. It may throw any type: the reader then sees that the table
/// failed, and the log has the text of a std::exception.
using StatusReader = std::function<StatusTable(const StatusQuery& query)>;

class StatusSections;

/// A table on the metrics page of an ORB, as long as this object exists. Without
/// `-ORBMetricsEndpoint` the table is never read, and costs nothing. May outlive the ORB. Making
/// and destroying: any thread.
class PERIGEE_API StatusSection {
 public:
  /// `name`: part of the address of the table; lower-case letters, digits and '_'. `title`: shown
  /// above the table. Raises BAD_PARAM if the name is empty, has other characters, or is taken, and
  /// BAD_INV_ORDER (OMG minor 4) if the ORB was destroyed.
  StatusSection(CORBA::ORB& orb, std::string name, std::string title, StatusReader read);
  StatusSection(const StatusSection&) = delete;
  StatusSection& operator=(const StatusSection&) = delete;
  /// Waits until the reader function has returned, if the page is calling it. So the caller must
  /// not hold a lock that the function takes.
  ~StatusSection();

 private:
  std::shared_ptr<StatusSections> sections_;  // shared with the ORB and its page
  std::string name_;
};

}  // namespace perigee::orb
