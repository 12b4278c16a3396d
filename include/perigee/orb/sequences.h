// The sequences and names of basic types that <orb.idl> declares in module CORBA, in C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

class Any;

using Identifier = std::string;
using RepositoryId = std::string;
using ScopedName = std::string;
using ORBid = std::string;

using AnySeq = std::vector<Any>;
using BooleanSeq = std::vector<bool>;
using CharSeq = std::vector<char>;
using WCharSeq = std::vector<wchar_t>;
using OctetSeq = std::vector<std::uint8_t>;
using ShortSeq = std::vector<std::int16_t>;
using UShortSeq = std::vector<std::uint16_t>;
using LongSeq = std::vector<std::int32_t>;
using ULongSeq = std::vector<std::uint32_t>;
using LongLongSeq = std::vector<std::int64_t>;
using ULongLongSeq = std::vector<std::uint64_t>;
using FloatSeq = std::vector<float>;
using DoubleSeq = std::vector<double>;
using LongDoubleSeq = std::vector<long double>;
using StringSeq = std::vector<std::string>;
using WStringSeq = std::vector<std::wstring>;

}  // namespace perigee_v1
}  // namespace CORBA
