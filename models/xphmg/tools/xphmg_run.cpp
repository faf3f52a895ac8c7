// xphmg-run: XPHMG_RT for programmers: single operations and jobs in batch mode.
#include <boost/program_options.hpp>
#include <iostream>

#include "models/xphmg/tools/runner.hpp"

namespace {

namespace po = boost::program_options;

constexpr int kDone = 0, kUsage = 2, kInternal = 70;

int run(int argc, char** argv) {
  po::options_description options("options");
  options.add_options()("batch", "one JSON object a line on stdin, one a line on stdout")(
      "help", "this text");
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(options).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "xphmg-run --batch\n" << options;
    return kDone;
  }
  if (given.count("batch") == 0) {
    std::cerr << "xphmg-run: error: expected --batch (--help)\n";
    return kUsage;
  }
  rtvp::xphmg::runBatch(std::cin, std::cout);
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "xphmg-run: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "xphmg-run: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
