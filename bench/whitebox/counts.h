// Reads the number of instructions at each stamp (steps.h) from a file of callgrind.
#pragma once

#include "steps.h"

#include <string>
#include <vector>

namespace perigee::bench {

/// Reads a file of callgrind with a part for each stamp (--combine-dumps=yes, --dump-after). Each
/// stamp of the result has the number of instructions so far in place of ticks, without those of
/// the stamps themselves. Throws std::runtime_error if the file is incomplete, or if it does not
/// have one part for each of `points`.
std::vector<Stamp> count_stamps(const std::string& file, const std::vector<probe::Point>& points);

/// The option of callgrind that ends a part at each stamp.
inline constexpr const char* dump_after_stamps =
    "--dump-after=perigee::probe::on::stamp(perigee::probe::Point)";

/// The points of stamps as one line of text, and back. Throws std::runtime_error.
std::string points_text(const std::vector<Stamp>& stamps);
std::vector<probe::Point> parse_points(const std::string& line);

}  // namespace perigee::bench
