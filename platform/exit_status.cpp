#include "platform/exit_status.hpp"

#include <array>
#include <cstdio>
#include <systemc>

#include "models/common/report_ids.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/report/image.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::platform {

ExitStatus exitStatusOf(std::string_view reportId) {
  static constexpr std::array kFaults = {
      report_ids::kLockstep,   report_ids::kSlaveWrite,   report_ids::kDspFault,
      report_ids::kContention, report_ids::kChain,        report_ids::kPciAbort,
      report_ids::kDriver,     report_ids::kTheiaFault,   report_ids::kSlFault,
      report_ids::kHartFault,  report_ids::kImplicitFault};
  static constexpr std::array kUnfinished = {report_ids::kDeadlock, report_ids::kLimit};
  for (const std::string_view id : kFaults) {
    if (id == reportId) return ExitStatus::Fault;
  }
  for (const std::string_view id : kUnfinished) {
    if (id == reportId) return ExitStatus::Unfinished;
  }
  return ExitStatus::Internal;
}

Failure describe(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    return {ExitStatus::BadInput, e.what()};
  } catch (const RunError& e) {
    return {e.status(), e.what()};
  } catch (const scene::SceneError& e) {
    return {ExitStatus::BadInput, e.what()};
  } catch (const report::ImageError& e) {
    return {ExitStatus::BadInput, e.what()};
  } catch (const host::HitFault& e) {
    return {ExitStatus::Fault, e.what()};
  } catch (const sc_core::sc_report& e) {
    const char* const id = e.get_msg_type() != nullptr ? e.get_msg_type() : "";
    const char* const text = e.get_msg() != nullptr ? e.get_msg() : "";
    return {exitStatusOf(id), std::string(id) + ": " + text};
  } catch (const std::bad_alloc&) {
    return {ExitStatus::Internal, "out of memory"};
  } catch (const std::exception& e) {
    return {ExitStatus::Internal, std::string("internal error: ") + e.what()};
  } catch (...) {
    return {ExitStatus::Internal, "internal error: unknown exception"};
  }
}

void print(const Failure& failure) {
  std::fprintf(stderr, "platform: error: %s\n", failure.message.c_str());
}

}  // namespace rtvp::platform
