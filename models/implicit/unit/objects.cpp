// See objects.hpp.
#include "models/implicit/unit/objects.hpp"

#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {

void LoadedObject::place(const ObjectRecord& record) {
  const double lipschitz = record.lipschitz;
  if (code_.tape) {
    object_ = std::make_unique<render::Object>(*code_.tape, code_.bounds, record.world, lipschitz,
                                               record.id);
  } else {
    object_ = std::make_unique<render::Object>(*code_.program, code_.bounds, record.world,
                                               lipschitz, record.id);
  }
  record_ = record;
}

Region& LoadedObject::keep(std::uint64_t address, std::vector<std::uint8_t> bytes,
                           const Region& area) {
  Region region = area;
  region.first = address;
  region.copy = std::move(bytes);
  regions_.push_back(std::move(region));
  return regions_.back();
}

void LoadedObject::storeProgram(std::uint32_t code, std::uint64_t address,
                                std::vector<std::uint8_t> bytes, const Region& area) {
  programs_[code] = &keep(address, std::move(bytes), area);
}

void LoadedObject::storeLeaf(std::uint32_t number, std::uint64_t address,
                             std::vector<std::uint8_t> bytes, const Region& area) {
  if (leaves_.size() <= number) leaves_.resize(std::size_t{number} + 1);
  leaves_[number] = &keep(address, std::move(bytes), area);
}

void LoadedObject::storeSlope(std::uint32_t number, std::uint64_t address,
                              std::vector<std::uint8_t> bytes, const Region& area) {
  if (slopes_.size() <= number) slopes_.resize(std::size_t{number} + 1);
  slopes_[number] = &keep(address, std::move(bytes), area);
}

void LoadedObject::storeTask(std::uint32_t number, std::uint64_t address,
                             std::vector<std::uint8_t> bytes, const Region& area) {
  tasks_[number] = &keep(address, std::move(bytes), area);
}

const Region* LoadedObject::leafRegion(std::uint32_t number) const {
  return number < leaves_.size() ? leaves_[number] : nullptr;
}

const Region* LoadedObject::slopeRegion(std::uint32_t number) const {
  return number < slopes_.size() ? slopes_[number] : nullptr;
}

const Region* LoadedObject::taskRegion(std::uint32_t number) const {
  const auto it = tasks_.find(number);
  return it == tasks_.end() ? nullptr : it->second;
}

const Region* LoadedObject::programRegion(std::uint32_t code) const {
  const auto it = programs_.find(code);
  return it == programs_.end() ? nullptr : it->second;
}

const Plan& LoadedObject::plan(std::uint32_t code, Flavour flavour, const Timing& timing) {
  std::unique_ptr<Plan>& plan = plans_[{code, flavour}];
  if (plan) return *plan;
  const render::Code& running = hull_.codes.at(code);
  if (running.mask) {
    plan =
        std::make_unique<Plan>(maskPlan(*code_.tape, *running.mask, code_.tapes, timing, flavour));
    return *plan;
  }
  // The words themselves, because their pool need not be numbered as the program's.
  const Region& words = *programs_.at(code);
  std::vector<std::uint64_t> stream(words.copy.size() / 8);
  for (std::size_t n = 0; n < stream.size(); ++n)
    stream[n] = boost::endian::load_little_u64(words.copy.data() + 8 * n);
  const Region* const materials = code_.tape ? &code_.tapes.region(TapeKind::Materials) : nullptr;
  plan = std::make_unique<Plan>(
      programPlan(registers::decode(stream), words, materials, timing, flavour));
  return *plan;
}

}  // namespace rtvp::implicit::unit
