// Who may use shared links and when: bandwidth, places for outstanding accesses and an arbiter, as
// plain C++. Times are picoseconds; nothing here knows who runs when, so masters may ask in any
// order as long as a decision is taken only when nobody can ask for an earlier time any more.
//
// Links are occupied by transfers: bytes / width clocks each, one after the other. Whoever is
// granted keeps one of `outstanding` places from the grant until `latency` clocks after its
// transfer. Nothing is added to an access that finds its links free: what it takes without load is
// the machine's own affair, the queue adds waiting only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace rtvp::common {

class StateArchive;

/// One shared resource: an interconnect, a memory.
struct LinkConfig {
  std::string name;
  std::uint32_t widthBytes = 0;     ///< bytes a clock; 0: any number of them in no time
  std::uint64_t periodPs = 1000;    ///< of its clock
  std::uint32_t latencyClocks = 0;  ///< an access keeps its place this long after its transfer
  std::uint32_t outstanding = 0;    ///< accesses under way at once; 0: any number
  [[nodiscard]] bool limited() const { return widthBytes != 0 || outstanding != 0; }
};

/// Of the requests that could be granted next:
enum class Arbitration : std::uint8_t {
  Fifo,        ///< strictly in the order in which they were made; the lower master at one time
  Priority,    ///< of those whose links are free, the lowest master
  RoundRobin,  ///< of those, the next master after the last one granted
};

class GrantQueue {
 public:
  using Ps = std::uint64_t;
  static constexpr std::size_t kMostLinks = 8;

  struct Request {
    unsigned master = 0;
    Ps at = 0;
    std::uint64_t bytes = 0;
    unsigned links = 0;  ///< bit i: needs link i; none: only its turn
  };
  struct Grant {
    unsigned master = 0;
    Ps asked = 0, at = 0;
    [[nodiscard]] Ps waited() const { return at - asked; }
  };
  struct MasterTotals {
    std::string name;
    std::uint64_t requests = 0, bytes = 0, delayed = 0;  ///< delayed: requests that had to wait
    Ps waited = 0, longest = 0;
    std::vector<Ps> waitedFor;  ///< by master: whose accesses it waited for; the sum is `waited`
  };
  struct LinkTotals {
    std::uint64_t requests = 0, bytes = 0;
    Ps busy = 0;  ///< time with a transfer under way
  };

  /// Throws std::invalid_argument for more than kMostLinks links or a period of 0.
  GrantQueue(std::vector<LinkConfig> links, Arbitration arbitration);

  /// Its number, from 0 on: the lower one goes first where times are equal.
  unsigned addMaster(std::string name);

  /// Each master has one request at a time; throws std::logic_error for a second one.
  void ask(const Request& request);
  /// Takes the request back; false: there was none.
  bool withdraw(unsigned master);
  /// When the next decision falls; it may be taken once no request for that time or an earlier one
  /// can come any more. None: nobody asks.
  [[nodiscard]] std::optional<Ps> due() const;
  /// Takes the decision that is due.
  Grant decide();
  /// Grants a request behind all granted before, past those that are waiting: for a master that has
  /// its turn.
  Grant take(const Request& request);

  /// Nobody asks.
  [[nodiscard]] bool quiet() const { return waiting_ == 0; }
  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  [[nodiscard]] const std::vector<MasterTotals>& masters() const { return totals_; }
  [[nodiscard]] const std::vector<LinkConfig>& links() const { return configs_; }
  [[nodiscard]] const std::vector<LinkTotals>& linkTotals() const { return linkTotals_; }

 private:
  struct Transfer {
    Ps begin, end, leaves;
    unsigned master;
  };
  struct Link {
    Ps free = 0;                   ///< end of the last transfer
    std::deque<Transfer> granted;  ///< those somebody may still have to wait for
  };

  [[nodiscard]] Ps earliest(const Request& request) const;
  [[nodiscard]] Ps earliest(std::size_t link, Ps at) const;
  /// Throws std::logic_error if nobody asks.
  [[nodiscard]] const Request& chosen() const;
  [[nodiscard]] bool before(const Request& a, Ps aAt, const Request& b, Ps bAt) const;
  void occupy(std::size_t link, const Request& request, Ps at);
  void account(const Request& request, Ps at);
  [[nodiscard]] unsigned blame(const Request& request, Ps from, Ps until, Ps& end) const;

  std::vector<LinkConfig> configs_;
  Arbitration arbitration_;
  std::vector<Link> links_;
  std::vector<LinkTotals> linkTotals_;
  std::vector<std::optional<Request>> pending_;  ///< by master
  std::size_t waiting_ = 0;
  std::vector<MasterTotals> totals_;
  unsigned last_ = ~0U;  ///< granted last, for RoundRobin
};

}  // namespace rtvp::common
