// What generated files of coroutine servants (…AsyncS.h) stand on.
#pragma once

#include <perigee/async/task.h>
#include <perigee/poa/servant.h>

namespace CORBA {
inline namespace perigee_v1 {

/// `base_type` (the skeleton to derive from), `ref_type`, `weak_ref_type`, and the classes of
/// several results, as `get_quote_results`: by generated code.
template <typename T>
struct async_traits;

}  // namespace perigee_v1
}  // namespace CORBA
