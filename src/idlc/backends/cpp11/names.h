// The C++ names of IDL identifiers, declarations and files.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/model.h"

#include <string>
#include <string_view>

namespace perigee::idlc::cpp11 {

/// The line that includes <perigee/corba.h>, the header of applications. Empty if `is_wanted` is
/// false, or if the file, or a file that it includes, declares names in module CORBA: the header
/// may have the same names.
std::string orb_include(const Model& model, bool is_wanted);

/// The identifier, with the prefix `_cxx_` if C++ or the mapping forbids it.
std::string cpp_name(std::string_view identifier);
/// The same for a declaration. A declaration at file level also must not have a name that the
/// global namespace already contains.
std::string cpp_name(const Declaration& declaration);
/// Whether the global namespace already contains that name: a function of the C library, or a
/// namespace of Perigee.
bool is_taken_globally(std::string_view identifier);
/// "::Stock::Quoter", with each part as a C++ name.
std::string qualified_name(const Declaration& declaration);
/// "::POA::Stock::Quoter": the skeleton class of an interface.
std::string skeleton_name(const Interface& interface);
/// The tie template beside the skeleton. An IDL name cannot begin with an underscore.
std::string tie_name(const Interface& interface);

/// The text as a C++ string literal with its quotes.
std::string string_literal(std::string_view text);

/// "stock.idl": the path without folders.
std::string file_name(const std::string& path);
/// @name The names of the headers that are generated from an IDL file.
/// @{
std::string client_header(const std::string& idl_path, const FileNames& names);
std::string server_header(const std::string& idl_path, const FileNames& names);
/// TypeCodes, and the operators of CORBA::Any.
std::string any_header(const std::string& idl_path, const FileNames& names);
/// Asynchronous calls.
std::string ami_header(const std::string& idl_path, const FileNames& names);
/// Reply handlers that are objects.
std::string ami_server_header(const std::string& idl_path, const FileNames& names);
/// Asynchronous servants.
std::string amh_header(const std::string& idl_path, const FileNames& names);
/// Calls by coroutines.
std::string async_header(const std::string& idl_path, const FileNames& names);
/// Coroutine servants.
std::string async_server_header(const std::string& idl_path, const FileNames& names);
/// @}

}  // namespace perigee::idlc::cpp11
