// Parses and formats problem strings.
#include "verifier/problem.h"

#include <algorithm>
#include <array>

#include "verifier/reader.h"

namespace hybridfft::verifier {

namespace {

/// Names of the enumerators of hfft_r2r_kind, starting with HFFT_DFT.
constexpr std::array<const char *, 12> kind_names{"dft",     "r2hc",    "hc2r",    "dht",
                                                  "redft00", "redft01", "redft10", "redft11",
                                                  "rodft00", "rodft01", "rodft10", "rodft11"};

int read_kind(ProblemReader &reader) {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (reader.accept(kind_names[i])) return static_cast<int>(i) + HFFT_DFT;
  reader.fail("dft, or a kind between reals such as redft10");
}

/// Parses the kinds after the opening parenthesis.
void read_kinds(ProblemReader &reader, Problem &p) {
  do
    p.kinds.push_back(read_kind(reader));
  while (reader.accept(","));
  if (p.kinds.size() == 1) p.kinds.resize(p.extents.size(), p.kinds.front());
  if (p.kinds.size() < p.extents.size()) reader.fail("\",\" and a kind for each axis");
  if (p.kinds.size() > p.extents.size()) reader.fail("one kind for each axis");
  if (!reader.accept(")")) reader.fail("\")\"");
  const bool fourier = std::count(p.kinds.begin(), p.kinds.end(), HFFT_DFT) > 0;
  if (!fourier) p.kind = Kind::r2r;
}

/// Parses the letters before the extents.
void read_letters(ProblemReader &reader, Problem &p) {
  bool real = false;
  for (char c = reader.peek(); c < '0' || c > '9'; c = reader.peek()) {
    switch (c) {
    case 'i':
      p.in_place = true;
      break;
    case 'o':
      p.in_place = false;
      break;
    case 'f':
      p.direction = Direction::forward;
      break;
    case 'b':
      p.direction = Direction::backward;
      break;
    case 'c':
      real = false;
      break;
    case 'r':
      real = true;
      break;
    case 'd':
      p.single = false;
      break;
    case 's':
      p.single = true;
      break;
    case '[':
      p.transposed_in = true;
      break;
    case ']':
      p.transposed_out = true;
      break;
    case '=':
      p.deterministic = true;
      break;
    default:
      reader.fail("one of the letters i o f b c r d s [ ] = or the first extent");
    }
    reader.take();
  }
  if (real) p.kind = p.direction == Direction::forward ? Kind::r2c : Kind::c2r;
}

} // namespace

Problem parse(std::string_view text, std::size_t min_dimensions, bool with_kinds) {
  Problem p;
  ProblemReader reader(text);
  read_letters(reader, p);
  do
    p.extents.push_back(reader.number<std::ptrdiff_t>(1, "an extent"));
  while (reader.accept("x"));
  if (p.extents.size() < min_dimensions) reader.fail("\"x\" and a second extent");
  if (with_kinds && reader.accept("(")) read_kinds(reader, p);
  if (reader.accept("*v")) p.howmany = reader.number<std::ptrdiff_t>(1, "howmany");
  if (reader.accept("/")) {
    p.block_in = reader.number<std::ptrdiff_t>(0, "the input's block size");
    if (!reader.accept(",")) reader.fail("\",\" and the output's block size");
    p.block_out = reader.number<std::ptrdiff_t>(0, "the output's block size");
  }
  if (reader.accept("@")) p.threads = reader.number<int>(1, "a number of threads");
  if (!reader.done()) reader.fail("\"x\", \"*v\", \"/\", \"@\" in this order, or the end");
  return p;
}

std::string to_string(const Problem &p) {
  std::string text = p.single ? "s" : "";
  text += p.in_place ? 'i' : 'o';
  text += p.direction == Direction::forward ? 'f' : 'b';
  if (p.kind == Kind::r2c || p.kind == Kind::c2r) text += 'r';
  if (p.transposed_in) text += '[';
  if (p.transposed_out) text += ']';
  if (p.deterministic) text += '=';
  for (std::size_t i = 0; i < p.extents.size(); ++i)
    text += (i != 0 ? "x" : "") + std::to_string(p.extents[i]);
  for (std::size_t i = 0; i < p.kinds.size(); ++i)
    text += std::string(i == 0 ? "(" : ",") +
            kind_names[static_cast<std::size_t>(p.kinds[i] - HFFT_DFT)];
  if (!p.kinds.empty()) text += ")";
  if (p.howmany != 1) text += "*v" + std::to_string(p.howmany);
  if (p.block_in != 0 || p.block_out != 0)
    text += "/" + std::to_string(p.block_in) + "," + std::to_string(p.block_out);
  if (p.threads != 1) text += "@" + std::to_string(p.threads);
  return text;
}

bool has_real_input(const Problem &p) { return p.kind == Kind::r2c || p.kind == Kind::r2r; }
bool has_real_output(const Problem &p) { return p.kind == Kind::c2r || p.kind == Kind::r2r; }

int halved_axis(const Problem &p) {
  if (p.kind == Kind::c2c || p.kind == Kind::r2r) return -1;
  auto axis = static_cast<int>(p.extents.size()) - 1;
  while (!p.kinds.empty() && p.kinds[static_cast<std::size_t>(axis)] != HFFT_DFT)
    --axis;
  return axis;
}

std::vector<std::ptrdiff_t> complex_extents(const Problem &p) {
  std::vector<std::ptrdiff_t> n = p.extents;
  if (const int axis = halved_axis(p); axis >= 0) {
    std::ptrdiff_t &halved = n[static_cast<std::size_t>(axis)];
    halved = halved / 2 + 1;
  }
  return n;
}

std::ptrdiff_t values(const Problem &p) {
  std::ptrdiff_t n = p.howmany;
  for (const std::ptrdiff_t e : p.extents)
    n *= e;
  return n;
}

bool supported(const Problem &p) {
  const bool real_transposed =
      (p.kind == Kind::r2c && p.transposed_in) || (p.kind == Kind::c2r && p.transposed_out);
  return !(real_transposed && p.extents.size() == 2 && p.kinds.empty());
}

} // namespace hybridfft::verifier
