// Functions that the constructors of nodes share: checks of their arguments, and the texts of their errors.
#pragma once

#include <span>
#include <string>

#include "lazy/node.h"

namespace wf {

// "(i32, f64)"
std::string list(std::span<const Type> types);
// "(f32, f32) -> (f32)"
std::string signature(const Fn& f);
// "length 5", "rank 0 (a scalar)", "a length that is not known before the filter has run"
std::string describe_length(const Node& s);
// "1 parameter", "2 parameters"
std::string count(size_t n, const std::string& noun);

// Throws unless all are there and of one context, which is returned.
const std::shared_ptr<NodeContext>& common_context(std::span<const NodeRef> sequences, const Closure* f = nullptr);

// The indices that a result with one element for each of the sequences' elements ranges over.
struct Domain {
  Shape shape;
  NodeRef filter;  // none where the length is known
};
// Throws SizeError where the sequences do not range over the same indices.
Domain common_domain(std::span<const NodeRef> sequences);
inline Domain domain_of(const NodeRef& s) { return common_domain({&s, 1}); }

// Throws unless s, called `argument` in the error, has rank 1.
void require_vector(const Node& s, const std::string& argument = "s");
// The length of a vector; throws SizeError where it is not known yet.
int64_t known_length(const Node& s, const std::string& argument = "s");
// Throws SizeError unless 0 <= n and n elements of these types have a size in bytes.
void require_length(int64_t n, std::span<const Type> types);
// Throws TypeError unless f takes exactly these and has a result.
void require_parameters(const Fn& f, std::span<const Type> types, std::string_view whose);
// Throws unless f combines two rows of `types` into one, with no captures, and there is an identity for each column.
void require_combine(const Closure& f, std::span<const Type> types, size_t identities);

// A delayed node.
NodeRef delayed(const std::shared_ptr<NodeContext>& context, Domain domain, ColumnTypes types, Definition definition);

// A node over `domain` whose columns are computed from the index by fn; `viewed` as in Definition.
NodeRef pull(const std::shared_ptr<NodeContext>& context, Domain domain, FnRef fn, std::vector<NodeRef> inputs, uint32_t viewed,
             std::vector<Bits64> arguments = {});

}  // namespace wf
