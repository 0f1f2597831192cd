// Parses and formats the strings of transforms between layouts.
#include "verifier/layout_problem.h"

#include "verifier/reader.h"

namespace hybridfft::verifier {

namespace {

int read_axis(ProblemReader &reader, const Problem &p) {
  const int axis = reader.number<int>(0, "an axis");
  if (static_cast<std::size_t>(axis) >= p.extents.size())
    reader.fail("an axis of the array before this");
  return axis;
}

LayoutSpec read_layout(ProblemReader &reader, const Problem &p) {
  LayoutSpec l;
  std::vector<bool> seen(p.extents.size(), false);
  do {
    LayoutSpec::AxisSpec part;
    part.axis = read_axis(reader, p);
    if (seen[static_cast<std::size_t>(part.axis)]) reader.fail("each axis once before this");
    seen[static_cast<std::size_t>(part.axis)] = true;
    if (reader.accept("/")) part.parts = reader.number<int>(1, "a number of parts");
    if (reader.accept("+")) part.padding = reader.number<std::ptrdiff_t>(0, "padding");
    l.parts.push_back(part);
  } while (reader.accept("."));
  if (l.parts.size() != p.extents.size()) reader.fail("\".\" and another axis");
  l.separate = reader.accept("s");
  if (reader.accept("%"))
    l.blocks = LayoutSpec::Blocks::unequal;
  else if (reader.accept("#"))
    l.blocks = LayoutSpec::Blocks::boxes;
  if (l.blocks != LayoutSpec::Blocks::equal) l.seed = reader.number<std::uint64_t>(0, "a seed");
  return l;
}

std::string to_string(const LayoutSpec &l) {
  std::string text;
  for (const LayoutSpec::AxisSpec &p : l.parts) {
    text += (text.empty() ? "" : ".") + std::to_string(p.axis);
    if (p.parts > 1) text += "/" + std::to_string(p.parts);
    if (p.padding > 0) text += "+" + std::to_string(p.padding);
  }
  if (l.separate) text += "s";
  if (l.blocks != LayoutSpec::Blocks::equal)
    text += (l.blocks == LayoutSpec::Blocks::unequal ? "%" : "#") + std::to_string(l.seed);
  return text;
}

} // namespace

LayoutProblem parse_layout_problem(std::string_view text) {
  LayoutProblem p;
  const std::size_t colon = text.find(':');
  p.base = parse(text.substr(0, colon), 1);
  ProblemReader reader(text);
  while (reader.peek() != ':' && !reader.done())
    reader.take();
  if (p.base.transposed_in || p.base.transposed_out || p.base.block_in != 0 ||
      p.base.block_out != 0)
    reader.fail("no brackets and no blocks before layouts, which say both");
  reader.expect(":", "axes to transform");
  if (!reader.accept("-")) do
      p.axes.push_back(read_axis(reader, p.base));
    while (reader.accept("."));
  if (p.base.kind != Kind::c2c && p.axes.empty()) reader.fail("an axis to be halved before this");
  reader.expect(":", "a layout");
  p.in = read_layout(reader, p.base);
  reader.expect(">", "the output's layout");
  p.out = read_layout(reader, p.base);
  if (!reader.done()) reader.fail("the end");
  return p;
}

std::string to_string(const LayoutProblem &p) {
  std::string text = to_string(p.base) + ":";
  if (p.axes.empty()) text += "-";
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    text += (i == 0 ? "" : ".") + std::to_string(p.axes[i]);
  return text + ":" + to_string(p.in) + ">" + to_string(p.out);
}

std::vector<std::ptrdiff_t> extents(const LayoutProblem &p, bool real) {
  std::vector<std::ptrdiff_t> n = p.base.extents;
  if (p.base.kind != Kind::c2c && !real) {
    std::ptrdiff_t &halved = n[static_cast<std::size_t>(p.axes.back())];
    halved = halved / 2 + 1;
  }
  return n;
}

int ranks_of(const LayoutSpec &l) {
  if (l.blocks == LayoutSpec::Blocks::boxes) return 0;
  int ranks = 1;
  for (const LayoutSpec::AxisSpec &p : l.parts)
    ranks *= p.parts;
  return ranks;
}

} // namespace hybridfft::verifier
