// Earlier states of a program, to go back to: each is a process of its own that sleeps (fork) and
// shares the memory that has not changed since. Whoever goes back wakes one of them and ends; the
// state is then as it was, but for what was told to the one that wakes.
//
// Standard input and output stay where they are; other files are cut and rewound to what they were.
// Works in a program with one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rtvp::debug {

class Snapshots {
 public:
  /// From here on this process only waits for the one that returns, and ends as that or its
  /// successor does. Call it once, before anything is read from standard input. `most`: snapshots
  /// kept, at least 2. Throws std::system_error.
  explicit Snapshots(std::size_t most = 12);
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  /// Keeps the present state, which stands at `position` (ascending from call to call; one that is
  /// kept at the same position gives way). Returns nothing at once, and the message whenever
  /// somebody goes back to it. Of too many, one between two others is forgotten, rather an old one.
  /// `pinned`: what follows from an earlier state is not this one (the user changed something): it
  /// is not forgotten before all earlier ones are.
  std::optional<std::string> take(std::uint64_t position, bool pinned = false);
  /// Positions to go back to, ascending.
  [[nodiscard]] std::vector<std::uint64_t> positions() const;
  /// The latest at `position` or before; empty: none.
  [[nodiscard]] std::optional<std::uint64_t> before(std::uint64_t position) const;
  /// Ends this process; the state kept at `position`, one of positions(), goes on with `message`.
  /// Later ones are forgotten.
  [[noreturn]] void goBack(std::uint64_t position, const std::string& message);

 private:
  struct Shared;
  struct Kept {
    std::uint64_t position = 0;
    int process = 0;
    int wake = -1;  ///< end of a pipe that tells it the message
    bool pinned = false;
  };
  void forget(std::size_t index);
  void dropForgotten();
  void note(const Kept& kept, bool there);
  void makeRoom(std::uint64_t position);
  std::optional<std::string> sleep(int wake);

  std::size_t most_;
  Shared* shared_ = nullptr;
  int guard_ = 0;     ///< the process that waits
  int snapshot_ = 0;  ///< the one that woke this process
  std::vector<Kept> kept_;
};

/// Standard output and standard error lead nowhere for a while.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  /// There is one.
  [[nodiscard]] static bool active();

 private:
  int out_ = -1, err_ = -1;
};

}  // namespace rtvp::debug
