// Functions that the constructors of nodes share: checks of arguments, and parts of error messages.
#pragma once

#include <span>
#include <string>

#include "lazy/node.h"

namespace wf {

// "(i32, f64)"
std::string list(std::span<const Type> types);
// "(f32, f32) -> (f32)"
std::string signature(const Fn& f);
// "length 5", "shape 3 x 4", "rank 0 (a scalar)", "a length that is not known before the filter has run"
std::string describe_length(const Node& s);
// "1 parameter", "2 parameters"
std::string count(size_t n, const std::string& noun);
// "the 2nd noun" for element k = 1 of n, and "the noun" if it is the only one.
std::string ordinal(size_t k, size_t n, const std::string& noun);

// Throws ArgumentError unless there is a sequence and all sequences and captures have one context. Returns the context.
const std::shared_ptr<NodeContext>& common_context(std::span<const NodeRef> sequences, const Closure* f = nullptr);

// The indices that a sequence ranges over.
struct Domain {
  Shape shape;
  NodeRef filter;  // none if the sequences share none, or a manifest one
};
// The domain that all sequences share; throws SizeError if they do not range over the same indices. `names` are their names in the error;
// without them, sequences[0], sequences[1], ...
Domain common_domain(std::span<const NodeRef> sequences, std::span<const char* const> names = {});
inline Domain domain_of(const NodeRef& s) { return common_domain({&s, 1}); }

// Throws unless s, called `argument` in the error, has rank 1.
void require_vector(const Node& s, const std::string& argument = "s");
// Throws if s has rank 0.
void require_axes(const Node& s, const std::string& argument = "s");
// The length of a vector; throws SizeError if it is not known yet.
int64_t known_length(const Node& s, const std::string& argument = "s");
// Throws SizeError if n is negative, or if the size in bytes of n elements of one of these types overflows.
void require_length(int64_t n, std::span<const Type> types);
// Throws TypeError unless the parameters of f have exactly these types and f has a result. `meaning` tells what the parameters are.
void require_parameters(const Fn& f, std::span<const Type> types, std::string_view meaning);
// Throws unless f combines two elements with columns `types` into one and captures nothing, and there is an identity per column.
void require_combine(const Closure& f, std::span<const Type> types, size_t identities);

// A delayed node with this definition.
NodeRef delayed(const std::shared_ptr<NodeContext>& context, Domain domain, ColumnTypes types, Definition definition);

// A node over `domain` whose columns are computed from the index by fn; `viewed` as in Definition.
NodeRef pull(const std::shared_ptr<NodeContext>& context, Domain domain, FnRef fn, Few<NodeRef> inputs, uint32_t viewed,
             Few<Bits64> arguments = {});

}  // namespace wf
