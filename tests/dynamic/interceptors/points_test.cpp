// The interception points of each way of a call, in a table. Each point has a row, each way has a
// column, and no cell may be empty: docs/interceptors.md shows the same table.
#include "ways.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

namespace perigee::test {

namespace {

// A cell has the positions of the point among the points of its side, or the reason why the
// standard does not call the point.
constexpr auto ends_with_reply = "the call ends with a reply";
constexpr auto ends_with_exception = "the call ends with an exception";
constexpr auto no_exception = "no exception ends the call";
constexpr auto no_reply = "a oneway gets no reply";
constexpr auto no_poll = "only polls of time-independent invocations are reported: 21.3.5.2";
constexpr auto no_new_adapter = "the call makes no POA: 21.5.1";
constexpr auto no_change = "the call changes no state of a POA: 21.5.3";

struct Row {
  const char* point;
  const char* cells[way_count];
};

// clang-format off: a table
constexpr Row client_rows[] = {
  //                     sync             AMI              polling          deferred         AMH              coroutine        collocated       oneway        forward          exception
  {"send_request",      {"1",             "1",             "1",             "1",             "1",             "1",             "1",             "1",          "1, 3",          "1"}},
  {"send_poll",         {no_poll,         no_poll,         no_poll,         no_poll,         no_poll,         no_poll,         no_poll,         no_poll,      no_poll,         no_poll}},
  {"receive_reply",     {"2",             "2",             "2",             "2",             "2",             "2",             "2",             no_reply,     "4",             ends_with_exception}},
  {"receive_exception", {no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception, no_exception,    "2"}},
  {"receive_other",     {ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, "2",          "2",             ends_with_exception}},
};
constexpr Row server_rows[] = {
  {"receive_request_service_contexts",
                        {"1",             "1",             "1",             "1",             "1",             "1",             "1",             "1",          "1, 3",          "1"}},
  {"receive_request",   {"2",             "2",             "2",             "2",             "2",             "2",             "2",             "2",          "4",             "2"}},
  {"send_reply",        {"3",             "3",             "3",             "3",             "3",             "3",             "3",             no_reply,     "5",             ends_with_exception}},
  {"send_exception",    {no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception,    no_exception, no_exception,    "3"}},
  {"send_other",        {ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, ends_with_reply, "3",          "2",             ends_with_exception}},
};
constexpr Row adapter_rows[] = {
  {"establish_components",
                        {no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter, no_new_adapter, no_new_adapter}},
  {"components_established",
                        {no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter,  no_new_adapter, no_new_adapter, no_new_adapter}},
  {"adapter_manager_state_changed",
                        {no_change,       no_change,       no_change,       no_change,       no_change,       no_change,       no_change,       no_change,    no_change,       no_change}},
  {"adapter_state_changed",
                        {no_change,       no_change,       no_change,       no_change,       no_change,       no_change,       no_change,       no_change,    no_change,       no_change}},
};
// clang-format on

struct Side {
  const char* name;
  std::span<const Row> rows;
};
constexpr Side sides[] = {
    {"client", client_rows}, {"server", server_rows}, {"adapter", adapter_rows}};

bool runs(const char* cell) { return std::isdigit(static_cast<unsigned char>(*cell)) != 0; }

/// The names of the points of `side` in the log, in order.
Lines points_in(const Log& log, const std::string& side) {
  Lines points;
  for (const std::string& line : log.lines()) {
    std::istringstream words(line);
    std::string name;
    std::string number;
    std::string point;
    words >> name >> number >> point;
    if (name == side) points.push_back(point);
  }
  return points;
}

/// The positions of the point: "1, 3".
std::string positions_of(const Lines& points, const std::string& point) {
  std::string positions;
  for (std::size_t index = 0; index < points.size(); ++index)
    if (points[index] == point)
      positions += (positions.empty() ? "" : ", ") + std::to_string(index + 1);
  return positions;
}

/// The table of the documents: a cell without positions has a dash.
std::string document_line(const Row& row) {
  std::string line = "| `" + std::string(row.point) + "` |";
  for (const char* const cell : row.cells)
    line += " " + std::string(runs(cell) ? cell : "–") + " |";
  return line;
}

}  // namespace

TEST_CASE("each interception point has positions or a reason for each way of a call") {
  for (const Side& side : sides)
    for (const Row& row : side.rows)
      for (std::size_t way = 0; way < way_count; ++way) {
        CAPTURE(row.point);
        CAPTURE(way_names[way]);
        REQUIRE(row.cells[way] != nullptr);
        CHECK(*row.cells[way] != '\0');
      }
}

TEST_CASE("each way of a call passes the points of the table, in the order of the table") {
  for (std::size_t index = 0; index < way_count; ++index) {
    const Way way{static_cast<std::uint8_t>(index)};
    CAPTURE(way_names[index]);
    Log* log = nullptr;
    const auto add_adapter_log = [&log](const PortableInterceptor::ORBInitializer::Info& info) {
      info->add_ior_interceptor(CORBA::make_reference<PlannedAdapter>("adapter 1", log));
    };
    DeskOrbs orbs({.server_init = add_adapter_log}, kind_of(way));
    log = &orbs.log;
    WayCall call(orbs, way);
    CHECK(call.run() == (way == Way::oneway ? "sent" : way == Way::exception ? "Refused" : "42"));
    for (const Side& side : sides) {
      const Lines points = points_in(orbs.log, side.name);
      std::size_t known = 0;
      for (const Row& row : side.rows) {
        CAPTURE(row.point);
        const std::string positions = positions_of(points, row.point);
        CHECK(positions == (runs(row.cells[index]) ? row.cells[index] : ""));
        known += static_cast<std::size_t>(std::ranges::count(points, row.point));
      }
      CHECK(known == points.size());
    }
  }
}

TEST_CASE("docs/interceptors.md has the table of points and ways") {
  std::ifstream stream(PERIGEE_DOCS "/interceptors.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE_FALSE(text.empty());
  for (const Side& side : sides)
    for (const Row& row : side.rows) {
      CAPTURE(document_line(row));
      CHECK(text.find(document_line(row)) != std::string::npos);
    }
}

}  // namespace perigee::test
