#include "cuda/text/bytes.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

std::string word_text(const Fn& fn, const Term& term, const std::vector<std::string>& x) {
  auto call = [&](const char* name, size_t a, size_t b) { return std::string(name) + "(" + x[a] + ", " + x[b] + ")"; };
  auto of_truths = [&] {
    for (Id arg : fn.args(term))
      if (fn[arg].kind != Kind::Cast || fn[fn.args(arg)[0]].type != Type::Bool) return false;
    return true;
  };
  switch (term.op) {
    case Op::add_: return of_truths() ? x[0] + " + " + x[1] : call("bytes_add", 0, 1);
    case Op::sub_: return call(of_truths() ? "bytes_difference" : "bytes_sub", 0, 1);
    case Op::and_: return x[0] + " & " + x[1];
    case Op::or_: return x[0] + " | " + x[1];
    case Op::xor_: return x[0] + " ^ " + x[1];
    case Op::not_: return "bytes_not(" + x[0] + ")";
    case Op::where_: return "bytes_where(" + x[0] + ", " + x[1] + ", " + x[2] + ")";
    case Op::eq_: return call("bytes_eq", 0, 1);
    case Op::ne_: return "bytes_not(" + call("bytes_eq", 0, 1) + ")";
    case Op::ge_: return call("bytes_ge", 0, 1);
    case Op::le_: return call("bytes_ge", 1, 0);
    case Op::lt_: return "bytes_not(" + call("bytes_ge", 0, 1) + ")";
    case Op::gt_: return "bytes_not(" + call("bytes_ge", 1, 0) + ")";
    default: return {};
  }
}

}  // namespace

// Writes the terms that `result` needs for the row's q-th four elements. Returns the names of all terms.
std::vector<std::string> Emitter::words(Statements& s, Id result) const {
  const std::vector<bool> computed = computed_for(body_, result);
  std::vector<std::string> names(body_.terms.size());
  for (Id id = 0; id < body_.terms.size(); id++) {
    if (!computed[id]) continue;
    const Term& term = body_[id];
    std::vector<std::string> x;
    for (Id arg : body_.args(id)) x.push_back(names[arg]);
    std::string value;
    if (term.kind == Kind::Cast) {
      names[id] = x[0];
      continue;
    }
    if (term.kind == Kind::At) {
      const size_t stream = size_t(std::ranges::find(form_.streams, id, &Stream::term) - form_.streams.begin());
      value = "word_of(row.s" + str(stream) + ", q)";
    } else if (term.kind == Kind::Literal) {
      const uint32_t argument = literals_.body.literal_of[id];
      value = "bytes_all(" + (argument == Site::in_text ? literal_text(term.type, term.bits) : literal(argument)) + ")";
    } else {
      value = word_text(body_, term, x);
    }
    names[id] = "w" + str(id);
    s.line("const unsigned " + names[id] + " = " + value + ";");
  }
  return names;
}

// The prefix up to a word's k-th element is the sum before the word plus the word's first k + 1 bytes.
std::string Emitter::visit_bytes() const {
  if (!form_.by_bytes) return {};
  Statements s("      ");
  const Id scanned = body_.results[kernel_.scan[0].values[0]];
  const std::string x = words(s, scanned)[scanned], type = type_text(scan_type(0));
  constexpr const char* first_bytes[] = {"0x1u", "0x101u", "0x10101u", "0x1010101u"};
  s.line("const " + type + " p0 = sums.total;");
  for (int k = 0; k < 4; k++) s.line("const " + type + " p" + str(k + 1) + " = byte_dot(" + x + ", " + first_bytes[k] + ", sums.total);");
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++)
    for (int k = 0; k < 4; k++) {
      auto find = [&](const std::string& column, bool least) {
        s.line("sums." + column + " = op_" + (least ? "min" : "max") + "(sums." + column + ", p" + str(uint64_t(k + is_inclusive(r))) +
               ");");
      };
      find(sum_name(r, 0), finds_least(r));
      if (overflow_check() == OverflowCheck::Extremes) find(opposite_name(r), !finds_least(r));
    }
  s.line("sums.total = p4;");
  return function("void visit_bytes(const Args& a, const Row& row, Sums& sums)",
                  "#pragma unroll\n    for (int q = 0; q < pack / 4; q++) {\n" + s.text() + "    }\n");
}

}  // namespace wf::cuda
