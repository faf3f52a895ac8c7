// Descriptions of computers: what they say, and how mistakes in them are reported.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/options/computer_file.hpp"
#include "platform/options/settings.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::platform {
namespace {

std::string messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(no InputError)";
}

std::string refusal(const std::string& text) {
  return messageOf([&] { (void)readComputerFile("c.json", text); });
}

/// A description whose one device, in line 2, has these members.
std::string withDevice(const std::string& members) {
  return "{\"schema_version\": 1, \"devices\": [\n{" + members + "}]}";
}

std::string withMember(const std::string& member) {
  return "{\"schema_version\": 1, \"devices\": [{\"machine\": \"theia\"}],\n" + member + "}";
}

/// `count` devices of machines m0, m1, ..., each in a line of its own from line 2 on.
std::string manyDevices(int count) {
  std::string text = "{\"schema_version\": 1, \"devices\": [";
  for (int n = 0; n < count; ++n) {
    text += (n == 0 ? "\n" : ",\n") + std::string(R"({"machine": "m", "name": "m)") +
            std::to_string(n) + "_\"}";
  }
  return text + "]}";
}

TEST(ComputerFile, TakesEveryMember) {
  const ComputerFile file = readComputerFile("c.json", R"({
  // comments are allowed, as in every configuration
  "schema_version": 1,
  "devices": [
    {"machine": "tigershark", "count": 2, "set": {"dsps": 64, "tigershark.vote": false}},
    {
      "machine": "xphmg", "name": "rt", "count": 1, "address": "0xfF00001000", "irq": 17,
      "set": {"xphmg": {"driver": "hart"},
              "clock_hz": 2.5e8}
    },
    {"machine": "sl", "address": "auto", "irq": "auto", "set": {"cycles": {"add": 2}}}
  ],
  "assign": "eye=rt,shadow=tigershark",
  "set": {"render": {"depth": 3}, "run.limit": "none"}
}
)");
  ASSERT_EQ(file.devices.size(), 3U);
  const ComputerDevice& boards = file.devices[0];
  EXPECT_EQ(boards.machine, "tigershark");
  EXPECT_EQ(boards.name, "tigershark");
  EXPECT_EQ(boards.count, 2);
  EXPECT_FALSE(boards.address.has_value());
  EXPECT_FALSE(boards.irq.has_value());
  EXPECT_EQ(boards.line, 5);
  ASSERT_EQ(boards.set.size(), 2U);
  EXPECT_EQ(boards.set[0].key, "tigershark.dsps");
  EXPECT_EQ(boards.set[0].value, "64");
  EXPECT_EQ(boards.set[1].key, "tigershark.vote");
  EXPECT_EQ(boards.set[1].value, "off");
  const ComputerDevice& rt = file.devices[1];
  EXPECT_EQ(rt.name, "rt");
  EXPECT_EQ(rt.line, 6);
  EXPECT_EQ(rt.address, 0xFF00001000U);
  EXPECT_EQ(rt.irq, 17U);
  ASSERT_EQ(rt.set.size(), 2U);
  EXPECT_EQ(rt.set[0].key, "xphmg.driver");
  EXPECT_EQ(rt.set[0].value, "hart");
  EXPECT_EQ(rt.set[0].line, 8);
  EXPECT_EQ(rt.set[1].key, "xphmg.clock_hz");
  EXPECT_EQ(rt.set[1].value, "2.5e8");
  EXPECT_EQ(rt.set[1].line, 9);
  EXPECT_FALSE(file.devices[2].address.has_value());
  EXPECT_FALSE(file.devices[2].irq.has_value());
  ASSERT_EQ(file.devices[2].set.size(), 1U);
  EXPECT_EQ(file.devices[2].set[0].key, "sl.cycles.add");
  EXPECT_EQ(file.assign, "eye=rt,shadow=tigershark");
  EXPECT_EQ(file.assignLine, 13);
  ASSERT_EQ(file.set.size(), 2U);
  EXPECT_EQ(file.set[0].key, "render.depth");
  EXPECT_EQ(file.set[1].key, "run.limit");
  EXPECT_EQ(file.set[1].value, "none");
  EXPECT_EQ(file.set[1].line, 14);
}

TEST(ComputerFile, OneMachineIsEnough) {
  const ComputerFile file = readComputerFile("c.json", withDevice(R"("machine": "theia")"));
  ASSERT_EQ(file.devices.size(), 1U);
  EXPECT_EQ(file.devices[0].count, 1);
  EXPECT_EQ(file.devices[0].line, 2);
  EXPECT_TRUE(file.assign.empty());
  EXPECT_TRUE(file.set.empty());
}

TEST(ComputerFile, RefusesUnknownMembersAndNamesTheNearest) {
  EXPECT_EQ(refusal(withMember(R"("asign": "share")")),
            "c.json:2: found an unknown member 'asign', expected one of schema_version, devices, "
            "assign, set; the nearest is 'assign'");
  EXPECT_EQ(refusal(withDevice(R"("machine": "theia", "adress": "auto")")),
            "c.json:2: found an unknown member 'adress', expected one of machine, name, count, "
            "address, irq, set; the nearest is 'address'");
}

TEST(ComputerFile, RefusesWrongTypes) {
  EXPECT_EQ(refusal("[]"), "c.json:1: found a list, expected a computer's description, an object");
  EXPECT_EQ(refusal("\n3"),
            "c.json:2: found the number 3, expected a computer's description, an object");
  EXPECT_EQ(refusal(R"({"schema_version": 1, "devices": {}})"),
            "c.json:1: found an object as 'devices', expected a list of devices");
  EXPECT_EQ(refusal("{\"schema_version\": 1, \"devices\": [\n\n\"theia\"]}"),
            "c.json:3: found the text 'theia', expected a device, an object with the member "
            "'machine'");
  EXPECT_EQ(refusal(withDevice(R"("machine": 7)")),
            "c.json:2: found the number 7 as 'machine', expected a name of letters, digits and _ "
            "that begins with a letter");
  EXPECT_EQ(refusal(withDevice(R"("machine": "theia", "name": null)")),
            "c.json:2: found null as 'name', expected a name of letters, digits and _ that begins "
            "with a letter");
  EXPECT_EQ(refusal(withDevice(R"("machine": "theia", "set": true)")),
            "c.json:2: found true as 'set', expected an object of parameters");
  EXPECT_EQ(refusal(withDevice(R"("machine": "theia", "set": {"cores": [4]})")),
            "c.json:2: found a list as 'cores', expected a number, a string, true, false or an "
            "object");
  EXPECT_EQ(refusal(withMember(R"("set": {"run": {"limit": null}})")),
            "c.json:2: found null as 'limit', expected a number, a string, true, false or an "
            "object");
  EXPECT_EQ(refusal(withMember(R"("assign": "")")),
            "c.json:2: found the text '' as 'assign', expected a text as --assign takes it, such "
            "as \"share\"");
}

TEST(ComputerFile, RefusesWhatIsMissing) {
  EXPECT_EQ(refusal(R"({"devices": [{"machine": "theia"}]})"),
            "c.json:1: found no member 'schema_version', expected \"schema_version\": 1");
  EXPECT_EQ(refusal("\n{\"schema_version\": 1}"),
            "c.json:2: found no member 'devices', expected a list of at least one device");
  EXPECT_EQ(refusal("{\"schema_version\": 1,\n\"devices\": []}"),
            "c.json:2: found an empty list as 'devices', expected at least one device");
  EXPECT_EQ(refusal(withDevice(R"("name": "a")")),
            "c.json:2: found a device without the member 'machine', expected a machine's name "
            "there");
}

TEST(ComputerFile, RefusesOtherSchemaVersions) {
  for (const std::string version : {"2", "0", "-1", "1.0", "\"1\"", "true", "1e0"}) {
    const std::string message =
        refusal("{\"schema_version\": " + version + ", \"devices\": [{\"machine\": \"theia\"}]}");
    EXPECT_TRUE(message.starts_with("c.json:1: found ")) << message;
    EXPECT_TRUE(message.ends_with(" as 'schema_version', expected the number 1")) << message;
  }
}

TEST(ComputerFile, RefusesASecondMemberOfOneName) {
  EXPECT_EQ(refusal(withMember("\"set\": {},\n\"set\": {}")),
            "c.json:3: found a second member 'set', expected one; the first is in line 2");
  EXPECT_EQ(refusal(withDevice("\"machine\": \"theia\",\n\"machine\": \"sl\"")),
            "c.json:3: found a second member 'machine', expected one; the first is in line 2");
  EXPECT_EQ(refusal(withDevice("\"machine\": \"theia\", \"set\": {\"cores\": 2,\n"
                               "\"theia.cores\": 4}")),
            "c.json:3: found a second value for 'theia.cores', expected one; the first is in line "
            "2");
  EXPECT_EQ(refusal(withMember("\"set\": {\"a.b\": 2,\n\"a\": {\"b\": 4}}")),
            "c.json:3: found a second value for 'a.b', expected one; the first is in line 2");
}

TEST(ComputerFile, InstancesHaveNamesOfTheirOwn) {
  const std::string expected =
      "', expected a \"name\" of its own or, for equal machines, one device with a \"count\"; the "
      "first is in line 1";
  const auto two = [](const std::string& first, const std::string& second) {
    return refusal("{\"schema_version\": 1, \"devices\": [{" + first + "},\n{" + second + "}]}");
  };
  EXPECT_EQ(two(R"("machine": "theia")", R"("machine": "theia")"),
            "c.json:2: found a second device with an instance 'theia" + expected);
  EXPECT_EQ(two(R"("machine": "theia", "name": "a")", R"("machine": "sl", "name": "a")"),
            "c.json:2: found a second device with an instance 'a" + expected);
  EXPECT_EQ(
      two(R"("machine": "theia", "name": "a", "count": 3)", R"("machine": "sl", "name": "a2")"),
      "c.json:2: found a second device with an instance 'a2" + expected);
  EXPECT_EQ(two(R"("machine": "theia", "name": "a0")", R"("machine": "theia", "name": "a1")"),
            "(no InputError)");
}

TEST(ComputerFile, NamesAreWords) {
  for (const std::string name : {"", "0a", "a.b", "a b", "a-b", "_a", "\\u00e9", "a\\n"}) {
    const std::string message =
        refusal(withDevice(R"("machine": "theia", "name": ")" + name + "\""));
    EXPECT_TRUE(message.ends_with(
        "as 'name', expected a name of letters, digits and _ that begins with a letter"))
        << message;
  }
}

TEST(ComputerFile, CountsAreFromOneToSixtyFour) {
  for (const std::string count : {"0", "65", "-1", "2.0", "1e1", "99999999999999999999", "\"2\""}) {
    const std::string message = refusal(withDevice(R"("machine": "theia", "count": )" + count));
    EXPECT_TRUE(message.starts_with("c.json:2: found the ")) << message;
    EXPECT_TRUE(message.ends_with(" as 'count', expected a whole number 1..64")) << message;
  }
  for (const int count : {1, 64}) {
    const std::string text = withDevice(R"("machine": "theia", "count": )" + std::to_string(count));
    EXPECT_EQ(readComputerFile("c.json", text).devices.at(0).count, count);
  }
}

TEST(ComputerFile, SixtyFourMachinesAreTheMost) {
  EXPECT_EQ(readComputerFile("c.json", manyDevices(64)).devices.size(), 64U);
  EXPECT_EQ(refusal(manyDevices(65)), "c.json:66: found 65 machines so far, expected at most 64");
  EXPECT_EQ(refusal("{\"schema_version\": 1, \"devices\": [{\"machine\": \"a\", \"count\": 40},\n"
                    "{\"machine\": \"b\", \"count\": 40}]}"),
            "c.json:2: found 80 machines so far, expected at most 64");
}

TEST(ComputerFile, AddressesArePagesOfFortyBits) {
  const auto message = [](const std::string& address) {
    return refusal(withDevice(R"("machine": "theia", "address": )" + address));
  };
  EXPECT_EQ(message("\"0x20000800\""),
            "c.json:2: found the text '0x20000800' as 'address', expected a multiple of 4096 "
            "(0x1000)");
  EXPECT_EQ(message("\"0x10000000000\""),
            "c.json:2: found the text '0x10000000000' as 'address', expected an address of at most "
            "40 bits");
  for (const std::string bad : {"4096", "\"4096\"", "\"0x\"", "\"0x1000h\"", "\"0x-1000\"",
                                "\"Auto\"", "\"0x10000000000000000\"", "null", "\"0x 1000\""}) {
    EXPECT_TRUE(message(bad).ends_with(
        "as 'address', expected \"auto\" or hexadecimal digits after 0x, such as \"0x20000000\""))
        << message(bad);
  }
  EXPECT_EQ(message("\"0xFFFFFFF000\""), "(no InputError)");
  EXPECT_EQ(message("\"0x20000000\", \"count\": 2"),
            "c.json:2: found the text '0x20000000' as 'address', expected \"auto\": 2 machines "
            "cannot share one place");
}

TEST(ComputerFile, LinesAreNumbersOrAuto) {
  for (const std::string bad : {"\"3\"", "-1", "128", "1.5", "false", "\"Auto\""}) {
    const std::string message = refusal(withDevice(R"("machine": "theia", "irq": )" + bad));
    EXPECT_TRUE(message.ends_with(" as 'irq', expected \"auto\" or a whole number 0..127"))
        << message;
  }
  EXPECT_EQ(refusal(withDevice(R"("machine": "theia", "irq": 5, "count": 3)")),
            "c.json:2: found the number 5 as 'irq', expected \"auto\": 3 machines cannot share one "
            "place");
}

TEST(ComputerFile, RefusesTextThatIsNoJson) {
  EXPECT_TRUE(refusal("{\"schema_version\": 1,\n  devices: []}")
                  .starts_with("c.json:2: found what is no JSON ("));
  EXPECT_TRUE(refusal("").starts_with("c.json:1: found what is no JSON ("));
  EXPECT_TRUE(refusal(withDevice(R"("machine": "theia")").substr(0, 50))
                  .starts_with("c.json:2: found what is no JSON ("));
  EXPECT_EQ(refusal(withMember("\"assign\": \"share\"") + "\n\n{}"),
            "c.json:4: found text after the end, expected nothing after a computer's description");
}

TEST(ComputerFile, RefusesDeepNesting) {
  std::string deep = "{\"schema_version\": 1,\n\"devices\": ";
  deep.append(100000, '[');
  EXPECT_EQ(refusal(deep),
            "c.json:2: found objects and lists nested more than 8 deep, expected at most that");
}

TEST(ComputerFile, LongWordsAreCutInMessages) {
  const std::string message = refusal(withMember("\"" + std::string(900, 'x') + "\": 1"));
  EXPECT_LT(message.size(), 250U) << message;
}

TEST(ComputerFile, FilesThatCannotBeReadAreNamed) {
  const auto load = [](const std::filesystem::path& file) {
    InputFiles inputs;
    return messageOf([&] { (void)loadComputerFile(file, inputs); });
  };
  EXPECT_EQ(load("/no/such.json"),
            "/no/such.json: found no such file, expected a computer's description");
  EXPECT_EQ(load("/"), "/: found a folder, expected a computer's description");
  const std::string large = testing::TempDir() + "large_computer.json";
  std::ofstream(large) << std::string((1U << 20U) + 1, ' ');
  EXPECT_EQ(load(large),
            large + ": found 1048577 bytes, expected a configuration of at most 1048576");
  std::filesystem::remove(large);
}

// What ships: the right machines, and keys and values that the options accept.
TEST(ShippedComputers, AreDescriptionsWithKnownParameters) {
  const std::filesystem::path folder = std::filesystem::path(RTVP_SOURCE_DIR) / "computers";
  const OptionTable table = builtInOptions();
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    seen.insert(entry.path().filename());
    InputFiles inputs;
    const ComputerFile file = loadComputerFile(entry.path(), inputs);
    Settings settings(table);
    for (const ComputerDevice& device : file.devices) {
      for (const ConfigEntry& set : device.set) settings.set(set.key, set.value, entry.path());
    }
    for (const ConfigEntry& set : file.set) settings.set(set.key, set.value, entry.path());
    EXPECT_FALSE(file.assign.empty()) << entry.path();
  }
  EXPECT_EQ(seen, (std::set<std::string>{"all.json", "even.json", "race.json", "twins.json"}));
}

TEST(ShippedComputers, AllHasOneOfEach) {
  InputFiles inputs;
  const ComputerFile all =
      loadComputerFile(std::filesystem::path(RTVP_SOURCE_DIR) / "computers/all.json", inputs);
  std::multiset<std::string> machines;
  for (const ComputerDevice& device : all.devices) {
    EXPECT_EQ(device.count, 1);
    machines.insert(device.machine);
  }
  EXPECT_EQ(machines,
            (std::multiset<std::string>{"implicit", "sl", "theia", "tigershark", "xphmg"}));
  EXPECT_EQ(all.assign, "share");
}

}  // namespace
}  // namespace rtvp::platform
