// The words of a program: what the unit's memory holds (README). Everything is checked on the way
// back, so that words from anywhere are a program that is safe to run, or are refused.
#include <bit>
#include <map>

#include "models/implicit/registers/allocator.hpp"
#include "models/implicit/registers/program.hpp"
#include "models/implicit/selection.hpp"

namespace rtvp::implicit::registers {
namespace {

constexpr std::uint64_t kMagic = 0x5246;  // "FR"
constexpr unsigned kHeaderWords = 2;
constexpr unsigned kExtension = 0x3FF;  ///< opcode of a word that holds a clause's fourth source
constexpr unsigned kConstantBit = 1U << 13U;
constexpr unsigned kSourceBits = 14;
constexpr unsigned kSourceShift = 22;

using Word = std::uint64_t;

constexpr Word field(std::uint64_t value, unsigned shift) {
  return value << shift;
}
constexpr unsigned bits(Word word, unsigned shift, unsigned count) {
  return static_cast<unsigned>(word >> shift & ((Word{1} << count) - 1));
}
constexpr unsigned sourceShift(unsigned n) {
  return kSourceShift + kSourceBits * n;
}
bool isShape(const OpcodeInfo& op) {
  return op.name.starts_with("OPSDF");
}

class Encoder {
 public:
  explicit Encoder(const Program& program) : program_(program) {}

  std::vector<Word> run() {
    words_.resize(kHeaderWords);
    for (const Clause& clause : program_.clauses()) encode(clause);
    const Word clause_words = words_.size() - kHeaderWords;
    const Word result = source(program_.result(), 1);
    if (clause_words > 0xFFFF) throw ProgramError("found more than 65535 words of clauses");
    words_[0] =
        field(kMagic, 48) | field(program_.rows(), 32) | field(pool_.size(), 16) | clause_words;
    words_[1] = result;
    for (std::size_t n = 0; n < pool_.size(); n += 2) {
      const Word high = n + 1 < pool_.size() ? std::bit_cast<std::uint32_t>(pool_[n + 1]) : 0U;
      words_.push_back(field(high, 32) | std::bit_cast<std::uint32_t>(pool_[n]));
    }
    return std::move(words_);
  }

 private:
  unsigned source(const Source& from, unsigned width) {
    if (!from.constant()) return from.index;
    const auto [at, fresh] = moved_.try_emplace({from.index, width}, pool_.size());
    if (fresh) {
      const auto first = program_.pool().begin() + from.index;
      pool_.insert(pool_.end(), first, first + width);
      if (pool_.size() > kMaxConstants)
        throw ProgramError("found more than " + std::to_string(kMaxConstants) + " constants");
    }
    return static_cast<unsigned>(at->second) | kConstantBit;
  }

  void encode(const Clause& clause) {
    Word word = clause.op->number | field(clause.destination, 10);
    std::array<unsigned, 4> from{};
    for (unsigned n = 0; n < clause.op->in.size(); ++n)
      from[n] = source(clause.source[n], widthOf(clause.op->in[n]));
    if (isShape(*clause.op)) from[2] = clause.shape & ((1U << kSourceBits) - 1);
    for (unsigned n = 0; n < 3; ++n) word |= field(from[n], sourceShift(n));
    words_.push_back(word);
    if (clause.op->in.size() > 3) words_.push_back(kExtension | field(from[3], kSourceShift));
  }

  const Program& program_;
  std::vector<Word> words_;
  std::vector<float> pool_;
  std::map<std::pair<unsigned, unsigned>, std::size_t> moved_;
};

}  // namespace

class Decoder {
 public:
  explicit Decoder(std::span<const Word> words) : words_(words) {}

  Program run() {
    if (words_.size() < kHeaderWords)
      fail("found " + std::to_string(words_.size()) + " words, expected a header of two");
    const Word head = words_[0];
    if (bits(head, 48, 16) != kMagic) fail("word 0: found no program, expected 0x5246 on top");
    program_.rows_ = bits(head, 32, 16);
    const std::size_t numbers = bits(head, 16, 16), clauses = bits(head, 0, 16);
    if (program_.rows_ < kPointRows || program_.rows_ > kMaxRows)
      fail("word 0: found " + std::to_string(program_.rows_) + " rows, expected 3 to " +
           std::to_string(kMaxRows));
    if (numbers > kMaxConstants) fail("word 0: found too many constants");
    if (words_.size() != kHeaderWords + clauses + (numbers + 1) / 2)
      fail("found " + std::to_string(words_.size()) + " words, expected " +
           std::to_string(kHeaderWords + clauses + (numbers + 1) / 2) + " by the header");
    readPool(numbers, kHeaderWords + clauses);
    writer_.assign(program_.rows_, kNoLink);
    first_.assign(program_.rows_, 0);
    for (unsigned row = 0; row < kPointRows; ++row) writer_[row] = kPointLink;
    for (at_ = kHeaderWords; at_ < kHeaderWords + clauses; ++at_) readClause(clauses);
    at_ = 1;
    if (words_[1] >> kSourceBits != 0) fail("word 1: found bits above the result's source");
    program_.result_ = source(static_cast<unsigned>(words_[1]), 1);
    Allocator::describe(program_);
    return std::move(program_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw ProgramError(what); }
  [[nodiscard]] std::string here() const { return "word " + std::to_string(at_) + ": "; }

  void readPool(std::size_t numbers, std::size_t from) {
    std::vector<float> pool;
    for (std::size_t n = 0; n < numbers; ++n)
      pool.push_back(std::bit_cast<float>(bits(words_[from + n / 2], n % 2 * 32, 32)));
    if (numbers % 2 != 0 && bits(words_.back(), 32, 32) != 0)
      fail("word " + std::to_string(words_.size() - 1) + ": found a number beyond the pool");
    program_.pool_ = std::make_shared<const std::vector<float>>(std::move(pool));
  }

  Source source(unsigned raw, unsigned width) {
    const unsigned index = raw & (kConstantBit - 1);
    if ((raw & kConstantBit) != 0) {
      if (index + width > program_.pool_->size())
        fail(here() + "found constant " + std::to_string(index) + " of " + std::to_string(width) +
             " numbers, expected one inside the pool of " + std::to_string(program_.pool_->size()));
      return {static_cast<std::uint16_t>(index), kNoLink, 0};
    }
    if (index + width > program_.rows_)
      fail(here() + "found row " + std::to_string(index) + ", expected fewer than " +
           std::to_string(program_.rows_));
    const std::uint16_t link = writer_[index];
    for (unsigned n = 0; n < width; ++n) {
      if (link == kNoLink || writer_[index + n] != link)
        fail(here() + "row " + std::to_string(index + n) +
             " holds no value, or no part of the value before it");
    }
    return {static_cast<std::uint16_t>(index), link,
            static_cast<std::uint8_t>(index - first_[index])};
  }

  const OpcodeInfo& opcode(Word word) const {
    const OpcodeInfo* const op = findOpcode(bits(word, 0, 10));
    const bool computes = op != nullptr && op->out.size() == 1 && op->in.size() > 0 &&
                          op->peekDepth() == 0 && op->function != Function::PushConst &&
                          op->function != Function::Extract;
    if (!computes)
      fail(here() + "found opcode " + std::to_string(bits(word, 0, 10)) +
           ", expected one that computes a value");
    return *op;
  }

  void readClause(std::size_t clause_words) {
    const Word word = words_[at_];
    const std::string where = here();
    Clause clause(opcode(word), {}, static_cast<std::uint16_t>(program_.clauses_.size()));
    clause.destination = static_cast<std::uint16_t>(bits(word, 10, 12));
    const unsigned inputs = clause.op->in.size();
    for (unsigned n = 0; n < 3; ++n) {
      const unsigned raw = bits(word, sourceShift(n), kSourceBits);
      if (n < inputs) {
        clause.source[n] = source(raw, widthOf(clause.op->in[n]));
        if (clause.op->mustBeConstant(n) && !clause.source[n].constant())
          fail(where + "found a row for source " + std::to_string(n) + ", expected a constant");
      } else if (n == 2 && isShape(*clause.op)) {
        clause.shape = static_cast<std::uint16_t>(raw);
      } else if (raw != 0) {
        fail(where + "found a source " + std::to_string(n) + ", expected zeros");
      }
    }
    if (inputs > 3) readExtension(clause, clause_words);
    write(clause, where);
  }

  void readExtension(Clause& clause, std::size_t clause_words) {
    ++at_;
    const Word word = at_ < kHeaderWords + clause_words ? words_[at_] : 0;
    if (bits(word, 0, kSourceShift) != kExtension || word >> sourceShift(1) != 0)
      fail(here() + "found no fourth source, expected one");
    clause.source[3] = source(bits(word, kSourceShift, kSourceBits), widthOf(clause.op->in[3]));
  }

  void write(const Clause& clause, const std::string& where) {
    const unsigned first = clause.destination, width = clause.width();
    if (first < kPointRows || first + width > program_.rows_)
      fail(where + "found destination " + std::to_string(first) + ", expected a row from 3 to " +
           std::to_string(program_.rows_ - width));
    if (width > 1 && clause.op->info().reduces) {
      for (unsigned n = 0; n < clause.op->in.size(); ++n) {
        const Source& from = clause.source[n];
        if (!from.constant() && from.index < first + width &&
            first < from.index + widthOf(clause.op->in[n]))
          fail(where + "found a destination among the sources, expected other rows");
      }
    } else {
      checkOverlap(clause, where);
    }
    if (program_.clauses_.size() == kMaxClauses) fail(where + "found too many clauses");
    program_.clauses_.push_back(clause);
    const auto number = static_cast<std::uint16_t>(program_.clauses_.size());
    for (unsigned n = 0; n < width; ++n) {
      writer_[first + n] = number;
      first_[first + n] = static_cast<std::uint16_t>(first);
    }
    if (selects(*clause.op)) program_.selections_.push_back(static_cast<std::uint16_t>(number - 1));
  }

  /// Componentwise opcodes may write where they read, but component over the same component.
  static void checkOverlap(const Clause& clause, const std::string& where) {
    const unsigned first = clause.destination, width = clause.width();
    for (unsigned n = 0; n < clause.op->in.size() && width > 1; ++n) {
      const Source& from = clause.source[n];
      const unsigned read = widthOf(clause.op->in[n]);
      const bool overlaps =
          !from.constant() && from.index < first + width && first < from.index + read;
      if (overlaps && (from.index != first || read != width))
        fail(where +
             "found a destination that cuts into a source, expected the same rows or others");
    }
  }

  std::span<const Word> words_;
  std::size_t at_ = 0;
  Program program_;
  std::vector<std::uint16_t> writer_;  ///< by row: link of the value in it
  std::vector<std::uint16_t> first_;   ///< by row: first row of the value in it
};

std::vector<std::uint64_t> encode(const Program& program) {
  return Encoder(program).run();
}
Program decode(std::span<const std::uint64_t> words) {
  return Decoder(words).run();
}

}  // namespace rtvp::implicit::registers
