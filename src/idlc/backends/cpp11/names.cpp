// Makes C++ names that are not reserved words or macros, and the names of generated files.
#include "idlc/backends/cpp11/names.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

// Each word stands between spaces. The list has C++20's keywords and alternative tokens, the
// integer types of <cstdint>, `what` of std::exception, and macros of the C library's commonest
// headers.
constexpr std::string_view taken_words =
    " "
    "EOF NULL alignas alignof and and_eq asm assert auto bitand bitor bool break case catch "
    "char char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum errno explicit export extern false float for friend goto if inline "
    "int int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t "
    "int_least16_t int_least32_t int_least64_t int_least8_t intmax_t intptr_t linux long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast stderr stdin stdout struct switch template this thread_local throw true "
    "try typedef typeid typename uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t "
    "uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t "
    "uintmax_t uintptr_t union unix unsigned using virtual void volatile wchar_t what while xor "
    "xor_eq ";

// Macros of the C library that generated headers make visible, including the headers for the type
// any and for asynchronous calls. For example, an enumerator called EAGAIN would not compile.
constexpr std::string_view taken_macros =
    " "
    "ADJ_ESTERROR ADJ_FREQUENCY ADJ_MAXERROR ADJ_MICRO ADJ_NANO ADJ_OFFSET "
    "ADJ_OFFSET_SINGLESHOT ADJ_OFFSET_SS_READ ADJ_SETOFFSET ADJ_STATUS ADJ_TAI ADJ_TICK "
    "ADJ_TIMECONST AIO_PRIO_DELTA_MAX ATOMIC_BOOL_LOCK_FREE ATOMIC_CHAR16_T_LOCK_FREE "
    "ATOMIC_CHAR32_T_LOCK_FREE ATOMIC_CHAR8_T_LOCK_FREE ATOMIC_CHAR_LOCK_FREE "
    "ATOMIC_FLAG_INIT ATOMIC_INT_LOCK_FREE ATOMIC_LLONG_LOCK_FREE ATOMIC_LONG_LOCK_FREE "
    "ATOMIC_POINTER_LOCK_FREE ATOMIC_SHORT_LOCK_FREE ATOMIC_VAR_INIT ATOMIC_WCHAR_T_LOCK_FREE "
    "BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ "
    "BYTE_ORDER CHARCLASS_NAME_MAX CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC "
    "CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM CLOCK_MONOTONIC CLOCK_MONOTONIC_COARSE "
    "CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_REALTIME_ALARM "
    "CLOCK_REALTIME_COARSE CLOCK_TAI CLOCK_THREAD_CPUTIME_ID CLONE_CHILD_CLEARTID "
    "CLONE_CHILD_SETTID CLONE_DETACHED CLONE_FILES CLONE_FS CLONE_IO CLONE_NEWCGROUP "
    "CLONE_NEWIPC CLONE_NEWNET CLONE_NEWNS CLONE_NEWPID CLONE_NEWTIME CLONE_NEWUSER "
    "CLONE_NEWUTS CLONE_PARENT CLONE_PARENT_SETTID CLONE_PIDFD CLONE_PTRACE CLONE_SETTLS "
    "CLONE_SIGHAND CLONE_SYSVSEM CLONE_THREAD CLONE_UNTRACED CLONE_VFORK CLONE_VM "
    "CLOSE_RANGE_CLOEXEC CLOSE_RANGE_UNSHARE COLL_WEIGHTS_MAX CPU_ALLOC CPU_ALLOC_SIZE "
    "CPU_AND CPU_AND_S CPU_CLR CPU_CLR_S CPU_COUNT CPU_COUNT_S CPU_EQUAL CPU_EQUAL_S CPU_FREE "
    "CPU_ISSET CPU_ISSET_S CPU_OR CPU_OR_S CPU_SET CPU_SETSIZE CPU_SET_S CPU_XOR CPU_XOR_S "
    "CPU_ZERO CPU_ZERO_S CSIGNAL DELAYTIMER_MAX E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV "
    "EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT "
    "EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK "
    "EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH "
    "EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED "
    "EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX "
    "ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL "
    "ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT "
    "ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC "
    "ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK "
    "ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE "
    "EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL "
    "EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT "
    "ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE "
    "EXIT_SUCCESS EXPR_NEST_MAX FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO FILENAME_MAX "
    "FOPEN_MAX F_LOCK F_OK F_TEST F_TLOCK F_ULOCK HOST_NAME_MAX INT16_C INT16_MAX INT16_MIN "
    "INT16_WIDTH INT32_C INT32_MAX INT32_MIN INT32_WIDTH INT64_C INT64_MAX INT64_MIN "
    "INT64_WIDTH INT8_C INT8_MAX INT8_MIN INT8_WIDTH INTMAX_C INTMAX_MAX INTMAX_MIN "
    "INTMAX_WIDTH INTPTR_MAX INTPTR_MIN INTPTR_WIDTH INT_FAST16_MAX INT_FAST16_MIN "
    "INT_FAST16_WIDTH INT_FAST32_MAX INT_FAST32_MIN INT_FAST32_WIDTH INT_FAST64_MAX "
    "INT_FAST64_MIN INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN INT_FAST8_WIDTH "
    "INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST16_WIDTH INT_LEAST32_MAX INT_LEAST32_MIN "
    "INT_LEAST32_WIDTH INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST64_WIDTH INT_LEAST8_MAX "
    "INT_LEAST8_MIN INT_LEAST8_WIDTH INT_MAX INT_MIN INT_WIDTH IOV_MAX ITIMER_PROF "
    "ITIMER_REAL ITIMER_VIRTUAL LC_ADDRESS LC_ADDRESS_MASK LC_ALL LC_ALL_MASK LC_COLLATE "
    "LC_COLLATE_MASK LC_CTYPE LC_CTYPE_MASK LC_GLOBAL_LOCALE LC_IDENTIFICATION "
    "LC_IDENTIFICATION_MASK LC_MEASUREMENT LC_MEASUREMENT_MASK LC_MESSAGES LC_MESSAGES_MASK "
    "LC_MONETARY LC_MONETARY_MASK LC_NAME LC_NAME_MASK LC_NUMERIC LC_NUMERIC_MASK LC_PAPER "
    "LC_PAPER_MASK LC_TELEPHONE LC_TELEPHONE_MASK LC_TIME LC_TIME_MASK LINE_MAX LITTLE_ENDIAN "
    "LLONG_MAX LLONG_MIN LLONG_WIDTH LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX LONG_LONG_MIN "
    "LONG_MAX LONG_MIN LONG_WIDTH L_INCR L_SET L_XTND L_ctermid L_cuserid L_tmpnam MAX_CANON "
    "MAX_INPUT MB_CUR_MAX MB_LEN_MAX MOD_CLKA MOD_CLKB MOD_ESTERROR MOD_FREQUENCY "
    "MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX "
    "NAME_MAX NFDBITS NGROUPS_MAX NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX NL_TEXTMAX "
    "NZERO PATH_MAX PDP_ENDIAN PIPE_BUF PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP "
    "PTHREAD_ATTR_NO_SIGMASK_NP PTHREAD_BARRIER_SERIAL_THREAD PTHREAD_CANCELED "
    "PTHREAD_CANCEL_ASYNCHRONOUS PTHREAD_CANCEL_DEFERRED PTHREAD_CANCEL_DISABLE "
    "PTHREAD_CANCEL_ENABLE PTHREAD_COND_INITIALIZER PTHREAD_CREATE_DETACHED "
    "PTHREAD_CREATE_JOINABLE PTHREAD_DESTRUCTOR_ITERATIONS "
    "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP PTHREAD_EXPLICIT_SCHED PTHREAD_INHERIT_SCHED "
    "PTHREAD_KEYS_MAX PTHREAD_MUTEX_INITIALIZER PTHREAD_ONCE_INIT PTHREAD_PROCESS_PRIVATE "
    "PTHREAD_PROCESS_SHARED PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP PTHREAD_RWLOCK_INITIALIZER "
    "PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP PTHREAD_SCOPE_PROCESS "
    "PTHREAD_SCOPE_SYSTEM PTHREAD_STACK_MIN PTRDIFF_MAX PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir "
    "RAND_MAX RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX R_OK "
    "SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SCHED_BATCH SCHED_DEADLINE SCHED_FIFO SCHED_IDLE "
    "SCHED_ISO SCHED_OTHER SCHED_RESET_ON_FORK SCHED_RR SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE "
    "SEEK_SET SEM_FAILED SEM_VALUE_MAX SHRT_MAX SHRT_MIN SHRT_WIDTH SIG_ATOMIC_MAX "
    "SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SIZE_MAX SIZE_WIDTH SSIZE_MAX STA_CLK STA_CLOCKERR "
    "STA_DEL STA_FLL STA_FREQHOLD STA_INS STA_MODE STA_NANO STA_PLL STA_PPSERROR STA_PPSFREQ "
    "STA_PPSJITTER STA_PPSSIGNAL STA_PPSTIME STA_PPSWANDER STA_RONLY STA_UNSYNC STDERR_FILENO "
    "STDIN_FILENO STDOUT_FILENO TEMP_FAILURE_RETRY TIMER_ABSTIME TIMESPEC_TO_TIMEVAL "
    "TIMEVAL_TO_TIMESPEC TIME_UTC TMP_MAX TTY_NAME_MAX UCHAR_MAX UCHAR_WIDTH UINT16_C "
    "UINT16_MAX UINT16_WIDTH UINT32_C UINT32_MAX UINT32_WIDTH UINT64_C UINT64_MAX "
    "UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH UINTMAX_C UINTMAX_MAX UINTMAX_WIDTH "
    "UINTPTR_MAX UINTPTR_WIDTH UINT_FAST16_MAX UINT_FAST16_WIDTH UINT_FAST32_MAX "
    "UINT_FAST32_WIDTH UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX UINT_FAST8_WIDTH "
    "UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX UINT_LEAST32_WIDTH UINT_LEAST64_MAX "
    "UINT_LEAST64_WIDTH UINT_LEAST8_MAX UINT_LEAST8_WIDTH UINT_MAX UINT_WIDTH ULLONG_MAX "
    "ULLONG_WIDTH ULONG_LONG_MAX ULONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCHAR_MAX "
    "WCHAR_MIN WCHAR_WIDTH WCONTINUED WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED "
    "WIFSIGNALED WIFSTOPPED WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WNOWAIT WORD_BIT WSTOPPED "
    "WSTOPSIG WTERMSIG WUNTRACED W_OK XATTR_LIST_MAX XATTR_NAME_MAX XATTR_SIZE_MAX X_OK "
    "alloca be16toh be32toh be64toh htobe16 htobe32 htobe64 htole16 htole32 htole64 le16toh "
    "le32toh le64toh offsetof pthread_cleanup_pop pthread_cleanup_pop_restore_np "
    "pthread_cleanup_push pthread_cleanup_push_defer_np sched_priority strdupa strndupa "
    "timeradd timerclear timercmp timerisset timersub ";

// A macro for each system call, from <sys/syscall.h>: SYS_read. Their number grows with the kernel.
bool is_system_call(std::string_view name) {
  constexpr std::string_view prefix = "SYS_";
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         (name[prefix.size()] == '_' || (name[prefix.size()] >= 'a' && name[prefix.size()] <= 'z'));
}

// Types and scopes must not have these names; members and parameters may. Each class has a member
// `swap` and a friend of this name. A type `std` would hide the standard library's namespace. C++
// ignores functions and variables when it looks for the name before `::`.
bool is_taken_for_scopes(std::string_view name) { return name == "swap" || name == "std"; }

std::string with_suffix(const std::string& idl_path, const std::string& suffix) {
  const std::size_t name_start = idl_path.find_last_of('/') + 1;
  const std::size_t dot = idl_path.find_last_of('.');
  const bool has_extension = dot != std::string::npos && dot > name_start;
  return (has_extension ? idl_path.substr(0, dot) : idl_path) + suffix;
}

}  // namespace

std::string cpp_name(std::string_view identifier) {
  const std::string name(identifier);
  const std::string word = " " + name + " ";
  const bool is_taken = taken_words.find(word) != std::string_view::npos ||
                        taken_macros.find(word) != std::string_view::npos || is_system_call(name);
  return is_taken ? "_cxx_" + name : name;
}

std::string cpp_name(const Declaration& declaration) {
  const bool is_taken = is_taken_for_scopes(declaration.name) ||
                        (declaration.parent == nullptr && is_taken_globally(declaration.name));
  return is_taken ? "_cxx_" + declaration.name : cpp_name(declaration.name);
}

std::string qualified_name(const Declaration& declaration) {
  std::string result;
  std::string_view rest = declaration.scoped_name;
  while (rest.starts_with("::")) {
    rest.remove_prefix(2);
    const std::string_view part = rest.substr(0, rest.find("::"));
    const bool is_taken = is_taken_for_scopes(part) || (result.empty() && is_taken_globally(part));
    result.append("::").append(is_taken ? "_cxx_" + std::string(part) : cpp_name(part));
    rest.remove_prefix(part.size());
  }
  return result;
}

std::string skeleton_name(const Interface& interface) {
  return "::POA" + qualified_name(interface);
}

std::string tie_name(const Interface& interface) { return "_tie_" + interface.name; }

std::string orb_include(const Model& model, bool is_wanted) {
  const auto is_own = [](const Declaration* declaration) {
    const SourceFile* const file = declaration->location.file;
    return file == nullptr || !file->is_builtin;
  };
  const bool has_own = std::ranges::any_of(model.definitions, [&](const Declaration* declaration) {
    const auto* module = as<Module>(declaration);
    return module != nullptr && module->scoped_name == "::CORBA" &&
           std::ranges::any_of(module->contents, is_own);
  });
  return is_wanted && !has_own ? "#include <perigee/corba.h>\n" : "";
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto octet = static_cast<unsigned char>(character);
    const bool may_be_trigraph = character == '?' && result.back() == '?';  // -Wall warns
    if (character == '"' || character == '\\' || may_be_trigraph) {
      result.append(1, '\\').append(1, character);
    } else if (octet >= 0x20 && octet < 0x7f) {
      result += character;
    } else {  // three octal digits: digits may follow, unlike after \x
      result += '\\';
      for (const int shift : {6, 3, 0}) result += static_cast<char>('0' + ((octet >> shift) & 7));
    }
  }
  return result + '"';
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string client_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.client_suffix + names.header_extension);
}

std::string server_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.server_suffix + names.header_extension);
}

std::string any_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.any_suffix + names.header_extension);
}

std::string ami_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.ami_suffix + names.header_extension);
}

std::string ami_server_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.ami_server_suffix + names.header_extension);
}

std::string amh_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.amh_suffix + names.header_extension);
}

std::string async_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.async_suffix + names.header_extension);
}

std::string async_server_header(const std::string& idl_path, const FileNames& names) {
  return with_suffix(idl_path, names.async_server_suffix + names.header_extension);
}

std::vector<std::string> output_names(const std::string& idl_path, const FileNames& names) {
  const bool with_servants = !names.client_only;
  std::vector<std::string> suffixes = {names.client_suffix};
  if (with_servants) suffixes.push_back(names.server_suffix);
  if (names.with_any) suffixes.push_back(names.any_suffix);
  if (names.with_ami) suffixes.push_back(names.ami_suffix);
  if (names.with_ami && with_servants) suffixes.push_back(names.ami_server_suffix);
  if (names.with_amh && with_servants) suffixes.push_back(names.amh_suffix);
  if (names.with_async) suffixes.push_back(names.async_suffix);
  if (names.with_async && with_servants) suffixes.push_back(names.async_server_suffix);
  if (names.with_repository) suffixes.push_back(names.repository_suffix);
  const std::string name = file_name(idl_path);
  std::vector<std::string> result;
  for (const std::string& suffix : suffixes)
    for (const std::string& extension : {names.header_extension, names.source_extension})
      result.push_back(with_suffix(name, suffix + extension));
  if (names.with_one_source)
    result.push_back(
        with_suffix(name, std::string(FileNames::one_source_suffix) + names.source_extension));
  return result;
}

}  // namespace perigee::idlc::cpp11
