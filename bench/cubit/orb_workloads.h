// The cubit workloads over an ORB. The file that includes this header defines `Calls`, which makes
// the calls in the ORB's mapping.
#pragma once

#include "workloads.h"

#include <iterator>
#include <vector>

namespace cubit {

/// Each function of `Calls` makes one call. `next_char(v)`, `cube_octet(v)`, `cube_short(v)`,
/// `cube_long(v)` and `cube_double(v)` return the result. `cube_void()`, `cube_struct(o, l, s)`,
/// `cube_union(o, l, s)` (the same values in a union), `cube_any(l)`, `echo_octets(size)`,
/// `count_octets(size)`, `echo_longs(count)` and `echo_structs(count)` return whether the result is
/// correct.
template <typename Calls>
std::vector<Workload> make_workloads(Calls& calls) {
  std::vector<Workload> workloads{
      {"void", [&calls] { return calls.cube_void(); }},
      {"char", [&calls] { return calls.next_char('p') == 'q'; }},
      {"octet", [&calls] { return calls.cube_octet(7) == cube(std::uint8_t{7}); }},
      {"short", [&calls] { return calls.cube_short(-23) == cube(std::int16_t{-23}); }},
      {"long", [&calls] { return calls.cube_long(1201) == cube(std::int32_t{1201}); }},
      {"double", [&calls] { return calls.cube_double(1.5) == cube(1.5); }},
      {"struct", [&calls] { return calls.cube_struct(7, 1201, -23); }},
      {"union", [&calls] { return calls.cube_union(7, 1201, -23); }},
      {"any", [&calls] { return calls.cube_any(1201); }},
      {"longs4", [&calls] { return calls.echo_longs(small_sequence_size / 4); }},
      {"longs4096", [&calls] { return calls.echo_longs(large_sequence_size / 4); }},
      {"structs4096", [&calls] { return calls.echo_structs(struct_count); }},
  };
  for (const std::size_t size : echo_sizes)
    workloads.push_back({echo_name(size), [&calls, size] { return calls.echo_octets(size); }});
  for (const std::size_t size : small_borrowed_sizes)
    workloads.push_back({borrowed_name(size), [&calls, size] { return calls.count_octets(size); }});
  for (const std::size_t size : large_sizes) {
    if (size > *std::rbegin(echo_sizes))
      workloads.push_back({echo_name(size), [&calls, size] { return calls.echo_octets(size); }});
    workloads.push_back({borrowed_name(size), [&calls, size] { return calls.count_octets(size); }});
  }
  return workloads;
}

}  // namespace cubit
