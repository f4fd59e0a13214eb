// Matrices as text: a line per row, fields separated by commas. All cores parse: the text is cut at line ends, the lines of each piece are
// counted, and then each piece is parsed into its own rows. Work: two passes over the text.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>

#include "cpu/threads/chunks.h"
#include "expr/fn.h"
#include "files/formats.h"
#include "ops/printable.h"

namespace wf {

namespace {

// Removes the part of `text` before `mark`, and the mark, and returns that part.
std::string_view cut(std::string_view& text, char mark) {
  const void* found = text.empty() ? nullptr : std::memchr(text.data(), mark, text.size());
  const size_t end = found ? size_t(static_cast<const char*>(found) - text.data()) : text.size();
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

std::string_view next_line(std::string_view& text) {
  std::string_view line = cut(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view field) {
  const size_t first = field.find_first_not_of(" \t");
  return first == field.npos ? std::string_view() : field.substr(first, field.find_last_not_of(" \t") + 1 - first);
}

// The fields of a line, one call per field; a field in quotation marks may contain commas and, twice, quotation marks. A line has at least one field.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  bool next(std::string_view& field) {
    if (done_) return false;
    const std::string_view from_text = rest_.substr(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    const bool is_quoted = from_text.starts_with('"') && from_text.find('"', 1) != from_text.npos;
    if (is_quoted) {
      size_t end = from_text.find('"', 1);
      while (from_text.substr(end).starts_with("\"\"") && from_text.find('"', end + 2) != from_text.npos)
        end = from_text.find('"', end + 2);
      field = from_text.substr(1, end - 1);
      rest_ = from_text.substr(end + 1);
    }
    const size_t size = rest_.size();
    const std::string_view plain = cut(rest_, ',');
    done_ = plain.size() == size;
    if (!is_quoted) field = trimmed(plain);
    else if (!trimmed(plain).empty()) field = from_text.substr(0, size_t(plain.end() - from_text.begin()));
    return true;
  }

 private:
  std::string_view rest_;
  bool done_ = false;
};

// Parses all of the field. Returns true if it is a number of type T.
template <class T> bool parse_number(std::string_view field, T& value) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  const char *begin = field.data(), *end = begin + field.size();
  if constexpr (std::is_same_v<T, bool>) {
    uint8_t number = 2;
    const auto [stop, error] = std::from_chars(begin, end, number);
    value = number == 1;
    return error == std::errc() && stop == end && number <= 1;
  } else {
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc()) return stop == end;
    // A number that is too large or too small for the type is an infinity or a zero.
    if constexpr (std::is_floating_point_v<T>) {
      long double wide;
      if (error != std::errc::result_out_of_range || stop != end || std::from_chars(begin, end, wide).ec != std::errc()) return false;
      value = static_cast<T>(wide);
      return true;
    }
    return false;
  }
}

// A line that is not valid; the lowest one is reported.
struct CsvFault {
  int64_t line = INT64_MAX;
  std::string what;
};

CsvFault uneven(int64_t line, int64_t fields, int64_t columns) {
  return {line, "the line has " + std::to_string(fields) + (fields == 1 ? " field" : " fields") + "; expected " + std::to_string(columns) +
                    " as in the first line"};
}

[[noreturn]] void fail_at(const std::string& path, const CsvFault& fault) {
  throw IoError(quoted(path) + ", line " + std::to_string(fault.line) + ": " + fault.what);
}

struct Piece {
  std::string_view text;
  int64_t first_row = 0, rows = 0;
};

// The text in pieces of about equal sizes that end at line ends.
std::vector<Piece> pieces_of(std::string_view text) {
  constexpr size_t size = size_t(1) << 20;
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const size_t end = text.size() <= size ? text.npos : text.find('\n', size);
    const size_t length = end == text.npos ? text.size() : end + 1;
    pieces.push_back({text.substr(0, length)});
    text.remove_prefix(length);
  }
  return pieces;
}

template <class F> void for_pieces(std::vector<Piece>& pieces, const F& f) {
  cpu::Chunks chunks{int64_t(pieces.size())};
  cpu::for_chunks(chunks, std::min(cpu::worker_count(), int(std::max<size_t>(pieces.size(), 1))), [&](int worker) {
    for (int64_t k; (k = chunks.next(worker)) >= 0;) f(pieces[size_t(k)]);
  });
}

// Parses the rows of a piece to data. Stops at the first line that is not valid.
template <class T> CsvFault parse_rows(const Piece& piece, int64_t columns, int64_t lines_before, T* data) {
  std::string_view rest = piece.text, field;
  for (int64_t row = 0; row < piece.rows; row++) {
    const int64_t line = lines_before + piece.first_row + row + 1;
    Fields fields(next_line(rest));
    int64_t column = 0;
    for (; fields.next(field); column++) {
      if (column >= columns) continue;
      if (!parse_number(field, data[row * columns + column]))
        return {line, "column " + std::to_string(column + 1) + " has \"" + printable(field, 40) + "\"; expected a number of type " +
                          std::string(name(type_of<T>))};
    }
    if (column != columns) return uneven(line, column, columns);
  }
  return {};
}

// Returns true if the field begins as a number does: with a digit after a sign, a point, an apostrophe or a dollar, if any.
bool begins_as_number(std::string_view field) {
  const size_t first = field.find_first_not_of("+-.,'$");
  return first != field.npos && field[first] >= '0' && field[first] <= '9';
}

// Returns true if all words of the line stand for missing numbers.
bool has_no_values(std::string_view line) {
  for (constexpr std::string_view separators = ",;|\" \t"; !line.empty();) {
    const std::string_view word = line.substr(0, std::min(line.find_first_of(separators), line.size()));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    constexpr std::string_view missing[] = {"",     "NA",   "N/A", "n/a", "#N/A", "<NA>", "NULL", "null",
                                            "None", "none", "NaN", "?",   "-",    ".",    "..",   "nil"};
    if (std::find(std::begin(missing), std::end(missing), word) == std::end(missing)) return false;
  }
  return true;
}

// Returns true if the line is of names: no field is a number or begins as one, and one is not a mark of a missing number.
bool is_heading(std::string_view line) {
  Fields fields(line);
  std::string_view field;
  double number;
  while (fields.next(field))
    if (parse_number(field, number) || begins_as_number(field) || field.find('\0') != field.npos) return false;
  return !has_no_values(line);
}

int64_t fields_in(std::string_view line) {
  Fields fields(line);
  std::string_view field;
  int64_t n = 0;
  while (fields.next(field)) n++;
  return n;
}

// The first line with another number of fields; there is one.
CsvFault first_uneven(std::string_view text, int64_t columns, int64_t lines_before) {
  for (int64_t line = lines_before + 1;; line++)
    if (const int64_t fields = fields_in(next_line(text)); fields != columns) return uneven(line, fields, columns);
}

}  // namespace

FileArray read_csv(const ReadRequest& request) {
  const Bytes file = map_file(request.path);
  const Type type = request.type.value_or(Type::F64);
  std::string_view text = file.text();
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  std::string_view after_first = text;
  const std::string_view first = next_line(after_first);
  const int64_t columns = text.empty() ? 0 : fields_in(first);
  const int64_t heading = !text.empty() && is_heading(first);
  if (heading) text = after_first;

  std::vector<Piece> pieces = pieces_of(text);
  for_pieces(pieces,
             [](Piece& piece) { piece.rows = std::count(piece.text.begin(), piece.text.end(), '\n') + !piece.text.ends_with('\n'); });
  int64_t rows = 0;
  for (Piece& piece : pieces) piece.first_row = rows, rows += piece.rows;

  const std::vector<int64_t> extents{rows, columns};
  // A field takes at least one byte with its separator: a shape that needs more has a short line.
  const std::optional<int64_t> n = element_count(extents, type);
  if (!n || *n > int64_t(text.size()) + rows) fail_at(request.path, first_uneven(text, columns, heading));
  BufferRef elements = Buffer::make(request.pool, size_t(*n) * size_of(type));
  if (rows == 0) return {type, extents, std::move(elements)};
  std::byte* data = elements->host_for_writing();
  CsvFault fault;
  std::mutex mutex;
  for_pieces(pieces, [&](const Piece& piece) {
    visit(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      CsvFault its = parse_rows(piece, columns, heading, reinterpret_cast<T*>(data) + piece.first_row * columns);
      const std::lock_guard lock(mutex);
      if (its.line < fault.line) fault = std::move(its);
    });
  });
  if (fault.line < INT64_MAX) fail_at(request.path, fault);
  return {type, extents, std::move(elements)};
}

}  // namespace wf
