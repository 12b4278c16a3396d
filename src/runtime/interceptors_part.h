// The interceptors of options, which need a library of their own, libperigee_dynamic: only programs
// that use interceptors load it.
#pragma once

namespace perigee::runtime {

/// Lets new ORBs have interceptors. If the program is not linked with libperigee_dynamic, loads its
/// file from the folder of libperigee or from the system's folders of libraries. Raises
/// CORBA::INITIALIZE if the file cannot be loaded, or was built for another ORB. The error names
/// `option`, which needs the library. Any thread.
void load_interceptors(const char* option);

}  // namespace perigee::runtime
