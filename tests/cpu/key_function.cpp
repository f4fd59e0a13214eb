// The keys of comparisons, and the comparisons that have none.
#include "cpu/routines/key_function.h"

#include "check.h"

using std::string;

namespace {

// "descending (fn ...)"; empty if there are no keys.
string keys_of(const string& less) {
  const auto found = wf::cpu::key_function(*wf::simplify(wf::parse(less)));
  return found ? (found->descending ? "descending " : "") + wf::print(*found->keys) : "";
}

const string pairs = "(fn ((a i32) (b f32) (c i32) (d f32)) ";

}  // namespace

TEST(one_key) {
  CHECK_EQ(keys_of("(fn ((a i32) (b i32)) (lt a b))"), "(fn ((v0 i32)) v0)");
  CHECK_EQ(keys_of("(fn ((a i32) (b i32)) (lt b a))"), "descending (fn ((v0 i32)) v0)");
  CHECK_EQ(keys_of("(fn ((a i32) (b i32)) (gt a b))"), "descending (fn ((v0 i32)) v0)");
  CHECK_EQ(keys_of("(fn ((a i32) (b i32)) (gt b a))"), "(fn ((v0 i32)) v0)");
  CHECK_EQ(keys_of("(fn ((a i32) (b i32)) (lt (xor (mul a a) 5:i32) (xor (mul b b) 5:i32)))"), "(fn ((v0 i32)) (xor (mul v0 v0) 5:i32))");
  CHECK_EQ(keys_of(pairs + "(lt b d))"), "(fn ((v0 i32) (v1 f32)) (add v1 0.0:f32))");
}

TEST(several_keys) {
  const string ascending = "(fn ((v0 i32) (v1 f32)) (tuple v0 (add v1 0.0:f32)))";
  CHECK_EQ(keys_of(pairs + "(or (lt a c) (and (eq a c) (lt b d))))"), ascending);
  CHECK_EQ(keys_of(pairs + "(or (and (gt d b) (eq c a)) (gt c a)))"), ascending);
  CHECK_EQ(keys_of(pairs + "(where (eq a c) (lt b d) (lt a c)))"), ascending);
  CHECK_EQ(keys_of(pairs + "(or (gt a c) (and (eq a c) (gt b d))))"), "descending " + ascending);
  CHECK_EQ(keys_of(pairs + "(or (gt a c) (and (eq a c) (lt b d))))"), "(fn ((v0 i32) (v1 f32)) (tuple (not v0) (add v1 0.0:f32)))");
  CHECK_EQ(keys_of(pairs + "(or (lt a c) (and (eq a c) (gt b d))))"), "(fn ((v0 i32) (v1 f32)) (tuple v0 (neg (add v1 0.0:f32))))");
}

TEST(no_keys) {
  for (const char* less :
       {"(lt a (add c 1:i32))", "(lt (add a c) 5:i32)", "(lt (mul a d) (mul c b))", "(le a c)", "(lt (add a c) (add c a))",
        "(or (lt a c) (and (eq b d) (lt b d)))", "(or (lt a c) (lt b d))", "(and (lt a c) (lt b d))", "(lt a 3:i32)"})
    CHECK_EQ(keys_of("(fn ((a i32) (b i32) (c i32) (d i32)) " + string(less) + ")"), "");
}
