// The state of an ORB as JSON, for the page that operators read. docs/metrics.md lists the members.
#pragma once

#include <perigee/orb/status_section.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace perigee::orb {
class OrbCore;
class StatusSections;
}  // namespace perigee::orb

namespace perigee::runtime {

/// The most adapters in a document, rows in a table, and octets in a text. The rest is left out,
/// and the document says so.
inline constexpr std::size_t adapters_max = 500;
inline constexpr std::size_t table_rows_max = 100;
inline constexpr std::size_t table_columns_max = 16;
inline constexpr std::size_t cell_size_max = 512;

/// `text` as a string of JSON. Octets that are not UTF-8, and control characters, appear as \xNN or
/// \u{NNNN}. "<", ">" and "&" are written as escapes, so that the text is also safe inside HTML.
[[nodiscard]] std::string json_text(std::string_view text);

/// Connections, requests, memory, threads and adapters. Any thread.
[[nodiscard]] std::string status_json(const orb::OrbCore& core,
                                      const orb::StatusSections& sections);

/// Keys, and `next`, have percent-escapes, so that a reader can put them into a query as they are.
[[nodiscard]] std::string table_json(const orb::StatusTable& table);

}  // namespace perigee::runtime
