// Where the executable's heap lies on this computer; changes no result.
#pragma once

namespace rtvp::platform {

/// Asks Linux for large pages (2 MiB) behind the first 256 MiB of the heap, and glibc to keep what
/// is freed. To be called before other threads exist; where there is no such C library, or the
/// address space has a limit, it does nothing.
///
/// Why: the state of hundreds of processors is some ten thousand small pages, each of which costs a
/// page fault when it is met first and an entry of the host's address translation whenever the
/// simulation comes round to it. Addresses are reserved, not memory.
void useLargePages() noexcept;

}  // namespace rtvp::platform
