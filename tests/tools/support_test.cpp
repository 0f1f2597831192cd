// Tests tools/support as far as it needs neither MPI nor files: options, messages, random values,
// the report of the solver, network cards.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "support/cli_options.h"
#include "support/gather_texts.h"
#include "support/kspace/options.h"
#include "support/machine_info.h"
#include "support/random_values.h"
#include "support/solver_report.h"
#include "support/transform_options.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::tools;

/// A temporary folder of files like Linux's /sys. The destructor removes it.
class DeviceTree {
public:
  DeviceTree()
      : root_(std::filesystem::temp_directory_path() / ("hfft_sys_" + std::to_string(getpid()))) {}
  DeviceTree(const DeviceTree &) = delete;
  DeviceTree &operator=(const DeviceTree &) = delete;
  ~DeviceTree() { std::filesystem::remove_all(root_); }

  void file(const std::string &path, const std::string &text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  /// Adds the network device `name` ("net/..." or "infiniband/...") of a card.
  void network(const std::string &name, const std::string &card) const {
    std::filesystem::create_directories(root_ / "class" / name);
    std::filesystem::create_symlink(root_ / "devices" / card, root_ / "class" / name / "device");
  }
  std::string path() const { return root_.string(); }

private:
  std::filesystem::path root_;
};

TEST(NetworkCards, TwoNodes_CardHasTheProcessorsBesideIt) {
  const DeviceTree tree;
  tree.file("devices/system/node/online", "0-1");
  tree.file("devices/system/node/node0/distance", "10 21");
  tree.file("devices/system/node/node0/cpulist", "0-15");
  tree.file("devices/system/node/node1/distance", "21 10");
  tree.file("devices/system/node/node1/cpulist", "16-31");
  tree.file("devices/pci7/numa_node", "1");
  tree.file("devices/pci9/numa_node", "-1");
  tree.network("infiniband/mlx5_0", "pci7");
  tree.network("net/ib0", "pci7");
  tree.network("net/eth0", "pci9");
  std::filesystem::create_directories(tree.path() + "/class/net/lo");
  EXPECT_EQ(network_cards(tree.path()),
            "mlx5_0 = ib0: NUMA node 1, processors 16-31; distance 10 (21 from processors 0-15)\n"
            "eth0: one NUMA node, or an unknown one");
}

TEST(NetworkCards, NoDevices_None) { EXPECT_EQ(network_cards("/nonexistent"), "none"); }

// The expected numbers are the first three of SplitMix64 with seed 0, from its reference code.
TEST(RandomValues, Mix_MatchesSplitMix64) {
  const std::uint64_t golden = 0x9e3779b97f4a7c15U;
  EXPECT_EQ(mix(golden), 0xe220a8397b1dcdafU);
  EXPECT_EQ(mix(2 * golden), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(mix(3 * golden), 0x06c45d188009454fU);
}

// The mean of n uniform numbers has the standard deviation sqrt(1/12/n). The mean of products of
// neighbours, 1/4, has a standard deviation below sqrt(7/144/n) * sqrt(2). The test allows five
// standard deviations.
TEST(RandomValues, ManyValues_AreUniformAndUncorrelated) {
  constexpr std::uint64_t n = 1 << 20;
  for (const std::uint64_t seed : {0U, 1U, 2U, 4294967295U}) {
    double sum = 0;
    double neighbours = 0;
    double seeds = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double u = uniform(seed, i);
      ASSERT_GE(u, 0.);
      ASSERT_LT(u, 1.);
      sum += u;
      neighbours += u * uniform(seed, i + 1);
      seeds += u * uniform(seed + 1, i);
    }
    const double size = static_cast<double>(n);
    EXPECT_NEAR(sum / size, 0.5, 5 * std::sqrt(1. / 12 / size));
    EXPECT_NEAR(neighbours / size, 0.25, 5 * std::sqrt(7. / 72 / size));
    EXPECT_NEAR(seeds / size, 0.25, 5 * std::sqrt(7. / 72 / size));
  }
}

TEST(CompactList, Neighbours_AreJoined) {
  EXPECT_EQ(compact_list({}), "none");
  EXPECT_EQ(compact_list({5}), "5");
  EXPECT_EQ(compact_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(compact_list({1, 3, 4, 7, 8, 9}), "1,3-4,7-9");
}

/// Returns the error message for arguments after "-i in.h5 -o out.h5".
std::string refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"program", "-i", "in.h5", "-o", "out.h5"});
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  try {
    parse_kspace_options(static_cast<int>(arguments.size()), argv.data());
  } catch (const UsageError &e) {
    return e.what();
  }
  return "none";
}

TEST(KspaceOptions, InvalidOption_IsNamed) {
  const std::string wrong = "Unknown command line parameter or missing argument: ";
  EXPECT_EQ(refusal({"-pt2", "--p_max", "--verb", "1"}), "none");
  EXPECT_EQ(refusal({"-zp", "-c", "1"}), wrong + "-z.");
  EXPECT_EQ(refusal({"innocent", "-pz"}), wrong + "-z.");
  EXPECT_EQ(refusal({"-pt"}), wrong + "-t misses its operand 'threads'.");
  EXPECT_EQ(refusal({"--precision"}), wrong + "--precision misses its operand 'which'.");
  EXPECT_EQ(refusal({"innocent", "--p_max=3"}), wrong + "--p_max=3, but --p_max has no operand.");
  EXPECT_EQ(refusal({"innocent", "--frobnicate=1", "-p"}), wrong + "--frobnicate=1.");
}

TEST(KspaceOptions, AmbiguousName_ListsCandidates) {
  const std::string ambiguous = "Ambiguous command line parameter: ";
  EXPECT_EQ(refusal({"--p_m"}),
            ambiguous + "--p_m can be --p_max, --p_min, --p_max_all, --p_min_all.");
  EXPECT_EQ(refusal({"--ver=1"}), ambiguous + "--ver can be --verbose, --version.");
}

// The largest allowed number depends on the machine. It is at least 1024 and always below 100000.
TEST(KspaceOptions, TooManyThreads_AreRefused) {
  EXPECT_EQ(refusal({"-t", "1024"}), "none");
  const std::string invalid = "Invalid number of CPU threads. -t is '";
  for (const std::string threads : {"0", "100000", "2147483647", "9999999999999999999"}) {
    const std::string said = refusal({"-t", threads});
    EXPECT_EQ(said.find(invalid + threads + "', expected an integer 1 to "), 0U) << said;
  }
}

/// Returns the text that step() writes to stdout and stderr, in order.
std::string written(const std::function<void()> &step) {
  std::fflush(stdout);
  std::FILE *const file = std::tmpfile();
  const int out = dup(STDOUT_FILENO);
  const int err = dup(STDERR_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  step();
  std::fflush(stdout);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  std::rewind(file);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;)
    text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

// A line is written only when it is complete: otherwise mpirun could write a warning in its middle.
TEST(SolverReport, LineBeforeWarning_IsComplete) {
  off_t before = -1;
  const std::string text = written([&] {
    SolverReport report(true);
    report.phase(
        "Data loading", [&] { before = lseek(STDOUT_FILENO, 0, SEEK_CUR); },
        SolverReport::LineOutput::whole);
  });
  EXPECT_EQ(before, 0) << text;
  EXPECT_NE(text.find("Data loading"), std::string::npos);
}

TEST(SolverReport, Warning_IsOwnLine) {
  const std::string text = written([] {
    SolverReport report(true);
    report.phase("Data loading", [] {});
    report_warning("hybridfft-kspace", "dt is large");
    report.item("Next:", "item");
  });
  const std::size_t loading = text.find("Data loading");
  const std::size_t done = text.find("Done \u2502\n");
  const std::size_t warning = text.find("\nhybridfft-kspace: warning: dt is large\n");
  ASSERT_NE(warning, std::string::npos) << text;
  EXPECT_LT(loading, done) << text;
  EXPECT_LT(done, warning) << text;
  EXPECT_LT(warning, text.find("Next:")) << text;
}

TEST(SolverReport, LongText_Wraps_BetweenWords) {
  const std::string text = written([] {
    SolverReport report(true);
    report.text("  aa " + std::string(54, 'b') + " c d\n" + std::string(70, 'e') + " f\ng  h");
    report.item("label:", std::string(40, 'i') + " " + std::string(20, 'j'));
    report.item("µ:", std::string(58, 'k'));
  });
  const auto framed = [](const std::string &line, std::size_t characters) {
    return "│ " + line + std::string(61 - std::min<std::size_t>(61, characters), ' ') + " │\n";
  };
  EXPECT_EQ(text, framed("  aa " + std::string(54, 'b') + " c", 61) + framed("  d", 3) +
                      framed(std::string(70, 'e'), 70) + framed("f", 1) + framed("g  h", 4) +
                      framed("label: " + std::string(40, 'i'), 47) +
                      framed(std::string(20, 'j'), 20) + framed("µ: " + std::string(58, 'k'), 61));
}

TEST(SolverReport, ControlCharacters_Printed_AreEscaped) {
  const std::string text = written([] {
    SolverReport report(true);
    report.item("Input file:", "a\x1b[31m.h5");
    report.text("two\nlines\r");
    report_warning("program", "file 'a\nError: b'");
    report_fatal_error("dataset '\x07'");
  });
  for (const char *part : {" a\\x1b[31m.h5 │\n", "│ two ", "│ lines\\x0d ",
                           "program: warning: file 'a\\x0aError: b'\n", "Error: dataset '\\x07' "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

// The bytes are from the table of well-formed sequences in the Unicode Standard, chapter 3.
TEST(Printable, ControlCharactersAndInvalidBytes_Escaped_OthersKept) {
  const std::string kept = "c0 [µ] \u00a0\u00ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff \\x1b~";
  EXPECT_EQ(printable(kept), kept);
  for (int c = 0; c < 0x20; ++c)
    EXPECT_EQ(printable({std::string(1, static_cast<char>(c))}).substr(0, 2), "\\x") << c;
  EXPECT_EQ(printable("a\tb\x7f\x1b]0;"), "a\\x09b\\x7f\\x1b]0;");
  EXPECT_EQ(printable("\u0080\u009b\u009f"), "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
  for (const char *invalid :
       {"\x80", "\xbf", "\xc0", "\xfe", "\xff", "\xf8", "\xc3", "\xe2\x82", "\xc0\xaf",
        "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80"}) {
    std::string expected;
    for (const char *byte = invalid; *byte != 0; ++byte) {
      char text[5];
      std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(*byte));
      expected += text;
    }
    EXPECT_EQ(printable("a" + std::string(invalid) + "b"), "a" + expected + "b");
  }
  EXPECT_EQ(printable("a\n\x9b"), "a\\x0a\\x9b");
  EXPECT_EQ(printable_lines("a\n\x9b"), "a\n\\x9b");
}

// A command line with file names but no -i and -o gets an error that suggests both options.
TEST(KspaceOptions, FileWithoutOption_IsGuided) {
  std::vector<std::string> words{"program", "model.h5", "-p", "result.h5"};
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  try {
    parse_kspace_options(4, argv.data());
    FAIL() << "was accepted";
  } catch (const UsageError &e) {
    EXPECT_STREQ(e.what(), "Input file was not specified (-i). (did you mean -i model.h5 -o "
                           "result.h5?)");
  }
}

using Words = std::vector<std::string>;

TEST(OptionValues, List_AcceptsWordsOrCommas) {
  const ListOf extents{.least = 2, .most = 3, .min_value = 1, .example = "64x64x64"};
  const std::vector<std::int64_t> expected{64, 32, 5};
  for (const Words &words :
       {Words{"64x32x5"}, {"64,32,5"}, {"64", "32", "5"}, {"64x32", "5"}, {"64X32X5"}})
    EXPECT_EQ(parse_list<std::int64_t>(words, extents), expected) << words.front();
  const ListOf offset{.least = 2, .most = 3, .example = "5,0,0"};
  EXPECT_EQ(parse_list<double>({"-1.5,2e-3,0"}, offset), (std::vector<double>{-1.5, 2e-3, 0.}));
}

TEST(OptionValues, InvalidList_IsNamed) {
  const ListOf extents{.least = 2, .most = 3, .min_value = 1, .example = "64x64x64"};
  const std::string expected = ", expected 2 to 3 integers from 1 on, such as 64x64x64 or 64 64 64";
  for (const Words &words : {Words{"64"},
                             {"64x0x3"},
                             {"64xx3"},
                             {"a,b"},
                             {"1x2x3x4"},
                             {"6x-4"},
                             {"64x"},
                             {""},
                             {"1.5x2"},
                             {"99999999999999999999x2"}})
    try {
      parse_list<std::int64_t>(words, extents);
      FAIL() << words.front() << " was accepted";
    } catch (const std::invalid_argument &e) {
      EXPECT_EQ(e.what(), "found '" + words.front() + "'" + expected);
    }
}

enum class Fruit { apple, pear };

/// Returns the error message for a command line with --fruit, --ratio (from 0), --count (1 to 9)
/// and --size.
std::string refusal(Words words, Fruit &fruit) {
  double ratio = 0.;
  double size = 0.;
  int count = 0;
  CLI::App app("", "program");
  const std::map<std::string, Fruit> names{{"apple", Fruit::apple}, {"pear", Fruit::pear}};
  add_choice(app, "--fruit", fruit, names, "to eat");
  app.add_option("--ratio", ratio, "")->check(at_least(0.));
  app.add_option("--count", count, "")->check(between(1, 9));
  app.add_option("--size", size, "");
  check_numbers(app);
  std::reverse(words.begin(), words.end()); // CLI11 takes the words in reverse order
  try {
    app.parse(words);
  } catch (const CLI::ParseError &e) {
    return e.what();
  }
  return app.help().find("--fruit {apple,pear}") != std::string::npos ? "good" : app.help();
}

TEST(OptionValues, InvalidNameOrNumber_IsExplained) {
  Fruit fruit = Fruit::apple;
  EXPECT_EQ(refusal({"--fruit", "pear", "--ratio", "0", "--count", "9", "--size", "1e3"}, fruit),
            "good");
  EXPECT_EQ(fruit, Fruit::pear);
  EXPECT_EQ(refusal({"--fruit", "1"}, fruit), "--fruit: found '1', expected apple or pear");
  EXPECT_EQ(refusal({"--ratio", "-1"}, fruit), "--ratio: found '-1', expected a number from 0 on");
  EXPECT_EQ(refusal({"--ratio", "nan"}, fruit),
            "--ratio: found 'nan', expected a number from 0 on");
  EXPECT_EQ(refusal({"--count", "10"}, fruit),
            "--count: found '10', expected an integer from 1 to 9");
  EXPECT_EQ(refusal({"--count", "99999999999999999999"}, fruit),
            "--count: found '99999999999999999999', expected an integer from 1 to 9");
  EXPECT_EQ(refusal({"--size", "thin"}, fruit), "--size: found 'thin', expected a number");
}

TEST(OptionValues, FileWithoutOption_IsGuided) {
  EXPECT_EQ(did_you_mean({"a.h5"}, {"-i", "-o"}), " (did you mean -i a.h5?)");
  EXPECT_EQ(did_you_mean({"64", "--what", "a.h5", "b/c"}, {"-i", "-o"}),
            " (did you mean -i a.h5 -o b/c?)");
  EXPECT_EQ(did_you_mean({"a.h5", "b.h5"}, {"-o"}), " (did you mean -o a.h5?)");
  EXPECT_EQ(did_you_mean({"a.h5"}, {}), "");
}

TEST(OutOfMemory, AnySize_NamesBytes) {
  const OutOfMemory refused(6442450944);
  EXPECT_STREQ(refused.what(), "out of memory: 6442450944 bytes (6.44 GB) cannot be allocated");
  EXPECT_STREQ(reason_of(refused), refused.what());
  EXPECT_STREQ(reason_of(std::bad_alloc()), "out of memory");
}

TEST(GatherTexts, EqualTexts_AreGrouped) {
  using Groups = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(group_by_text({"b", "a", "b", "b"}), (Groups{{"b", "0,2-3"}, {"a", "1"}}));
  EXPECT_EQ(group_by_text({}), Groups{});
}

const io::DatasetInfo real{{6, 5, 9}, io::NumberKind::floating, 4};
const io::DatasetInfo complex{{6, 5, 5}, io::NumberKind::complex, 16};

TEST(TransformOptions, Dataset_SetsOptions) {
  TransformOptions o;
  TransformProblem p = resolve(o, real, {});
  EXPECT_EQ(p.kind, Kind::r2c);
  EXPECT_FALSE(p.double_precision);
  EXPECT_EQ(p.extents, (std::vector<std::ptrdiff_t>{6, 5, 9}));
  p = resolve(o, complex, {});
  EXPECT_EQ(p.kind, Kind::c2c);
  EXPECT_EQ(p.direction, Direction::forward);
  EXPECT_TRUE(p.double_precision);
}

TEST(TransformOptions, Backward_MatchesForwardTransform) {
  TransformOptions o;
  o.direction = Direction::backward;
  EXPECT_EQ(resolve(o, complex, {}).kind, Kind::c2c);
  const TransformProblem p = resolve(o, complex, 9);
  EXPECT_EQ(p.kind, Kind::c2r);
  EXPECT_EQ(p.extents.back(), 9);
  o.kind = Kind::c2r;
  EXPECT_EQ(resolve(o, complex, {}).extents.back(), 8);
  o.real_extent = 9;
  EXPECT_EQ(resolve(o, complex, {}).extents.back(), 9);
  o.direction.reset();
  EXPECT_EQ(resolve(o, complex, {}).direction, Direction::backward);
  const io::DatasetInfo single_column{{4, 1}, io::NumberKind::complex, 8};
  o.real_extent.reset();
  EXPECT_EQ(resolve(o, single_column, {}).extents.back(), 1);
}

TEST(TransformOptions, Contradictions_AreNamed) {
  const auto message = [](TransformOptions o, const io::DatasetInfo &info) -> std::string {
    o.input = "x.h5";
    try {
      resolve(o, info, {});
    } catch (const std::invalid_argument &e) {
      return e.what();
    }
    return "accepted";
  };
  TransformOptions o;
  o.kind = Kind::c2c;
  EXPECT_EQ(message(o, real),
            "--kind: found c2c, but x.h5: dataset 'data' has real values: expected r2c");
  o.kind = Kind::r2c;
  EXPECT_EQ(message(o, complex), "--kind: found r2c, but x.h5: dataset 'data' has complex values: "
                                 "expected c2c or c2r");
  o.direction = Direction::backward;
  EXPECT_EQ(message(o, real),
            "--direction: found backward for real values (r2c), expected forward");
  o.kind = Kind::c2r;
  o.direction = Direction::forward;
  EXPECT_EQ(message(o, complex), "--direction: found forward for c2r, expected backward");
  o.direction.reset();
  o.real_extent = 10;
  EXPECT_EQ(
      message(o, complex),
      "--real-extent: found 10, expected 8 or 9, whose complex values have the last extent 5");
  o.kind = Kind::c2c;
  EXPECT_EQ(message(o, complex), "--real-extent: found it for c2c, expected it for c2r only");
  EXPECT_EQ(message({}, {{6, 5}, io::NumberKind::integer, 8}),
            "x.h5: dataset 'data': expected real or complex floating values");
  EXPECT_EQ(message({}, {{6}, io::NumberKind::floating, 8}),
            "x.h5: dataset 'data': found the shape 6, expected two dimensions at least");
}

} // namespace
