// The arguments of one call: from the words of the command line to CORBA values.
#pragma once

#include "call/interfaces.h"
#include "call/json_reader.h"
#include <perigee/dynamic/named_value.h>

#include <istream>
#include <string>
#include <vector>

namespace perigee::tool {

/// "transfer(in long amount, out string note)", for error texts.
[[nodiscard]] std::string signature_of(const OperationTypes& operation);

/// The argument list of a Request. `words` has one word of JSON for each `in` and `inout`
/// parameter. For a string, an enumerator or a reference, the word may also be the text without
/// quotes. A single word "-" stands for JSON from `input`: an array of the arguments, or an object
/// with the names of the parameters. Throws JsonError.
[[nodiscard]] CORBA::NVList arguments_of(const OperationTypes& operation,
                                         const std::vector<std::string>& words, std::istream& input,
                                         JsonReader& reader);

}  // namespace perigee::tool
