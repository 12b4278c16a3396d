// The statements of "Object-Oriented Components for High-speed Network Programming" (1995) that its
// figures do not show: about demultiplexing, slow networks, datagrams and medical images.
#pragma once

#include "paper/figure.h"

#include <vector>

namespace perigee::bench::paper {

/// The runs that the figures below use.
std::vector<Run> ipc_sap_text_runs();

Figure demultiplexing();
Figure slow_networks();
Figure datagrams();
Figure medical_images();

}  // namespace perigee::bench::paper
