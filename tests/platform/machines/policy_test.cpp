#include "platform/machines/policy.hpp"

#include <gtest/gtest.h>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

const std::vector<std::string> kMachines{"a", "b0", "b1"};

TEST(Policy, NothingSaidGivesAllToTheFirst) {
  const Policy policy = parsePolicy("", kMachines);
  EXPECT_EQ(policy.kind, Policy::Kind::Classes);
  EXPECT_EQ(policy.classes, (std::array<std::size_t, 3>{0, 0, 0}));
}

TEST(Policy, ClassesGoWhereTheyAreSent) {
  const Policy policy = parsePolicy("shadow=b1,eye=b0", kMachines);
  EXPECT_EQ(policy.classes, (std::array<std::size_t, 3>{1, 2, 0}));
}

TEST(Policy, ShareAndRace) {
  EXPECT_EQ(parsePolicy("share", kMachines).kind, Policy::Kind::Share);
  const Policy race = parsePolicy("race:b1,a", kMachines);
  EXPECT_EQ(race.kind, Policy::Kind::Race);
  EXPECT_EQ(race.racers, (std::vector<std::size_t>{2, 0}));
}

TEST(Policy, WhatCannotBeReadIsSaid) {
  const auto refuses = [](const std::string& text, const std::string& part) {
    try {
      (void)parsePolicy(text, kMachines);
      ADD_FAILURE() << text << " was accepted";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refuses("eye=c", "found machine 'c', expected one of a, b0, b1");
  refuses("eye", "found 'eye', expected share");
  refuses("mirror=a", "found 'mirror=a'");
  refuses("eye=a,eye=b0", "found 'eye' twice");
  refuses("eye=a,", "found ''");
  refuses("race:a", "a race of one machine");
  refuses("race:a,a", "'a' twice");
  refuses("race:a,,b0", "found machine ''");
  refuses("SHARE", "found 'SHARE'");
}

}  // namespace
}  // namespace rtvp::platform
