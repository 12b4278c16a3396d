// The streams of custom valuetypes.
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/any.h>
#include <perigee/orb/data_streams.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/marshalling.h>

#include <algorithm>
#include <exception>
#include <new>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

constexpr perigee::value::Description stream_description{"IDL:omg.org/CORBA/DataStream:1.0"};

[[noreturn]] void raise_closed() {
  throw BAD_INV_ORDER(0, COMPLETED_NO, "the stream of a custom valuetype was used after its call");
}

/// Closes a stream also if the program raises an exception.
template <typename Stream>
class Open {
 public:
  template <typename Coder>
  explicit Open(Coder& coder) : stream_(make_reference<Stream>(coder)) {}
  ~Open() { stream_->_close(); }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  [[nodiscard]] const valuetype_reference<Stream>& stream() const noexcept { return stream_; }

 private:
  valuetype_reference<Stream> stream_;
};

}  // namespace

const perigee::value::Description& DataStream::_description() const noexcept {
  return stream_description;
}
void DataStream::_marshal(perigee::cdr::Encoder& encoder) const {
  encoder.fail(perigee::cdr::ErrorKind::local_object);
}
void DataStream::_unmarshal(perigee::cdr::Decoder& decoder) {
  decoder.fail(perigee::cdr::ErrorKind::local_object);
}

// ---- output ------------------------------------------------------------------------------------

perigee::cdr::Encoder& DataOutputStream::encoder() {
  if (encoder_ == nullptr) raise_closed();
  return *encoder_;
}

template <typename T>
void DataOutputStream::write(const T& value) {
  encoder() << value;
}

template <typename T>
void DataOutputStream::write_array(const std::vector<T>& values, std::uint32_t offset,
                                   std::uint32_t length) {
  if (offset > values.size() || length > values.size() - offset)
    throw BAD_PARAM(0, COMPLETED_NO, "the sequence has fewer elements than are written");
  for (std::size_t index = offset; index != offset + std::size_t{length}; ++index)
    encoder() << static_cast<const T&>(values[index]);
}

void DataOutputStream::write_any(const Any& value) { write(value); }
// Copied: the program may change or destroy the text before the message is sent.
void DataOutputStream::write_string(const std::string& value) { encoder().write_string(value); }
void DataOutputStream::write_wstring(const std::wstring& value) { write(value); }
void DataOutputStream::write_Object(const object_reference<Object>& value) { write(value); }
void DataOutputStream::write_Abstract(const abstract_reference<AbstractBase>& value) {
  write(value);
}
void DataOutputStream::write_Value(const valuetype_reference<ValueBase>& value) { write(value); }
void DataOutputStream::write_TypeCode(const object_reference<TypeCode>& value) { write(value); }

// ---- input -------------------------------------------------------------------------------------

perigee::cdr::Decoder& DataInputStream::decoder() {
  if (decoder_ == nullptr) raise_closed();
  return *decoder_;
}

void DataInputStream::check() const {
  if (decoder_->ok()) return;
  perigee::orb::raise_decode_error(decoder_->error(), perigee::orb::Sender::client, COMPLETED_NO,
                                   "reading a custom valuetype");
}

template <typename T>
T DataInputStream::read() {
  T value{};
  decoder() >> value;
  check();
  return value;
}

// Grows by one element at a time, as far as the octets of the message go.
template <typename T>
void DataInputStream::read_array(std::vector<T>& values, std::uint32_t offset,
                                 std::uint32_t length) {
  if (length > decoder().remaining()) {
    decoder().fail(perigee::cdr::ErrorKind::bad_length);
    check();
  }
  if (offset > values.size())
    throw BAD_PARAM(0, COMPLETED_NO, "the sequence has fewer elements than the offset");
  for (std::size_t index = offset; index != offset + std::size_t{length}; ++index) {
    if (index == values.size()) values.emplace_back();
    values[index] = read<T>();
  }
}

Any DataInputStream::read_any() { return read<Any>(); }
std::string DataInputStream::read_string() { return read<std::string>(); }
std::wstring DataInputStream::read_wstring() { return read<std::wstring>(); }
object_reference<Object> DataInputStream::read_Object() { return read<object_reference<Object>>(); }
abstract_reference<AbstractBase> DataInputStream::read_Abstract() {
  return read<abstract_reference<AbstractBase>>();
}
valuetype_reference<ValueBase> DataInputStream::read_Value() {
  return read<valuetype_reference<ValueBase>>();
}
object_reference<TypeCode> DataInputStream::read_TypeCode() {
  return read<object_reference<TypeCode>>();
}

// ---- the functions of both that differ in their types only -------------------------------------

// clang-format off: a table
#define PERIGEE_ELEMENT_TYPES(X)                                                         \
  X(boolean, bool) X(char, char) X(wchar, wchar_t) X(octet, std::uint8_t)                \
  X(short, std::int16_t) X(ushort, std::uint16_t) X(long, std::int32_t)                  \
  X(ulong, std::uint32_t) X(longlong, std::int64_t) X(ulonglong, std::uint64_t)          \
  X(float, float) X(double, double)
// clang-format on
#define PERIGEE_DEFINE_ONE(NAME, T)                              \
  void DataOutputStream::write_##NAME(T value) { write(value); } \
  T DataInputStream::read_##NAME() { return read<T>(); }
#define PERIGEE_DEFINE_ARRAY(NAME, T)                                                             \
  void DataOutputStream::write_##NAME##_array(const std::vector<T>& values, std::uint32_t offset, \
                                              std::uint32_t length) {                             \
    write_array(values, offset, length);                                                          \
  }                                                                                               \
  void DataInputStream::read_##NAME##_array(std::vector<T>& values, std::uint32_t offset,         \
                                            std::uint32_t length) {                               \
    read_array(values, offset, length);                                                           \
  }
PERIGEE_ELEMENT_TYPES(PERIGEE_DEFINE_ONE)
PERIGEE_DEFINE_ONE(longdouble, long double)
PERIGEE_ELEMENT_TYPES(PERIGEE_DEFINE_ARRAY)
PERIGEE_DEFINE_ARRAY(any, Any)
#undef PERIGEE_DEFINE_ARRAY
#undef PERIGEE_DEFINE_ONE
#undef PERIGEE_ELEMENT_TYPES

// ---- custom valuetypes -------------------------------------------------------------------------

// `marshal` is not const in the mapping of IDL. If it raises an exception, the encoder fails, since
// functions that encode throw nothing but std::bad_alloc.
void CustomMarshal::_marshal(perigee::cdr::Encoder& encoder) const {
  try {
    const Open<DataOutputStream> output(encoder);
    const_cast<CustomMarshal*>(this)->marshal(output.stream());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    encoder.fail(perigee::cdr::ErrorKind::bad_value);
  }
}

bool CustomMarshal::_unmarshal_custom(perigee::cdr::Decoder& decoder) {
  if (!decoder.ok()) return false;
  const Open<DataInputStream> input(decoder);
  unmarshal(input.stream());
  return true;
}

}  // namespace perigee_v1
}  // namespace CORBA
