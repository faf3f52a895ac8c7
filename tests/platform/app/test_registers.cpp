// `platform registers`: what its forms say against the machines' documents (docs/reference), and
// that the forms are well formed and say the same. The values here are copied from the documents.
#include "tests/platform/app/register_forms.hpp"
#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

namespace json = boost::json;

constexpr const char* kBlocks[] = {"s5933_config", "s5933", "s5933_addon", "pld",      "c32",
                                   "theia",        "xphmg", "mailbox",     "implicit", "sl"};

class RegistersCommand : public PlatformTest {
 protected:
  [[nodiscard]] std::string print(const std::string& arguments) const {
    const Outcome r = run("registers " + arguments);
    EXPECT_EQ(r.status, 0) << arguments << r.err;
    EXPECT_EQ(r.err, "") << arguments;
    return r.out;
  }
  [[nodiscard]] FormPage rdl(const std::string& block) const {
    return readRdl(print(block + " --format rdl")).at(block);
  }
};

const FormRegister& registerOf(const FormPage& page, std::string_view name) {
  for (const FormRegister& reg : page.registers)
    if (reg.name == name) return reg;
  throw std::runtime_error("no register " + std::string(name));
}
const FormField& fieldOf(const FormPage& page, std::string_view reg, std::string_view name) {
  for (const FormField& field : registerOf(page, reg).fields)
    if (field.name == name) return field;
  throw std::runtime_error("no field " + std::string(name));
}

/// "msb:lsb access", with c: one clears, !: a read acts.
std::string text(const FormField& field) {
  return std::to_string(field.msb) + ":" + std::to_string(field.lsb) + " " +
         (field.reads ? "r" : "") + (field.writes ? "w" : "") + (field.oneToClear ? "c" : "") +
         (field.readActs ? "!" : "");
}

TEST_F(RegistersCommand, EveryFormOfEveryBlockIsWellFormedAndSaysTheSame) {
  const json::value all = json::parse(print("--format json"));
  ASSERT_EQ(all.at("schema_version").to_number<int>(), 1);
  std::size_t at = 0;
  for (const char* const name : kBlocks) {
    const json::value& block = all.at("blocks").at(at++);
    EXPECT_EQ(block.at("name").as_string(), name);
    const Form svd = readSvd(print(std::string(name) + " --format svd"));
    ASSERT_EQ(svd.size(), 1U) << name;
    const FormPage page = svd.at(name);
    ASSERT_NO_THROW(checkPage(page)) << name;
    EXPECT_EQ(page, rdl(name)) << name << ": bases are those of the whole in both";
    const json::array& rows = block.at("registers").as_array();
    ASSERT_EQ(page.registers.size(), rows.size()) << name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(page.registers[i].offset, rows[i].at("offset").to_number<std::uint64_t>());
      EXPECT_EQ(page.registers[i].width, 8 * rows[i].at("bytes").to_number<unsigned>());
      EXPECT_GE(page.registers[i].fields.size(), rows[i].at("fields").as_array().size());
    }
  }
  EXPECT_EQ(at, all.at("blocks").as_array().size());
}

// One RDL document has them all; one SVD device those of one address space only.
TEST_F(RegistersCommand, SeveralBlocks) {
  EXPECT_EQ(readRdl(print("--format rdl")).size(), std::size(kBlocks));
  EXPECT_EQ(readRdl(print("tigershark --format rdl")).size(), 5U);
  EXPECT_EQ(readSvd(print("implicit sl theia --format svd")).size(), 3U);
  const Outcome r = run("registers tigershark --format svd");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("no fixed address: s5933, s5933_addon, pld"), std::string::npos) << r.err;
}

// Where `platform map` has them for a machine alone (docs/map.md), and the C32's own map.
TEST_F(RegistersCommand, Addresses) {
  EXPECT_EQ(readSvd(print("theia --format svd")).at("theia").base, 0x8000'0000U);
  EXPECT_EQ(readSvd(print("sl --format svd")).at("sl").base, 0x1'0000'0000U);
  EXPECT_EQ(readSvd(print("implicit --format svd")).at("implicit").base, 0x8'0000'0000U);
  EXPECT_EQ(readSvd(print("xphmg --format svd")).at("xphmg").base, 0x2000'0000U);
  EXPECT_EQ(readSvd(print("mailbox --format svd")).at("mailbox").base, 0U) << "no hart, no mailbox";
  EXPECT_EQ(readSvd(print("s5933_config --format svd")).at("s5933_config").base, 0xE000'0000U);
  EXPECT_EQ(readSvd(print("c32 --format svd")).at("c32").base, 4U * 0x80'8000);
}

// board.md 4.2.
TEST_F(RegistersCommand, S5933OperationRegisters) {
  const FormPage pci = rdl("s5933");
  for (unsigned i = 0; i < 4; ++i) {
    const std::string n = "[" + std::to_string(i) + "]";
    EXPECT_EQ(registerOf(pci, "OMB" + n).offset, 4 * i);
    EXPECT_EQ(text(fieldOf(pci, "OMB" + n, "DATA")), "31:0 rw");
    EXPECT_EQ(registerOf(pci, "IMB" + n).offset, 0x10 + 4 * i);
    EXPECT_EQ(text(fieldOf(pci, "IMB" + n, "DATA")), "31:0 r!") << "reading clears its flag (4.3)";
  }
  EXPECT_EQ(text(fieldOf(pci, "FIFO", "DATA")), "31:0 rw!");
  EXPECT_EQ(registerOf(pci, "MRTC").offset, 0x30U);
  EXPECT_EQ(text(fieldOf(pci, "MRTC", "COUNT")), "25:0 rw");
  EXPECT_EQ(registerOf(pci, "INTCSR").offset, 0x38U);
  for (const auto& [name, bits] : {std::pair{"OUT_INT", "16:16 rwc"},
                                   {"IN_INT", "17:17 rwc"},
                                   {"WRITE_INT", "18:18 rwc"},
                                   {"READ_INT", "19:19 rwc"},
                                   {"MASTER_ABORT", "20:20 rwc"},
                                   {"TARGET_ABORT", "21:21 rwc"},
                                   {"ASSERTED", "23:23 r"},
                                   {"ENDIAN", "25:24 rw"},
                                   {"PCI_ADVANCE", "27:26 rw"}})
    EXPECT_EQ(text(fieldOf(pci, "INTCSR", name)), bits) << name;
  EXPECT_EQ(registerOf(pci, "MCSR").offset, 0x3CU);
  for (const auto& [name, bits] : {std::pair{"MAILBOX_RESET", "27:27 w"},
                                   {"A2P_RESET", "26:26 w"},
                                   {"P2A_RESET", "25:25 w"},
                                   {"ADDON_RESET", "24:24 rw"},
                                   {"NV_DATA", "23:16 rw"},
                                   {"READ_ENABLE", "14:14 rw"},
                                   {"A2P_EMPTY", "5:5 r"},
                                   {"P2A_FULL", "0:0 r"}})
    EXPECT_EQ(text(fieldOf(pci, "MCSR", name)), bits) << name;
  // Reset value E6h: both counts zero, A2P empty, P2A empty with four places free.
  for (const char* const set :
       {"A2P_COUNT_ZERO", "P2A_COUNT_ZERO", "A2P_EMPTY", "P2A_EMPTY", "P2A_4FREE"})
    EXPECT_EQ(fieldOf(pci, "MCSR", set).reset, 1U) << set;
  EXPECT_NE(print("s5933 --format svd").find("<resetValue>0xe6</resetValue>"), std::string::npos);
  // The mirrored order of the other side.
  const FormPage addon = rdl("s5933_addon");
  EXPECT_EQ(text(fieldOf(addon, "AGCSTS", "P2A_RESET")), "26:26 w");
  EXPECT_EQ(text(fieldOf(addon, "AGCSTS", "A2P_RESET")), "25:25 w");
  EXPECT_EQ(registerOf(addon, "MRTC").offset, 0x5CU);
}

// c32.md 8.5 and 8.6; four bytes a word address.
TEST_F(RegistersCommand, C32Peripherals) {
  const FormPage c32 = rdl("c32");
  EXPECT_EQ(registerOf(c32, "TIMER0CONTROL").offset, 4U * 0x20);
  for (const auto& [name, bits] : {std::pair{"FUNC", "0:0 rw"},
                                   {"I_O", "1:1 rw"},
                                   {"DATIN", "3:3 r"},
                                   {"GO", "6:6 w"},
                                   {"HLD", "7:7 rw"},
                                   {"C_P", "8:8 rw"},
                                   {"CLKSRC", "9:9 rw"},
                                   {"TSTAT", "11:11 r"}})
    EXPECT_EQ(text(fieldOf(c32, "TIMER0CONTROL", name)), bits) << name;
  EXPECT_EQ(registerOf(c32, "DRR").offset, 4U * 0x4C);
  EXPECT_EQ(text(fieldOf(c32, "DRR", "DATA")), "31:0 r!") << "reading it clears RRDY";
  EXPECT_NE(print("c32 --format rdl").find("name = \"C/P\";"), std::string::npos);
}

// xphmg.md 3.1, 3.2, 4.1, 4.6 and 5.2: 64 bits, flags that a 1 clears, capabilities.
TEST_F(RegistersCommand, XphmgPage) {
  const FormPage page = rdl("xphmg");
  EXPECT_EQ(registerOf(page, "RTCFG").offset, 0U);
  EXPECT_EQ(registerOf(page, "RTCFG").width, 64U);
  EXPECT_EQ(text(fieldOf(page, "RTCFG", "EPS_DFLT")), "15:8 rw");
  EXPECT_EQ(text(fieldOf(page, "RTSTAT", "tri_issued")), "63:36 r");
  EXPECT_EQ(fieldOf(page, "CAP_ID", "COUNT").reset, 0x5048'4D47U);
  EXPECT_EQ(text(fieldOf(page, "CAP_PREC_EXC_ST", "QNAN_SEEN")), "5:5 rwc");
  EXPECT_EQ(registerOf(page, "CAP_XMEM_SPROF[3]").offset,
            registerOf(page, "CAP_XMEM_SPROF[0]").offset + 24);
  EXPECT_EQ(fieldOf(page, "CAP_XMEM_CLSMAP", "WAYMASK0").reset, 0xFFU);
}

// sdf.md 18.7: counters are read low half first; the mailbox's FIFOs give each entry once.
TEST_F(RegistersCommand, ReadsThatAct) {
  const FormPage implicit = rdl("implicit");
  EXPECT_EQ(text(fieldOf(implicit, "CYCLES_LOW", "LOW")), "31:0 r!");
  EXPECT_EQ(text(fieldOf(implicit, "CYCLES_HIGH", "HIGH")), "31:0 r");
  const FormPage mailbox = rdl("mailbox");
  EXPECT_EQ(text(fieldOf(mailbox, "TAKE_LO", "ADDRESS")), "31:0 r!");
  EXPECT_EQ(text(fieldOf(mailbox, "TAKE_HI", "ADDRESS")), "31:0 r");
  const std::string svd = print("mailbox --format svd");
  EXPECT_NE(svd.find("<readAction>modify</readAction>"), std::string::npos);
  EXPECT_EQ(svd.find("modifyExternal"), std::string::npos);
}

TEST_F(RegistersCommand, TextAndFiles) {
  const std::string all = print("");
  for (const char* const word : {"theia: ", "80000000h  ID ", "a read takes", "CSR 8A0h"})
    EXPECT_NE(all.find(word), std::string::npos) << word;
  EXPECT_EQ(print("sl --format rdl -o sl.rdl"), "");
  EXPECT_EQ(slurp(path("sl.rdl")), print("sl --format rdl"));
  EXPECT_EQ(run("registers nothing").status, 2);
  EXPECT_EQ(run("registers --format xml").status, 2);
  EXPECT_EQ(run("registers --fromat svd").status, 2);
  EXPECT_EQ(run("registers sl -o /nowhere/there").status, 70);
  EXPECT_NE(run("registers --help").out.find("--format"), std::string::npos);
}

// The readers of this test refuse what is wrong.
TEST(RegisterForms, Refuse) {
  const std::string good =
      "addrmap a_registers { littleendian; reg { name = \"R\"; regwidth = 32; field { sw = rw; hw "
      "= r; } "
      "F[3:0] = 0x5; } R @0x4; };";
  EXPECT_EQ(readRdl(good).at("a").registers.at(0).fields.at(0).reset, 5U);
  for (const auto& [from, to] : {std::pair{"sw = rw", "sw = wr"},
                                 {"R @0x4", "reg @0x4"},
                                 {"}; };", "}"},
                                 {"hw = r;", "hw = r"},
                                 {"hw = r;", "hw = r; onread = ruser;"},
                                 {"0x4", "FOUR"}}) {
    std::string bad = good;
    const auto at = bad.find(from);
    if (at == std::string::npos) continue;
    bad.replace(at, std::string_view(from).size(), to);
    EXPECT_THROW((void)readRdl(bad), std::runtime_error) << bad;
  }
  FormPage page = readRdl(good).at("a");
  page.registers[0].fields.push_back({.name = "G", .msb = 4, .lsb = 3, .reads = true, .reset = {}});
  EXPECT_THROW(checkPage(page), std::runtime_error);
  EXPECT_ANY_THROW((void)readSvd("<device schemaVersion=\"1.3\"><name>a</name></device>"));
}

}  // namespace
}  // namespace rtvp::test
