// Tests the text form of wisdom: stored entries, replaced entries, and refusals of damaged text.
#include "wisdom/wisdom.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/arguments.h"
#include "plan/choice.h"
#include "plan/create.h"
#include "plan/lowering.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;
using namespace hybridfft::wisdom;

Machine machine() {
  Machine m;
  m.cores = 4;
  m.threads = 2;
  m.ranks_per_node = 2;
  return m;
}

/// Returns a problem between slabs on 4 ranks.
Problem problem(std::ptrdiff_t n2, const SlabPair &slabs = {}) {
  return slab_problem(Kind::c2c, HFFT_FORWARD, {8, 6, n2}, {}, 1, slabs, 4);
}

std::string key(std::ptrdiff_t n2) { return wisdom_key(problem(n2), machine()); }

/// Returns a problem from bricks to pencils on 4 ranks.
Problem layout_problem(std::ptrdiff_t n2) {
  Problem p;
  const std::vector<std::ptrdiff_t> n{8, 6, n2};
  p.axes = {0, 1, 2};
  p.in = Layout::grid(n, {2, 1, 2});
  p.out = Layout::grid(n, {1, 2, 2});
  return p;
}

std::string layout_key(std::ptrdiff_t n2) { return wisdom_key(layout_problem(n2), machine()); }

Choice layout_choice() {
  Choice c;
  c.path = std::make_shared<const OrderedPath>(OrderedPath{
      find_paths(layout_problem(10)).back(), working_orders(layout_problem(10)).back()});
  c.tile_bytes = 12345;
  c.algorithm = &exchange::algorithms().back();
  c.store = simd::Store::streamed;
  return c;
}

Choice choice() {
  Choice c;
  c.path = std::make_shared<const OrderedPath>(slab_paths(problem(5)).front());
  c.algorithm = &exchange::algorithms().back();
  c.tile_bytes = 12345;
  c.order = local::TileOrder::lines;
  return c;
}

Experience experience(unsigned effort, double seconds) {
  return {effort, seconds, serialize(choice())};
}

/// Returns a machine whose user allows only one exchange.
Machine held() {
  Machine m = machine();
  m.overrides.algorithm = exchange::find_algorithm("pairwise");
  return m;
}

/// Returns a machine whose user requires all threads.
Machine busy() {
  Machine m = machine();
  m.overrides.all_threads = true;
  return m;
}

Wisdom some() {
  Wisdom w;
  w.add(key(5), experience(HFFT_MEASURE, 0.125));
  w.add(key(7), experience(HFFT_PATIENT, 1.0 / 3));
  w.add(key(9), experience(HFFT_EXHAUSTIVE, 2e-7));
  return w;
}

/// Returns wisdom with entries of layouts and process grids.
Wisdom of_layouts() {
  Wisdom w;
  w.add(layout_key(5), {HFFT_MEASURE, 0.5, serialize(layout_choice())});
  PencilProblem pencils;
  pencils.extents = {8, 6, 5};
  pencils.real_bytes = sizeof(float);
  w.add(wisdom_key(pencils, machine(), 4), {HFFT_MEASURE, 0.25, serialize(std::array{2, 2})});
  return w;
}

/// Returns the text with a changed entry and a valid checksum: only the entry is wrong.
std::string resealed(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  // The error message contains the expected checksum.
  try {
    Wisdom::parse(text, "text");
  } catch (const Failure &e) {
    const std::string said = e.what();
    const std::size_t expected = said.find("expected ");
    if (said.find("checksum is") != said.npos)
      text.replace(text.find("checksum=") + 9, 16, said.substr(expected + 9, 16));
  }
  return text;
}

void expect_refused(const std::string &text, const std::vector<std::string> &words) {
  try {
    Wisdom::parse(text, "here");
    ADD_FAILURE() << "accepted\n" << text;
  } catch (const Failure &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_WISDOM);
    for (const std::string &word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
          << "no \"" << word << "\" in: " << e.what();
  }
}

/// Expects the text of a choice to be parsed to the same path and the same values.
void expect_read_back(const Choice &c, const Problem &p) {
  Choice back = parse_choice(serialize(c), p);
  EXPECT_EQ(describe(back.path->path), describe(c.path->path));
  EXPECT_EQ(back.path->order, c.path->order);
  back.path = c.path;
  EXPECT_EQ(back, c) << serialize(c);
}

TEST(Choices, ReadBackAsTheyWereSaid) {
  for (const OrderedPath &path : slab_paths(problem(5)))
    for (const Passes passes : {Passes::fused, Passes::split, Passes::whole})
      for (const auto kernel : {local::Kernel::fftw, local::Kernel::simd})
        for (const auto store : {simd::Store::cached, simd::Store::streamed})
          for (const int threads : {0, 1, 12}) {
            Choice c = choice();
            c.path = std::make_shared<const OrderedPath>(path);
            c.passes = passes;
            c.plane_kernel = kernel;
            c.store = store;
            c.threads = threads;
            expect_read_back(c, problem(5));
          }
  Choice alone = choice();
  alone.algorithm = nullptr;
  expect_read_back(alone, problem(5));
}

TEST(Choices, WrongWordsAreNamed) {
  const std::string words = serialize(choice());
  const auto refused = [&](const std::string &from, const std::string &to,
                           const std::string &named) {
    std::string text = words;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_choice(text, problem(5));
      ADD_FAILURE() << "accepted " << text;
    } catch (const Failure &e) {
      EXPECT_NE(std::string(e.what()).find(named), std::string::npos) << e.what();
    }
  };
  refused("form=fused", "form=round", "'round'");
  refused("tile=12345", "tile=0x12", "'0x12'");
  refused("tile=12345", "tile=-1", "'-1'");
  refused("threads=all", "threads=none", "'none'");
  refused(" threads=all", "", "expected threads=");
  refused("exchange=", "exchange=un", "no such path or algorithm");
}

TEST(Choices, OfPathsReadBackAsTheyWereSaid) {
  const Problem p = layout_problem(10);
  for (const Path &path : find_paths(p))
    for (const AxisOrder &order : working_orders(p))
      for (const exchange::Algorithm *algorithm :
           {static_cast<const exchange::Algorithm *>(nullptr), exchange::algorithms().data()})
        for (const bool by_field : {false, true})
          for (const MessageForm messages :
               {MessageForm::whole, MessageForm::chunks, MessageForm::shared}) {
            Choice c = layout_choice();
            c.path = std::make_shared<const OrderedPath>(OrderedPath{path, order});
            c.algorithm = algorithm;
            c.by_field = by_field;
            c.messages = messages;
            expect_read_back(c, p);
          }
  const std::string words = serialize(layout_choice());
  std::string other = words;
  other.replace(other.find("exchange="), 9, "exchange=un");
  EXPECT_THROW(parse_choice(other, p), Failure);
  Problem elsewhere = p;
  elsewhere.in = Layout::grid(p.in.extents(), {1, 4, 1});
  EXPECT_THROW(parse_choice(words, elsewhere), Failure);
  EXPECT_EQ(parse_grid(serialize(std::array{3, 5})), (std::array{3, 5}));
}

TEST(Wisdom, RoundTrip) {
  EXPECT_EQ(Wisdom::parse(some().text(), "text"), some());
  EXPECT_EQ(Wisdom::parse(of_layouts().text(), "text"), of_layouts());
  EXPECT_EQ(of_layouts().size(), 2U);
  EXPECT_EQ(Wisdom::parse(Wisdom().text(), "text"), Wisdom());
  EXPECT_EQ(some().size(), 3U);
}

TEST(Wisdom, OfOneExchangeIsApart) {
  const Problem alone = slab_problem(Kind::c2c, HFFT_FORWARD, {8, 6, 5}, {}, 1, {}, 1);
  EXPECT_EQ(wisdom_key(alone, held()), wisdom_key(alone, machine())) << "one rank has no exchange";
  Wisdom w = some();
  w.add(wisdom_key(problem(5), held()), experience(HFFT_PATIENT, 1));
  EXPECT_EQ(w.size(), 4U);
  EXPECT_EQ(w.find(key(5), HFFT_PATIENT), nullptr);
  EXPECT_EQ(Wisdom::parse(w.text(), "text"), w);
  expect_refused(resealed(w.text(), "exchange=pairwise :", "exchange= :"), {"exchange is ''"});
}

TEST(Wisdom, OfAllThreadsIsApart) {
  PencilProblem pencils;
  pencils.extents = {8, 6, 5};
  const auto keys = [&](const Machine &m) {
    return std::vector{wisdom_key(problem(5), m), wisdom_key(pencils, m, 4),
                       library_key("c2c 8x8, in place", m, 4)};
  };
  Machine both = busy();
  both.overrides.algorithm = held().overrides.algorithm;
  const std::array texts{serialize(choice()), serialize(std::array{2, 2}), std::string("by=fftw")};
  Wisdom w;
  for (const Machine &m : {machine(), busy(), held(), both})
    for (std::size_t i = 0; i < texts.size(); ++i)
      w.add(keys(m)[i], {HFFT_MEASURE, 1, texts[i]});
  EXPECT_EQ(w.size(), 12U);
  EXPECT_EQ(Wisdom::parse(w.text(), "text"), w);
  expect_refused(resealed(w.text(), "all_threads=yes", "all_threads=no"),
                 {"all_threads is 'no'", "expected yes"});
  Machine one_thread = machine();
  one_thread.threads = 1;
  Machine one_busy_thread = one_thread;
  one_busy_thread.overrides.all_threads = true;
  EXPECT_EQ(keys(one_busy_thread), keys(one_thread)) << "one thread is all threads";
}

TEST(Wisdom, GreaterEffortServesLesserOnes) {
  const Wisdom w = some();
  EXPECT_NE(w.find(key(5), HFFT_ESTIMATE), nullptr);
  EXPECT_NE(w.find(key(5), HFFT_MEASURE), nullptr);
  EXPECT_EQ(w.find(key(5), HFFT_PATIENT), nullptr);
  EXPECT_NE(w.find(key(7), HFFT_PATIENT), nullptr);
  EXPECT_EQ(w.find(key(7), HFFT_EXHAUSTIVE), nullptr);
  EXPECT_NE(w.find(key(9), HFFT_EXHAUSTIVE), nullptr);
  EXPECT_EQ(w.find(key(11), HFFT_ESTIMATE), nullptr);
}

TEST(Wisdom, TheBetterExperienceIsKept) {
  Wisdom w;
  EXPECT_TRUE(w.add(key(5), experience(HFFT_MEASURE, 2)));
  EXPECT_FALSE(w.add(key(5), experience(HFFT_MEASURE, 3)));
  EXPECT_TRUE(w.add(key(5), experience(HFFT_MEASURE, 1)));
  EXPECT_TRUE(w.add(key(5), experience(HFFT_PATIENT, 4)));
  EXPECT_FALSE(w.add(key(5), experience(HFFT_MEASURE, 0.5)));
  EXPECT_EQ(w.find(key(5), HFFT_MEASURE)->seconds, 4);
  Wisdom other = some();
  EXPECT_TRUE(other.merge(w));
  EXPECT_FALSE(other.merge(w));
  EXPECT_EQ(other.find(key(5), HFFT_MEASURE)->effort, HFFT_PATIENT);
  EXPECT_EQ(other.size(), 3U);
}

TEST(Wisdom, KeysTellProblemsAndMachinesApart) {
  std::set<std::string> keys{key(5)};
  const auto differs = [&](const Problem &p, const Machine &m) {
    EXPECT_TRUE(keys.insert(wisdom_key(p, m)).second);
  };
  const auto changed = [&](const std::function<void(Problem &)> &change) {
    Problem p = problem(5);
    change(p);
    differs(p, machine());
  };
  const auto other = [&](Kind kind, int sign, const std::vector<std::ptrdiff_t> &n,
                         std::ptrdiff_t howmany, const SlabPair &slabs) {
    differs(slab_problem(kind, sign, n, {}, howmany, slabs, 4), machine());
  };
  other(Kind::r2c, -1, {8, 6, 5}, 1, {});
  other(Kind::c2c, 1, {8, 6, 5}, 1, {});
  other(Kind::c2c, -1, {8, 6, 5, 1}, 1, {});
  other(Kind::c2c, -1, {8, 6, 5}, 2, {});
  other(Kind::c2c, -1, {8, 6, 5}, 1, {false, false, 3, 0});
  other(Kind::c2c, -1, {8, 6, 5}, 1, {false, false, 0, 4});
  other(Kind::c2c, -1, {8, 6, 5}, 1, {true, false, 0, 0});
  other(Kind::c2c, -1, {8, 6, 5}, 1, {false, true, 0, 0});
  changed([](Problem &p) { p.in_place = true; });
  changed([](Problem &p) { p.may_destroy_input = true; });
  changed([](Problem &p) { p.deterministic = true; });
  changed([](Problem &p) { p.real_bytes = sizeof(float); });
  differs(slab_problem(Kind::c2c, -1, {8, 6, 5}, {}, 1, {}, 3), machine());
  Machine m = machine();
  m.threads = 1;
  differs(problem(5), m);
  m = machine();
  m.ranks_per_node = 4;
  differs(problem(5), m);
  differs(problem(5), held());
  m = held();
  m.overrides.algorithm = exchange::find_algorithm("shared");
  differs(problem(5), m);
  const Problem same =
      problem(5, {false, false, 2, 0}); // The default blocks of 8 planes on 4 ranks.
  EXPECT_EQ(keys.count(wisdom_key(same, machine())), 1U);
  for (const std::string &k : keys) {
    EXPECT_EQ(check_key(k), KeyOf::transform) << k;
  }
}

TEST(Wisdom, KeysTellLayoutsApart) {
  std::set<std::string> keys{layout_key(5)};
  const auto changed = [&](const std::function<void(Problem &)> &change) {
    Problem p = layout_problem(5);
    change(p);
    EXPECT_TRUE(keys.insert(wisdom_key(p, machine())).second);
  };
  const std::vector<std::ptrdiff_t> n{8, 6, 5};
  changed([](Problem &p) { p.kind = Kind::r2c; });
  changed([](Problem &p) { p.sign = 1; });
  changed([](Problem &p) { p.axes = {1, 0, 2}; });
  changed([](Problem &p) { p.axes = {}; });
  changed([](Problem &p) { std::swap(p.in, p.out); });
  changed([&](Problem &p) { p.in = Layout::grid(n, {4, 1, 1}); });
  changed([&](Problem &p) { p.in = Layout::grid(n, {2, 1, 2}, {{0, 2, 1}, {}, 1, {}}); });
  changed([&](Problem &p) { p.in = Layout::grid(n, {2, 1, 2}, {{}, {0, 0, 1}, 1, {}}); });
  changed([&](Problem &p) { p.in = Layout::grid({{4, 4}, {6}, {2, 3}}, {}); });
  changed([](Problem &p) { p.in_place = true; });
  changed([](Problem &p) { p.deterministic = true; });
  for (const std::string &k : keys)
    EXPECT_EQ(check_key(k), KeyOf::transform) << k;
  PencilProblem pencils;
  pencils.extents = n;
  const std::string grid = wisdom_key(pencils, machine(), 4);
  EXPECT_EQ(check_key(grid), KeyOf::grid);
  EXPECT_NE(wisdom_key(pencils, held(), 4), grid);
  EXPECT_EQ(check_key(wisdom_key(pencils, held(), 4)), KeyOf::grid);
  pencils.fields = Fields::separate;
  EXPECT_NE(wisdom_key(pencils, machine(), 4), grid);
}

TEST(Wisdom, FasterLibrary_IsStoredByKey) {
  const std::string transform = library_key("c2c 8x8, in place", machine(), 4);
  const std::string transposition = library_key("transpose 8x8, in place", machine(), 4);
  EXPECT_EQ(check_key(transform), KeyOf::library);
  EXPECT_NE(transform, library_key("c2c 8x8, in place", machine(), 2));
  const std::string of_one_exchange = library_key("c2c 8x8, in place", held(), 4);
  EXPECT_NE(transform, of_one_exchange);
  Wisdom w;
  w.add(transform, {HFFT_MEASURE, 1, "by=fftw"});
  w.add(of_one_exchange, {HFFT_MEASURE, 1, "by=fftw"});
  w.add(transposition, {HFFT_PATIENT, 1, "by=hybridfft exchange=shared order=final"});
  EXPECT_EQ(Wisdom::parse(w.text(), "text"), w);
  expect_refused(resealed(w.text(), "by=fftw", "by=chance"),
                 {"by is 'chance'", "hybridfft or fftw"});
  expect_refused(resealed(w.text(), "plan=library", "plan=library more=words"), {"more=words"});
}

TEST(Wisdom, ForgetsSomeKeys) {
  Wisdom w = some();
  w.erase([](const std::string &k) { return k != key(7); });
  EXPECT_EQ(w.size(), 1U);
  EXPECT_NE(w.find(key(7), HFFT_MEASURE), nullptr);
  EXPECT_EQ(w.find(key(5), HFFT_MEASURE), nullptr);
}

/// Wisdom of version 0.4.0 is ignored, because its choices contain no path between slabs.
TEST(Wisdom, OfFormerFormatsIsForgotten) {
  for (const std::string former : {"format=1", "format=2"}) {
    std::string text = resealed(some().text(), "form=fused", "form=planes_first");
    text = resealed(text, "format=3", former);
    EXPECT_EQ(Wisdom::parse(text, "text"), Wisdom());
    expect_refused(text.substr(0, text.size() / 2), {"truncated"});
  }
}

TEST(Wisdom, OfOthersIsKeptAsItIs) {
  const std::string ours = key(5);
  std::string elsewhere = ours;
  elsewhere.replace(elsewhere.find("cpu="), 4, "cpu=Another_");
  std::string later = ours;
  const std::size_t version = later.find(' ');
  later.replace(0, version, "version=99.0.0 sockets=2");
  Wisdom w;
  w.add(elsewhere, experience(HFFT_MEASURE, 1));
  w.add(later, {HFFT_MEASURE, 1, "shape=round exchange=telepathy"});
  EXPECT_EQ(Wisdom::parse(w.text(), "text"), w);
  EXPECT_EQ(w.find(ours, HFFT_ESTIMATE), nullptr);
  expect_refused(resealed(w.text(), "sockets=2", "sockets"), {"'sockets'", "NAME=VALUE"});
}

TEST(Wisdom, DamageIsRefusedNamingThePlace) {
  const std::string text = some().text();
  expect_refused("", {"here", "line 1", "truncated"});
  expect_refused("hello\n", {"line 1", "'hello'", "hybridfft-wisdom"});
  expect_refused(std::string("\x7f"
                             "ELF\0\0\x01",
                             7),
                 {"line 1"});
  expect_refused(text.substr(0, text.size() / 2), {"truncated"});
  expect_refused(text.substr(0, text.size() - 1), {"truncated"});
  expect_refused(text.substr(0, text.find("\nend") + 1), {"line 5", "truncated"});
  expect_refused(text + "\n", {"line 5", "end of the text"});
  expect_refused(resealed(text, "format=3", "format=4"), {"line 1", "format=4"});
  expect_refused(resealed(text, "tile=12345", "tile=12x"), {"line 2", "tile is '12x'", "positive"});
  expect_refused(resealed(text, "ranks=4", "ranks=0"), {"line 2", "ranks is '0'"});
  expect_refused(resealed(text, "n=8x6x5", "n=8x6x"), {"line 2", "n is '8x6x'"});
  expect_refused(resealed(text, "effort=measure", "effort=lazy"), {"'lazy'", "patient"});
  expect_refused(resealed(text, "seconds=0.125", "seconds=nan"), {"seconds is 'nan'"});
  expect_refused(resealed(text, "seconds=0.125", "seconds=0.1250"), {"seconds is '0.1250'"});
  expect_refused(resealed(text, "seconds=0.125", "seconds=-1"), {"seconds is '-1'"});
  expect_refused(resealed(text, " : effort", " effort"), {"line 2"});
  expect_refused(resealed(text, "entries=3", "entries=2"), {"line 5", "entries is '2'"});
  const std::size_t second = text.find('\n') + 1;
  const std::string line = text.substr(second, text.find('\n', second) + 1 - second);
  expect_refused(resealed(text, line, line + line), {"line 3", "line above"});
  std::string changed = text;
  changed.replace(changed.find("tile=12345"), 10, "tile=54321");
  expect_refused(changed, {"line 5", "checksum"});
}

TEST(Wisdom, DamageOfLayoutsIsRefusedNamingThePlace) {
  const std::string text = of_layouts().text();
  expect_refused(resealed(text, "store=streamed", "store=full"), {"store is 'full'", "cached"});
  expect_refused(resealed(text, "fields=together", "fields=all"), {"fields is 'all'", "apart"});
  expect_refused(resealed(text, "axes=0,1,2,3 fields", "axes=0,x,2,3 fields"),
                 {"axes is '0,x", "axes joined"});
  expect_refused(resealed(text, " path=", " way="), {"expected path="});
  expect_refused(resealed(text, "grid=2x2", "grid=2x0"), {"grid is '2x0'", "4x2"});
  expect_refused(resealed(text, "plan=grid", "plan=bricks"), {"'plan=bricks'", "kind="});
  expect_refused(resealed(text, "deterministic=no :", "deterministic=no x :"), {"'x'"});
}

// Every damaged text must be refused, or have the same meaning.
void damage_at_random(const Wisdom &wisdom) {
  const std::string text = wisdom.text();
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = text;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(damaged.size());
      switch (below(4)) {
      case 0:
        damaged[at] = static_cast<char>(below(256));
        break;
      case 1:
        damaged.erase(at, 1 + below(40));
        break;
      case 2:
        damaged.insert(at, 1, static_cast<char>(below(256)));
        break;
      default:
        damaged.insert(at, damaged.substr(below(damaged.size()), below(80)));
      }
    }
    try {
      EXPECT_EQ(Wisdom::parse(damaged, "text"), wisdom);
    } catch (const Failure &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_WISDOM);
    }
  }
}

TEST(Wisdom, RandomDamage) {
  damage_at_random(some());
  damage_at_random(of_layouts());
}

} // namespace
