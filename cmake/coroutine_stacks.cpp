// Linked into every program of a build with AddressSanitizer, which must know on which stack the
// program is: SystemC's processes have stacks of their own.
//
// libsystemc 2.3.4 announces its switches (__sanitizer_start_switch_fiber), but not where the main
// stack lies, and not the switch back to it when a process ends or throws. The sanitizer then takes
// a dead process's stack for the main one: exceptions print "ASan is ignoring requested
// __asan_handle_no_return", and LeakSanitizer ends the program on a page that is there no more.
// Here the announcements are completed, and what goes wrong otherwise looks first where it is.
//
// Each stack also has a page without access, against overflow, on which LeakSanitizer dies when it
// reads what is allocated. A page that can be read stops an overflow as well, because that writes.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace {

struct Stack {
  void* bottom = nullptr;
  size_t bytes = 0;
};

Stack mainStack;
bool onProcess = false;  // the last announced switch was to a process's stack

/// The sanitizer's own function (or libstdc++'s) that one of this file stands before.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void start(void** fake, const void* bottom, size_t bytes) {
  static auto* const real =
      next<void(void**, const void*, size_t)>("__sanitizer_start_switch_fiber");
  real(fake, bottom, bytes);
}

void finish(void* fake, const void** bottom, size_t* bytes) {
  static auto* const real =
      next<void(void*, const void**, size_t*)>("__sanitizer_finish_switch_fiber");
  real(fake, bottom, bytes);
}

/// Announces the switch back to the main stack if nobody did.
void settle() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto bottom = reinterpret_cast<std::uintptr_t>(mainStack.bottom);
  if (!onProcess || here - bottom >= mainStack.bytes) return;
  onProcess = false;
  start(nullptr, mainStack.bottom, mainStack.bytes);
  finish(nullptr, nullptr, nullptr);
}

/// Before main() and after it; leaks are looked for later still.
struct Ends {
  Ends() {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &mainStack.bottom, &mainStack.bytes);
    pthread_attr_destroy(&attributes);
  }
  ~Ends() { settle(); }
} ends;

}  // namespace

struct _Unwind_Exception;

extern "C" {

void __sanitizer_start_switch_fiber(void** fake, const void* bottom, size_t bytes) {
  onProcess = bottom != nullptr;
  start(fake, onProcess ? bottom : mainStack.bottom, onProcess ? bytes : mainStack.bytes);
}

void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, size_t* bytes) {
  finish(fake, bottom, bytes);
}

[[noreturn]] void __cxa_throw(void* exception, void* type, void (*destructor)(void*)) {
  static auto* const real = next<void(void*, void*, void (*)(void*))>("__cxa_throw");
  settle();
  real(exception, type, destructor);
  __builtin_unreachable();
}

int _Unwind_RaiseException(_Unwind_Exception* exception) {
  static auto* const real = next<int(_Unwind_Exception*)>("_Unwind_RaiseException");
  settle();
  return real(exception);
}

/// In front of every call that does not return: exit and its like, and our own.
void __asan_handle_no_return() {
  static auto* const real = next<void()>("__asan_handle_no_return");
  settle();
  real();
}

int mprotect(void* address, size_t bytes, int protection) noexcept {
  const int granted = protection == PROT_NONE ? PROT_READ : protection;
  return static_cast<int>(syscall(SYS_mprotect, address, bytes, granted));
}
}
