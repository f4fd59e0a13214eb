// reduce and scan.
#include "lazy/check.h"

namespace wf {

NodeRef reduce(const Closure& f, std::vector<Bits64> identity, const NodeRef& s) {
  require_axes(*s);
  require_combine(f, s->types(), identity.size());
  return delayed(s->context(), {Shape::scalar(), {}}, s->types(),
                 {NodeKind::Reduce, with_values(f.fn, f.arguments), {s}, std::move(identity)});
}

// The total refers to the scanned sequence, too: when the total is computed, the prefixes may be manifest already, and then they no longer
// refer to it.
ScanResult scan(const Closure& f, std::vector<Bits64> identity, const NodeRef& s, bool inclusive) {
  require_vector(*s);
  require_combine(f, s->types(), identity.size());
  const FnRef fn = with_values(f.fn, f.arguments);
  NodeRef prefixes = delayed(s->context(), domain_of(s), s->types(), {NodeKind::Scan, fn, {s}, identity, inclusive});
  NodeRef total =
      delayed(s->context(), {Shape::scalar(), {}}, s->types(), {NodeKind::Total, fn, {prefixes, s}, std::move(identity), inclusive});
  return {std::move(prefixes), std::move(total)};
}

}  // namespace wf
