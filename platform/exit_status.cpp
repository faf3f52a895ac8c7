#include "platform/exit_status.hpp"

#include <algorithm>
#include <cstdio>
#include <systemc>

#include "models/common/report_ids.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/report/image.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::platform {

ExitStatus exitStatusOf(std::string_view reportId, std::span<const std::string_view> faults) {
  if (reportId == report_ids::kDeadlock || reportId == report_ids::kLimit) {
    return ExitStatus::Unfinished;
  }
  return std::find(faults.begin(), faults.end(), reportId) != faults.end() ? ExitStatus::Fault
                                                                           : ExitStatus::Internal;
}

Failure describe(const std::exception_ptr& error, std::span<const std::string_view> faults) {
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
    return {exitStatusOf(id, faults), std::string(id) + ": " + text};
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
