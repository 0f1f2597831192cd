/// The table of features and its notes, parsed from docs/features.md.
#pragma once

#include <cctype>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace hybridfft::test {

/// The table: rows are features, columns are kinds of plans. Footnotes are the numbered lines below
/// the line "Notes of the table:".
class PrintedFeatures {
public:
  /// Throws std::runtime_error if the page has no such table or notes.
  explicit PrintedFeatures(const std::string &page) {
    read_table(page);
    read_notes(page);
    if (features_.empty()) throw std::runtime_error(page + " has no table of features");
    if (footnotes_.empty()) throw std::runtime_error(page + " has no notes of the table");
  }

  const std::vector<std::string> &features() const { return features_; }
  /// Returns the headings of the columns; the first one is "feature".
  const std::vector<std::string> &columns() const { return columns_; }
  /// Returns the text of footnote `number`; empty if there is none.
  std::string footnote(std::size_t number) const {
    return number >= 1 && number <= footnotes_.size() ? footnotes_[number - 1] : "";
  }
  /// Throws std::out_of_range for unknown features or columns.
  const std::string &cell(const std::string &feature, const std::string &column) const {
    return cells_.at(feature).at(column);
  }

private:
  /// Reads the rows of the table up to its end.
  void read_table(const std::string &page) {
    std::ifstream file(page);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("| feature |"))
        columns_ = cells_of(line);
      else if (line.starts_with("| ") && !columns_.empty())
        add_row(cells_of(line));
      else if (!line.starts_with("|") && !columns_.empty())
        return;
    }
  }
  void read_notes(const std::string &page) {
    std::ifstream file(page);
    bool found = false;
    for (std::string line; std::getline(file, line);)
      if (line == "Notes of the table:")
        found = true;
      else if (found && line.find(". ") == 1 && std::isdigit(line[0]) != 0)
        footnotes_.push_back(line.substr(3));
  }
  static std::vector<std::string> cells_of(const std::string &line) {
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = line.find(" |", at);
      cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    return cells;
  }
  void add_row(const std::vector<std::string> &cells) {
    features_.push_back(cells.front());
    for (std::size_t c = 1; c < columns_.size(); ++c)
      cells_[cells.front()][columns_[c]] = cells.at(c);
  }

  std::vector<std::string> columns_, features_, footnotes_;
  std::map<std::string, std::map<std::string, std::string>> cells_;
};

} // namespace hybridfft::test
