// See translate.hpp. Registers of the C32: IR0 is 0 at nodes that are active in the block, R0..R7
// and AR0..AR5 are scratch.
#include "models/sl/c32/translate.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <set>

#include "models/sl/math.hpp"
#include "models/sl/number.hpp"

namespace rtvp::sl::c32 {
namespace {

constexpr const char* kLanes[] = {"x", "y", "z"};

std::string label(unsigned id, unsigned lane = 0) {
  const std::string name = "g_" + std::string(findRegister(id)->name);
  return isVector(id) ? name + "_" + kLanes[lane] : name;
}

/// A run of instructions with one way in, at its start.
struct Block {
  std::uint32_t first = 0;
  std::uint32_t end = 0;  ///< one past the last
  bool together = false;  ///< every node that still runs is active in it
};

class Translator {
 public:
  explicit Translator(const Program& program) : program_(program) {}

  Translation run() {
    check();
    findBlocks();
    for (std::size_t n = 0; n < blocks_.size(); ++n) block(n);
    finish();
    Translation out;
    out.inputs = inputs();
    out.files["shader_sizes.inc"] =
        "POINT_WORDS     .set    " + std::to_string(out.inputs.size() + 1) + "\n";
    out.files["shader_inputs.inc"] = inputText(out.inputs);
    out.files["shader_registers.inc"] = registerText();
    out.files["permutation.inc"] = permutationText();
    out.files["shader_code.inc"] = code_;
    return out;
  }

 private:
  // ---- what the program is
  void check() const;
  void findBlocks();
  [[nodiscard]] bool goesBack(std::uint32_t pc) const {
    return program_[pc].info().branches() && program_.target(pc) <= pc;
  }
  [[nodiscard]] std::vector<Input> inputs() const;

  // ---- text
  void emit(const std::string& operation, const std::string& operands) {
    code_ += "        " + operation +
             std::string(8 - std::min<std::size_t>(7, operation.size()), ' ') + operands + '\n';
  }
  void call(const char* routine) { emit("CALL", routine); }
  void load(const char* r, unsigned id, unsigned lane = 0) {
    emit("LDF", "@" + label(id, lane) + "," + r);
  }
  [[nodiscard]] static std::string inputText(const std::vector<Input>& inputs);
  [[nodiscard]] std::string registerText() const;
  [[nodiscard]] static std::string permutationText();

  // ---- blocks
  void block(std::size_t n);
  void leave(std::size_t n);
  void countInstructions(const Block& b);
  void goTo(const Block& b, std::uint32_t pc);
  void voteFor(std::uint32_t target);
  void finish();

  // ---- instructions
  void instruction(const Instruction& in);
  void vectorInstruction(const Instruction& in);
  void scalarInstruction(const Instruction& in);
  void copy(const std::string& from, const std::string& to);
  void literalTo(std::uint32_t bits, const std::string& to);
  void store(const std::vector<std::string>& to, bool round);
  void crossProduct(const Instruction& in);
  void random(const Instruction& in);
  void divideBy(unsigned id);

  const Program& program_;
  std::vector<Block> blocks_;
  bool loops_ = false;
  bool masked_ = false;  ///< the block being written is for some nodes only
  unsigned votes_ = 0;
  std::set<unsigned> written_;
  std::map<std::uint32_t, unsigned> literals_;  ///< bits -> number
  std::string code_;
};

void Translator::check() const {
  const auto refuse = [this](std::uint32_t pc, const std::string& why) {
    throw Untranslatable("instruction " + std::to_string(pc) + " (" + disassemble(program_[pc]) +
                         "): " + why);
  };
  if (program_.size() > kMostInstructions)
    throw Untranslatable("found " + std::to_string(program_.size()) +
                         " instructions, expected at most " + std::to_string(kMostInstructions));
  for (std::uint32_t pc = 0; pc < program_.size(); ++pc) {
    const Instruction& in = program_[pc];
    if (in.form == Form::Trace || in.form == Form::Lookup)
      refuse(pc, "the shading firmware has neither trace nor lookup");
    const FormInfo& info = in.info();
    for (unsigned n = 0; n < info.sources(); ++n) {
      if (info.source(n) == Operand::VectorSource && isTextureSlot(n == 0 ? in.a : in.b))
        refuse(pc, "the shading firmware samples no textures");
    }
  }
}

void Translator::findBlocks() {
  const std::uint32_t size = program_.size();
  std::set<std::uint32_t> starts{0};
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const bool branch = program_[pc].info().branches();
    if (branch) starts.insert(program_.target(pc));
    if (branch || program_[pc].form == Form::Ret) starts.insert(pc + 1);
    if (goesBack(pc)) loops_ = true;
  }
  starts.insert(size);
  for (auto it = starts.begin(); *it != size; ++it) blocks_.push_back({*it, *std::next(it), true});
  // A way that leads over a block's start, forwards or back, leaves nodes waiting elsewhere.
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& in = program_[pc];
    if (!in.info().branches() && in.form != Form::Ret) continue;
    const std::uint32_t to = in.form == Form::Ret ? size : program_.target(pc);
    for (Block& b : blocks_) {
      const bool over = to > pc ? pc < b.first && b.first < to : to <= b.first && b.first <= pc;
      if (over) b.together = false;
    }
  }
}

std::vector<Input> Translator::inputs() const {
  std::vector<Input> out;
  for (const RegisterInfo& r : kRegisters) {
    if ((program_.inputs() >> r.id & 1U) == 0 || r.id == reg::v0 || r.id == reg::v1) continue;
    for (unsigned lane = 0; lane < (isVector(r.id) ? 3U : 1U); ++lane)
      out.push_back({r.id, static_cast<std::uint8_t>(lane)});
  }
  if (program_.usesRandom()) out.push_back({kRandomState, 0});
  // A point of no word would leave the firmware's loop nothing to count.
  if (out.empty()) out.push_back({reg::C0, 0});
  return out;
}

// ---- storing

/// R0, R1, R2 to the registers named, at active nodes.
void Translator::store(const std::vector<std::string>& to, bool round) {
  const char* const from[] = {"R0", "R1", "R2"};
  for (std::size_t n = 0; round && n < to.size(); ++n) emit("RND", from[n]);
  if (masked_) {
    emit("CMPI", "0,IR0");
    for (std::size_t n = 0; n < to.size(); ++n) emit("LDFNZ", "@" + to[n] + "," + from[n]);
  }
  for (std::size_t n = 0; n < to.size(); ++n) emit("STF", std::string(from[n]) + ",@" + to[n]);
}

void Translator::copy(const std::string& from, const std::string& to) {
  emit("LDI", "@" + from + ",R0");
  if (masked_) {
    emit("CMPI", "0,IR0");
    emit("LDINZ", "@" + to + ",R0");
  }
  emit("STI", "R0,@" + to);
}

void Translator::literalTo(std::uint32_t bits, const std::string& to) {
  const auto [it, added] = literals_.emplace(bits, literals_.size());
  copy("k_" + std::to_string(it->second), to);
}

// ---- instructions

void Translator::instruction(const Instruction& in) {
  const FormInfo& info = in.info();
  if (info.writes()) written_.insert(in.destination);
  code_ += "; " + disassemble(in) + "\n";
  switch (in.form) {
    case Form::Nop:
    case Form::Ret:
    case Form::Jmp:
    case Form::Blt:
      return;  // what ends a block is leave()'s business
    case Form::MovV:
      for (unsigned lane = 0; lane < 3; ++lane)
        copy(label(in.a, lane), label(in.destination, lane));
      return;
    case Form::MovS:
      return copy(label(in.a), label(in.destination));
    case Form::Movc:
      return copy(label(in.a, in.lane), label(in.destination));
    case Form::Lc:
      return copy(label(in.a), label(in.destination, in.lane));
    case Form::Li:
      return literalTo(in.immediate, label(in.destination));
    case Form::Liv:
      return literalTo(in.immediate, label(in.destination, in.lane));
    case Form::Rnd:
      return random(in);
    default:
      return info.has(Operand::VectorDestination) ? vectorInstruction(in) : scalarInstruction(in);
  }
}

void Translator::crossProduct(const Instruction& in) {
  for (unsigned lane = 0; lane < 3; ++lane) {
    const unsigned next = (lane + 1) % 3, last = (lane + 2) % 3;
    load("R3", in.a, next);
    emit("MPYF", "@" + label(in.b, last) + ",R3");
    load("R4", in.a, last);
    emit("MPYF", "@" + label(in.b, next) + ",R4");
    emit("SUBF3", std::string("R4,R3,R") + std::to_string(lane));
  }
}

/// R5 = 1 / register.
void Translator::divideBy(unsigned id) {
  load("R0", id);
  call("reciprocal");
  emit("LDF", "R1,R5");
}

void Translator::vectorInstruction(const Instruction& in) {
  const char* const r[] = {"R0", "R1", "R2"};
  if (in.form == Form::Cross) crossProduct(in);
  if (in.form == Form::DivV) divideBy(in.b);
  if (in.form == Form::Norm) {
    load("R0", in.a, 0);
    emit("MPYF", "R0,R0");
    for (unsigned lane = 1; lane < 3; ++lane) {
      load("R1", in.a, lane);
      emit("MPYF", "R1,R1");
      emit("ADDF", "R1,R0");
    }
    call("rsqrt");
    emit("LDF", "R0,R5");
  }
  for (unsigned lane = 0; lane < 3; ++lane) {
    if (in.form == Form::Cross) break;
    load(r[lane], in.a, lane);
    if (in.form == Form::AddV) emit("ADDF", "@" + label(in.b, lane) + "," + r[lane]);
    if (in.form == Form::SubV) emit("SUBF", "@" + label(in.b, lane) + "," + r[lane]);
    if (in.form == Form::Scale) emit("MPYF", "@" + label(in.b) + "," + r[lane]);
    if (in.form == Form::DivV || in.form == Form::Norm) emit("MPYF", std::string("R5,") + r[lane]);
  }
  store({label(in.destination, 0), label(in.destination, 1), label(in.destination, 2)}, true);
}

void Translator::scalarInstruction(const Instruction& in) {
  const std::string d = label(in.destination);
  const auto a = [&] { return "@" + label(in.a) + ",R0"; };
  const auto b = [&] { return "@" + label(in.b) + ",R0"; };
  switch (in.form) {
    case Form::AddS:
    case Form::SubS:
    case Form::MulS:
      emit("LDF", a());
      emit(in.form == Form::AddS ? "ADDF" : in.form == Form::SubS ? "SUBF" : "MPYF", b());
      break;
    case Form::DivS:
      divideBy(in.b);
      emit("LDF", a());
      emit("MPYF", "R5,R0");
      break;
    case Form::Dp3:
      for (unsigned lane = 0; lane < 3; ++lane) {
        const char* const r = lane == 0 ? "R0" : "R1";
        load(r, in.a, lane);
        emit("MPYF", "@" + label(in.b, lane) + "," + r);
        if (lane > 0) emit("ADDF", "R1,R0");
      }
      break;
    case Form::Clamp:
      emit("LDF", "@" + d + ",R1");
      emit("LDF", "R1,R0");
      emit("CMPF", "@" + label(in.b) + ",R1");
      emit("LDFGT", b());
      emit("CMPF", "@" + label(in.a) + ",R1");
      emit("LDFLT", a());
      break;
    case Form::Floor:
      emit("LDF", a());
      call("floor");
      break;
    case Form::Ceil:
      emit("NEGF", a());
      call("floor");
      emit("NEGF", "R0,R0");
      break;
    case Form::Pow:
      emit("LDF", a());
      emit("LDF", "@" + label(in.b) + ",R1");
      call("power");
      break;
    case Form::Exp:
      emit("LDF", a());
      call("exponential");
      break;
    case Form::Turb1:
      emit("LDF", a());
      call("noise1");
      break;
    default:  // 3-D noise; its argument's lanes lie side by side
      emit("LDI", "@p_" + label(in.a, 0) + ",AR1");
      call("noise3");
      break;
  }
  store({d}, true);
}

void Translator::random(const Instruction& in) {
  emit("LDI", "@random_state,R0");
  for (const char* const shift : {"13", "-17", "5"}) {
    emit("LDI", "R0,R1");
    emit("LSH", std::string(shift) + ",R1");
    emit("XOR", "R1,R0");
  }
  emit("LDI", "R0,R3");
  if (masked_) {
    emit("CMPI", "0,IR0");
    emit("LDINZ", "@random_state,R3");
  }
  emit("STI", "R3,@random_state");
  emit("LSH", "-8,R0");
  emit("FLOAT", "R0,R0");
  emit("MPYF", "@unit24,R0");
  store({label(in.destination)}, true);
}

// ---- blocks

void Translator::block(std::size_t n) {
  const Block& b = blocks_[n];
  masked_ = !b.together;
  code_ += "sl_" + std::to_string(b.first) + ":\n";
  if (masked_) {
    emit("LDI", "@pc,IR0");
    emit("XOR", std::to_string(b.first) + ",IR0");
  }
  if (loops_) countInstructions(b);
  for (std::uint32_t pc = b.first; pc < b.end; ++pc) instruction(program_[pc]);
  leave(n);
}

void Translator::countInstructions(const Block& b) {
  emit("LDI", "@ops,R0");
  emit("LDI", "R0,R1");
  // Blocks may have more instructions than an immediate operand holds in one piece.
  emit("ADDI", std::to_string(b.end - b.first) + ",R0");
  if (masked_) {
    emit("CMPI", "0,IR0");
    emit("LDINZ", "R1,R0");
  }
  emit("STI", "R0,@ops");
}

/// Active nodes wait for `pc` from now on.
void Translator::goTo(const Block& b, std::uint32_t pc) {
  emit("LDI", std::to_string(pc) + ",R1");
  if (!b.together) {
    emit("CMPI", "0,IR0");
    emit("LDINZ", "@pc,R1");
  }
  emit("STI", "R1,@pc");
}

/// What the block's last instruction does with the nodes that are at it.
void Translator::leave(std::size_t n) {
  const Block& b = blocks_[n];
  const std::uint32_t last = b.end - 1;
  const Instruction& in = program_[last];
  const bool next_together = b.end < program_.size() && blocks_[n + 1].together;
  if (in.form == Form::Ret) return goTo(b, program_.size());
  if (in.form != Form::Jmp && in.form != Form::Blt) {
    if (!next_together) goTo(b, b.end);
    return;
  }
  const std::uint32_t to = program_.target(last);
  if (in.form == Form::Jmp) {
    if (to == b.end && next_together) return;
    goTo(b, to);
  } else {
    if (to == b.end && next_together) return;
    emit("LDI", std::to_string(b.end) + ",R1");
    load("R0", in.a);
    emit("CMPF", "@" + label(in.b) + ",R0");
    emit("LDILT", std::to_string(to) + ",R1");
    if (masked_) {
      emit("CMPI", "0,IR0");
      emit("LDINZ", "@pc,R1");
    }
    emit("STI", "R1,@pc");
  }
  if (to <= last) voteFor(to);
}

/// Goes back while any node waits there; one that has used up its instructions waits for the end.
void Translator::voteFor(std::uint32_t target) {
  const std::string number = std::to_string(votes_++);
  emit("LDI", "@pc,R0");
  emit("LDI", "@ops,R1");
  emit("LDI", "R1,R2");
  emit("ADDI", "1,R2");
  emit("LDI", std::to_string(program_.size()) + ",R3");
  emit("XOR", std::to_string(target) + ",R0");
  // Not at the target: nothing changes.
  emit("LDINZ", "R1,R2");
  emit("LDINZ", "@pc,R3");
  emit("CMPI", "@budget,R1");
  emit("LDILT", "R1,R2");
  emit("LDILT", "@pc,R3");
  emit("STI", "R2,@ops");
  emit("STI", "R3,@pc");
  emit("LDI", "R3,R0");
  emit("XOR", std::to_string(target) + ",R0");
  call("vote");
  emit("BNZ", "on_" + number);
  emit("BR", "sl_" + std::to_string(target));
  code_ += "on_" + number + ":\n";
}

void Translator::finish() {
  std::string head =
      "; Translated from SL; runs from SRAM in lockstep.\nshader:\n        LDF     0.0,R0\n";
  for (const unsigned id : {reg::v0, reg::v1}) {
    for (unsigned lane = 0; lane < (isVector(id) ? 3U : 1U); ++lane)
      head += "        STF     R0,@" + label(id, lane) + "\n";
  }
  head +=
      "        LDI     0,R0\n        STI     R0,@pc\n        STI     R0,@ops\n"
      "        STI     R0,@over\n";
  code_ = head + code_;
  code_ += "sl_" + std::to_string(program_.size()) + ":\n";
  if (loops_) {
    // Stopped at the budget: v0 is 0.
    emit("LDI", "0,R3");
    emit("LDI", "1,R4");
    emit("LSH", "31,R4");
    for (unsigned lane = 0; lane < 3; ++lane)
      emit("LDI", "@" + label(reg::v0, lane) + ",R" + std::to_string(lane));
    emit("LDF", "0.0,R5");
    emit("STF", "R5,@scratch");
    emit("LDI", "@ops,R6");
    emit("CMPI", "@budget,R6");
    emit("LDIGT", "R4,R3");
    for (unsigned lane = 0; lane < 3; ++lane) emit("LDIGT", "@scratch,R" + std::to_string(lane));
    for (unsigned lane = 0; lane < 3; ++lane)
      emit("STI", "R" + std::to_string(lane) + ",@" + label(reg::v0, lane));
    emit("STI", "R3,@over");
  }
  emit("BR", "finish");
}

// ---- data

std::string Translator::inputText(const std::vector<Input>& inputs) {
  std::string out;
  for (const Input& in : inputs)
    out += (in.id == kRandomState ? "random_state" : label(in.id, in.lane)) +
           ":\n        .float  0.0\n";
  return out;
}

std::string Translator::registerText() const {
  std::string out;
  const auto known = inputs();
  const auto isInput = [&known](unsigned id) {
    return std::ranges::any_of(known, [id](const Input& in) { return in.id == id; });
  };
  std::set<unsigned> needed(written_);
  needed.insert({reg::v0, reg::v1});
  for (const RegisterInfo& r : kRegisters) {
    if ((program_.reads() >> r.id & 1U) != 0) needed.insert(r.id);
  }
  std::set<unsigned> noise;
  for (const Instruction& in : program_.code()) {
    if (in.form == Form::Turb3) noise.insert(in.a);
  }
  for (const unsigned id : needed) {
    if (isInput(id)) {
      // Where no register is an input, the one lane of C0 that stands in is not all of C0.
      if (id != reg::C0 || (program_.inputs() >> reg::C0 & 1U) != 0) continue;
      for (unsigned lane = 1; lane < 3; ++lane) out += label(id, lane) + ":\n        .float  0.0\n";
      continue;
    }
    for (unsigned lane = 0; lane < (isVector(id) ? 3U : 1U); ++lane)
      out += label(id, lane) + ":\n        .float  0.0\n";
  }
  for (const unsigned id : noise)
    out += "p_" + label(id, 0) + ":\n        .word   " + label(id, 0) + "\n";
  for (const auto& [bits, number] : literals_) {
    const float value = std::bit_cast<float>(bits);
    out += "k_" + std::to_string(number) + ":\n";
    // A literal that is no number, in a hand-made program, counts as 0; an infinity is the largest.
    if (std::isnan(value)) {
      out += "        .float  0.0\n";
    } else if (std::isinf(value)) {
      out += value > 0 ? "        .word   7F7FFFFFh\n" : "        .word   7F800000h\n";
    } else {
      out += "        .float  " + shortest(value) + "\n";
    }
  }
  return out;
}

std::string Translator::permutationText() {
  std::string out;
  const auto entry = [](unsigned n) {
    const unsigned p = noiseTables().permutation[n];
    const std::uint32_t code = noiseTables().gradients[p];
    // Signs from bits 31 and 30, axes from bits 0 and 1 (math_constants.hpp).
    return p | (code >> 31U) << 8U | (code >> 30U & 1U) << 9U | (code & 3U) << 10U;
  };
  for (unsigned n = 0; n < 256; n += 2) {
    char line[40];
    std::snprintf(line, sizeof line, "        .word   0%08Xh\n", entry(n + 1) << 16U | entry(n));
    out += line;
  }
  return out;
}

}  // namespace

Translation translate(const Program& program) {
  return Translator(program).run();
}

}  // namespace rtvp::sl::c32
