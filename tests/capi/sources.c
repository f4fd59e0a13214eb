/* Transfer of data: copies with strides and conversions, adopted memory, files, DLPack. */
#define _GNU_SOURCE
#include <math.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "helpers.h"

static wf_context* context;
static void set_up(void) { context = tested(); }
static void tear_down(void) {
  cr_assert_eq(live_bytes(context), 0, "%lld bytes are still live", (long long)live_bytes(context));
  wf_context_release(context);
}

TestSuite(sources, .init = set_up, .fini = tear_down);

Test(sources, copies_are_independent_of_the_original) {
  int32_t values[] = {1, 2, 3};
  wf_seq* s = i32s(context, 3, values);
  values[1] = 50;
  int32_t type, columns, rank, yes;
  OK(wf_column_type(s, 0, &type));
  OK(wf_column_count(s, &columns));
  OK(wf_rank(s, &rank));
  OK(wf_is_manifest(s, &yes));
  cr_assert(type == WF_I32 && columns == 1 && rank == 1 && yes == 1);
  expect_i32s(s, 3, (int32_t[]){1, 2, 3});
  wf_release(s);
}

Test(sources, empty_ones) {
  wf_seq* s;
  OK(wf_from_host(context, WF_F64, NULL, 0, &s));
  cr_assert_eq(known_length(s), 0);
  const void* data;
  int64_t n = 5;
  OK(wf_data(s, 0, &data, &n));
  cr_assert_eq(n, 0);
  OK(wf_to_host(s, 0, 0, 0, NULL, WF_F64, 1));
  wf_release(s);
  OK(wf_adopt(context, WF_I32, NULL, 0, NULL, NULL, &s));
  wf_release(s);
}

Test(sources, every_type_converts_to_every_other) {
  static const int8_t width[] = {1, 1, 4, 4, 8, 8, 4, 8};
  int64_t ones[4] = {1, 0, 1, 1};
  for (int32_t from = 0; from < 8; from++)
    for (int32_t to = 0; to < 8; to++) {
      wf_seq* exact;
      wf_seq* s;
      char raw[4 * 8];
      int64_t back[4] = {-1, -1, -1, -1};
      OK(wf_from_host_strided(context, from, ones, WF_I64, 4, 1, &exact));
      OK(wf_to_host(exact, 0, 0, 4, raw, from, 1));
      OK(wf_from_host_strided(context, to, raw, from, 4, 1, &s));
      OK(wf_to_host(s, 0, 0, 4, back, WF_I64, 1));
      cr_assert_arr_eq(back, ones, sizeof ones, "%s to %s", wf_type_name(from), wf_type_name(to));
      cr_assert_eq(wf_type_size(to), width[to]);
      wf_release(exact);
      wf_release(s);
    }
}

Test(sources, conversions_saturate) {
  double values[] = {1e300, -1e300, NAN, 255.9, -0.5};
  wf_seq* s;
  OK(wf_from_host_strided(context, WF_I32, values, WF_F64, 5, 1, &s));
  expect_i32s(s, 5, (int32_t[]){INT32_MAX, INT32_MIN, 0, 255, 0});
  wf_release(s);
  OK(wf_from_host_strided(context, WF_U8, values, WF_F64, 5, 1, &s));
  uint8_t bytes[5];
  OK(wf_to_host(s, 0, 0, 5, bytes, WF_U8, 1));
  cr_assert_arr_eq(bytes, ((uint8_t[]){255, 0, 0, 255, 0}), 5);
  wf_release(s);
}

Test(sources, strides) {
  int32_t values[] = {1, 2, 3, 4, 5, 6};
  wf_seq* s;
  OK(wf_from_host_strided(context, WF_I32, values, WF_I32, 3, 2, &s));
  expect_i32s(s, 3, (int32_t[]){1, 3, 5});
  wf_release(s);
  OK(wf_from_host_strided(context, WF_I32, values + 5, WF_I32, 6, -1, &s));
  expect_i32s(s, 6, (int32_t[]){6, 5, 4, 3, 2, 1});
  float out[7] = {-1, -1, -1, -1, -1, -1, -1};
  OK(wf_to_host(s, 0, 1, 3, out + 1, WF_F32, 2));
  cr_assert_arr_eq(out, ((float[]){-1, 5, -1, 4, -1, 3, -1}), sizeof out);
  wf_release(s);
  OK(wf_from_host_strided(context, WF_I32, values, WF_I32, 3, 0, &s));
  expect_i32s(s, 3, (int32_t[]){1, 1, 1});
  wf_release(s);
}

Test(sources, bools_are_0_or_1) {
  unsigned char bytes[] = {0, 1, 2, 255}, out[4];
  wf_seq* s;
  OK(wf_from_host(context, WF_BOOL, bytes, 4, &s));
  OK(wf_to_host(s, 0, 0, 4, out, WF_BOOL, 1));
  cr_assert_arr_eq(out, ((unsigned char[]){0, 1, 1, 1}), 4);
  wf_release(s);
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "element 2 is a bool of value 2", s, wf_adopt(context, WF_BOOL, bytes, 4, NULL, NULL, &s));
  OK(wf_adopt(context, WF_BOOL, bytes, 2, NULL, NULL, &s));
  wf_release(s);
}

Test(sources, memory_to_fill) {
  enum { n = 1000007 };
  wf_context* limited = tested();
  wf_seq *s, *total, *none;
  void* memory;
  OK(wf_context_set_limit(limited, 6 * n));
  OK(wf_allocate(limited, WF_I32, n, &memory, &s));
  cr_assert_geq(live_bytes(limited), 4 * n);
  GIVES_NOTHING(WF_ERROR_MEMORY, "limit", none, wf_allocate(limited, WF_I32, n, (void**)&total, &none));
  OK(wf_context_set_limit(limited, -1));
  for (int32_t k = 0; k < n; k++) ((int32_t*)memory)[k] = 3 * k - 7;
  wf_fn* add = function("(fn ((a i64) (b i64)) (add a b))");
  wf_seq* wide = map1("(fn ((x i32)) (cast i64 x))", s);
  OK(wf_reduce(add, NULL, wide, &total));
  int64_t sum = 0;
  OK(wf_to_host(total, 0, 0, 1, &sum, WF_I64, 1));
  cr_assert_eq(sum, (int64_t)3 * n * (n - 1) / 2 - (int64_t)7 * n);
  int32_t last = 0;
  OK(wf_to_host(s, 0, n - 1, 1, &last, WF_I32, 1));
  cr_assert_eq(last, 3 * (n - 1) - 7);
  wf_release(s);
  wf_release(wide);
  wf_release(total);
  wf_fn_release(add);
  cr_assert_eq(live_bytes(limited), 0);
  OK(wf_allocate(limited, WF_F64, 0, &memory, &s));
  int64_t length = -1;
  OK(wf_known_length(s, &length));
  cr_assert_eq(length, 0);
  wf_release(s);
  wf_context_release(limited);
}

Test(sources, large_copies) {
  int64_t n = 3000001;
  int32_t* values = malloc((size_t)n * 4);
  double* out = malloc((size_t)n * 8);
  for (int64_t k = 0; k < n; k++) values[k] = (int32_t)(k * 7);
  wf_seq* s = i32s(context, n, values);
  OK(wf_to_host(s, 0, 0, n, out, WF_F64, 1));
  for (int64_t k = 0; k < n; k++) cr_assert_eq(out[k], values[k]);
  memset(out, 0, (size_t)n * 8);
  OK(wf_to_host(s, 0, 0, n, out, WF_I32, 1));
  cr_assert_eq(memcmp(out, values, (size_t)n * 4), 0);
  wf_release(s);
  free(values);
  free(out);
}

static int deleted;
static void count_deletion(void* user) {
  (void)user;
  __atomic_add_fetch(&deleted, 1, __ATOMIC_SEQ_CST);
}

Test(sources, adopted_memory_is_used_in_place) {
  static int32_t values[] = {1, 2, 3};
  wf_seq* s;
  OK(wf_adopt(context, WF_I32, values, 3, count_deletion, NULL, &s));
  cr_assert_eq(live_bytes(context), 0);
  const void* data;
  OK(wf_data(s, 0, &data, NULL));
  cr_assert_eq(data, values);
  wf_seq* doubled = map1("(fn ((x i32)) (mul x 2:i32))", s);
  wf_seq* part;
  OK(wf_subseq(s, 1, 2, &part));
  wf_release(s);
  cr_assert_eq(deleted, 0);
  expect_i32s(doubled, 3, (int32_t[]){2, 4, 6});
  cr_assert_eq(deleted, 0);
  OK(wf_data(part, 0, &data, NULL));
  cr_assert_eq(data, values + 1);
  wf_release(part);
  cr_assert_eq(deleted, 1);
  wf_release(doubled);
  cr_assert_eq(deleted, 1);
}

Test(sources, a_deleter_is_not_called_on_failure) {
  static int32_t values[] = {1, 2, 3};
  wf_seq* s;
  GIVES_NOTHING(WF_ERROR_TYPE, "type", s, wf_adopt(context, 50, values, 3, count_deletion, NULL, &s));
  GIVES_NOTHING(WF_ERROR_SIZE, "n", s, wf_adopt(context, WF_I32, values, -3, count_deletion, NULL, &s));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "aligned", s, wf_adopt(context, WF_I32, (char*)values + 1, 2, count_deletion, NULL, &s));
  cr_assert_eq(deleted, 0);
}

Test(sources, scalars) {
  double pi = 3.25;
  unsigned char truth = 7;
  wf_seq* s;
  int32_t rank;
  OK(wf_scalar(context, WF_F64, &pi, &s));
  OK(wf_rank(s, &rank));
  cr_assert_eq(rank, 0);
  cr_assert_eq(known_length(s), 1);
  cr_assert_eq(f64_at(s, 0, 0), 3.25);
  wf_seq* twice = map1("(fn ((x f64)) (add x x))", s);
  cr_assert_eq(f64_at(twice, 0, 0), 6.5);
  wf_release(twice);
  wf_release(s);
  OK(wf_scalar(context, WF_BOOL, &truth, &s));
  cr_assert_eq(i64_at(s, 0, 0), 1);
  wf_release(s);
}

/* Creates a file with these bytes and returns its name. */
static const char* file_of(const void* bytes, size_t n) {
  static char path[] = "/tmp/warpfold-test-XXXXXX";
  int descriptor = mkstemp(path);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(write(descriptor, bytes, n), (ssize_t)n);
  close(descriptor);
  return path;
}

Test(sources, files) {
  static const int32_t values[] = {5, -6, 7};
  const char* path = file_of(values, sizeof values);
  wf_seq* s;
  OK(wf_from_file(context, WF_I32, path, &s));
  cr_assert_eq(live_bytes(context), 0);
  unlink(path); /* the mapping stays valid */
  expect_i32s(s, 3, values);
  wf_seq* r = map1("(fn ((x i32)) (add x 1:i32))", s);
  wf_release(s);
  expect_i32s(r, 3, (int32_t[]){6, -5, 8});
  wf_release(r);
}

Test(sources, files_of_odd_sizes) {
  wf_seq* s;
  const char* path = file_of("abcde", 5);
  GIVES_NOTHING(WF_ERROR_SIZE, "5 bytes; expected a multiple of the 4 bytes of type i32", s, wf_from_file(context, WF_I32, path, &s));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "bool", s, wf_from_file(context, WF_BOOL, path, &s));
  OK(wf_from_file(context, WF_U8, path, &s));
  cr_assert_eq(known_length(s), 5);
  cr_assert_eq(i64_at(s, 0, 4), 'e');
  wf_release(s);
  unlink(path);
}

Test(sources, empty_files) {
  wf_seq* s;
  const char* path = file_of("", 0);
  OK(wf_from_file(context, WF_F64, path, &s));
  cr_assert_eq(known_length(s), 0);
  wf_release(s);
  unlink(path);
}

Test(sources, unreadable_files) {
  wf_seq* s;
  GIVES_NOTHING(WF_ERROR_IO, "/no/such/file\" cannot be opened: No such file", s, wf_from_file(context, WF_U8, "/no/such/file", &s));
  GIVES_NOTHING(WF_ERROR_IO, "is a directory; expected a regular file", s, wf_from_file(context, WF_U8, "/tmp", &s));
  GIVES_NOTHING(WF_ERROR_IO, "is a device; expected a regular file", s, wf_from_file(context, WF_U8, "/dev/null", &s));
  GIVES_NOTHING(WF_ERROR_IO, "is a device; expected a regular file", s, wf_from_file(context, WF_U8, "/dev/zero", &s));
  GIVES_NOTHING(WF_ERROR_IO, "is a file without a size; expected a regular file", s, wf_from_file(context, WF_U8, "/proc/self/status", &s));
}

/* The pipe has no writer, and the socket has no listener. */
Test(sources, pipes_and_sockets, .timeout = 20) {
  wf_seq* s;
  const char* path = file_of("", 0);
  unlink(path);
  cr_assert_eq(mkfifo(path, 0600), 0);
  GIVES_NOTHING(WF_ERROR_IO, "is a named pipe; expected a regular file", s, wf_from_file(context, WF_U8, path, &s));
  GIVES_NOTHING(WF_ERROR_IO, "read anything else into memory and make a sequence from there", s, wf_from_file(context, WF_U8, path, &s));
  unlink(path);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  cr_assert_eq(bind(listener, (struct sockaddr*)&address, sizeof address), 0);
  GIVES_NOTHING(WF_ERROR_IO, "expected a regular file", s, wf_from_file(context, WF_U8, path, &s));
  close(listener);
  unlink(path);
}

/* The structures of the DLPack standard. */
struct tensor {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct managed {
  struct tensor tensor;
  void* context;
  void (*deleter)(struct managed*);
};

static void count_tensor(struct managed* self) {
  (void)self;
  deleted++;
}

Test(sources, tensors_come_in) {
  static float values[] = {9, 1, 2, 3};
  int64_t shape[] = {3}, stride[] = {1};
  struct managed good = {{values, {1, 0}, 1, {2, 32, 1}, shape, NULL, 4}, NULL, count_tensor}, bad;
  wf_seq* s;
#define REFUSED(code, part, change) \
  bad = good;                       \
  change;                           \
  GIVES_NOTHING(code, part, s, wf_from_dlpack(context, &bad, &s));
  int64_t far_apart[] = {INT64_MAX}, negative[] = {-1};
  REFUSED(WF_ERROR_UNSUPPORTED, "device of type 7", bad.tensor.device.type = 7)
  REFUSED(WF_ERROR_UNSUPPORTED, "rank 9", bad.tensor.ndim = 9)
  REFUSED(WF_ERROR_UNSUPPORTED, "rank -1", bad.tensor.ndim = -1)
  REFUSED(WF_ERROR_SIZE, "overflow", bad.tensor.strides = far_apart)
  REFUSED(WF_ERROR_TYPE, "16 bits", bad.tensor.dtype.bits = 16)
  REFUSED(WF_ERROR_TYPE, "4 lanes", bad.tensor.dtype.lanes = 4)
  REFUSED(WF_ERROR_SIZE, "-1", bad.tensor.shape = negative)
  REFUSED(WF_ERROR_ARGUMENT, "shape is NULL", bad.tensor.shape = NULL)
  REFUSED(WF_ERROR_ARGUMENT, "data is NULL", bad.tensor.data = NULL)
  REFUSED(WF_ERROR_ARGUMENT, "aligned", bad.tensor.byte_offset = 2)
  cr_assert_eq(deleted, 0);

  good.tensor.strides = stride;
  OK(wf_from_dlpack(context, &good, &s));
  cr_assert_eq(known_length(s), 3);
  cr_assert_eq(f64_at(s, 0, 2), 3);
  const void* data;
  OK(wf_data(s, 0, &data, NULL));
  cr_assert_eq(data, values + 1);
  wf_release(s);
  cr_assert_eq(deleted, 1);

  int64_t extents[] = {2, 2, 2}, strides[] = {1, -2, 0};
  struct managed strided = {{values, {1, 0}, 3, {2, 32, 1}, extents, strides, 8}, NULL, count_tensor};
  OK(wf_from_dlpack(context, &strided, &s));
  const double expected[] = {2, 2, 9, 9, 3, 3, 1, 1};
  for (int k = 0; k < 8; k++) cr_assert_eq(f64_at(s, 0, k), expected[k]);
  wf_release(s);
  cr_assert_eq(deleted, 2);

  struct managed scalar = {{values, {1, 0}, 0, {2, 32, 1}, NULL, NULL, 0}, NULL, NULL};
  OK(wf_from_dlpack(context, &scalar, &s));
  cr_assert_eq(f64_at(s, 0, 0), 9);
  wf_release(s);
}

Test(sources, tensors_go_out_and_come_back) {
  static const uint8_t codes[] = {6, 1, 0, 1, 0, 1, 2, 2};
  for (int32_t type = 0; type < 8; type++) {
    int64_t values[] = {1, 0, 1};
    wf_seq* s;
    wf_seq* back;
    void* out;
    OK(wf_from_host_strided(context, type, values, WF_I64, 3, 1, &s));
    const void* data;
    OK(wf_data(s, 0, &data, NULL));
    OK(wf_to_dlpack(s, 0, &out));
    wf_release(s); /* the tensor keeps the memory alive */
    struct managed* managed = out;
    cr_assert_eq(managed->tensor.data, data);
    cr_assert(managed->tensor.dtype.code == codes[type] && managed->tensor.dtype.lanes == 1);
    cr_assert_eq(managed->tensor.dtype.bits, 8 * wf_type_size(type));
    cr_assert(managed->tensor.ndim == 1 && managed->tensor.shape[0] == 3 && managed->tensor.device.type == 1);
    OK(wf_from_dlpack(context, out, &back));
    cr_assert_eq(i64_at(back, 0, 2), 1);
    wf_release(back);
    cr_assert_eq(live_bytes(context), 0);
  }
}

Test(sources, a_tensor_of_an_array) {
  wf_seq *s = iota(context, 24), *r;
  const int64_t extents[] = {2, 3, 4};
  const int32_t axes[] = {2, 0, 1};
  void* out;
  OK(wf_reshape(s, extents, 3, &r));
  wf_release(s);
  OK(wf_permute(r, axes, 3, &s));
  OK(wf_to_dlpack(s, 0, &out));
  wf_release(s), wf_release(r);
  const struct tensor* tensor = &((struct managed*)out)->tensor;
  cr_assert(tensor->ndim == 3 && tensor->shape[0] == 4 && tensor->shape[1] == 2 && tensor->shape[2] == 3);
  cr_assert(tensor->strides[0] == 6 && tensor->strides[1] == 3 && tensor->strides[2] == 1);
  cr_assert_eq(((const int32_t*)tensor->data)[1 * 6 + 1 * 3 + 2], 1 + 12 + 8);
  OK(wf_from_dlpack(context, out, &s));
  cr_assert_eq(i64_at(s, 0, 11), 1 + 12 + 8);
  wf_release(s);
  cr_assert_eq(live_bytes(context), 0);
}

Test(sources, a_tensor_of_a_view_and_of_a_scalar) {
  wf_seq* s = iota(context, 100);
  wf_seq* part;
  wf_seq* last;
  void* out;
  OK(wf_force(&s, 1));
  OK(wf_subseq(s, 10, 5, &part));
  OK(wf_nth(s, 99, &last));
  OK(wf_to_dlpack(part, 0, &out));
  struct managed* managed = out;
  cr_assert_eq(*(int32_t*)((char*)managed->tensor.data + managed->tensor.byte_offset), 10);
  managed->deleter(managed);
  OK(wf_to_dlpack(last, 0, &out));
  managed = out;
  cr_assert_eq(managed->tensor.ndim, 0);
  cr_assert_eq(*(int32_t*)managed->tensor.data, 99);
  managed->deleter(managed);
  wf_release(s);
  wf_release(part);
  wf_release(last);
}

/* The versioned tensor of DLPack 1. */
struct versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct versioned*);
  uint64_t flags;
  struct tensor tensor;
};

static void count_versioned(struct versioned* self) {
  (void)self;
  deleted++;
}

Test(sources, versioned_tensors_come_in) {
  static double values[] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {3, 2}, strides[] = {1, 3};
  struct versioned good = {1, 7, NULL, count_versioned, 1, {values, {1, 0}, 2, {2, 64, 1}, shape, strides, 0}}, bad = good;
  wf_seq* s;
  bad.major = 2;
  GIVES_NOTHING(WF_ERROR_UNSUPPORTED, "version 2.7", s, wf_from_dlpack_stream(context, &bad, 1, 0, &s));
  bad = good;
  bad.tensor.device.id = 99;
  bad.tensor.device.type = 2;
  GIVES_NOTHING(WF_ERROR_UNSUPPORTED, "cuda:99", s, wf_from_dlpack_stream(context, &bad, 1, 0, &s));
  bad.tensor.device.type = 4;
  GIVES_NOTHING(WF_ERROR_UNSUPPORTED, "device of type 4", s, wf_from_dlpack_stream(context, &bad, 1, 0, &s));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "stream is -2", s, wf_from_dlpack_stream(context, &good, 1, -2, &s));
  cr_assert_eq(deleted, 0);
  OK(wf_from_dlpack_stream(context, &good, 1, -1, &s));
  const double expected[] = {1, 4, 2, 5, 3, 6};
  for (int k = 0; k < 6; k++) cr_assert_eq(f64_at(s, 0, k), expected[k]);
  wf_release(s);
  cr_assert_eq(deleted, 1);
}

/* On a GPU as well: the elements stay in the context's memory, and reading them back waits for nothing but their stream. */
Test(sources, tensors_in_the_context_s_memory_go_out_and_come_back) {
  for (int32_t is_versioned = 0; is_versioned < 2; is_versioned++) {
    wf_seq *s = iota(context, 1000000), *part, *back, *sum;
    void* out;
    const int64_t extents[] = {1000, 999};
    OK(wf_subseq(s, 1, 999000, &part));
    wf_release(s);
    OK(wf_reshape(part, extents, 2, &s));
    OK(wf_to_dlpack_stream(s, 0, is_versioned, 0, &out));
    wf_release(s), wf_release(part);
    const struct tensor* tensor = is_versioned ? &((struct versioned*)out)->tensor : &((struct managed*)out)->tensor;
    cr_assert(tensor->ndim == 2 && tensor->shape[0] == 1000 && tensor->shape[1] == 999 && tensor->strides[0] == 999 &&
              tensor->strides[1] == 1);
    if (is_versioned) cr_assert(((struct versioned*)out)->major == 1 && ((struct versioned*)out)->flags == 1);
    cr_assert_eq(tensor->device.type, is_cpu(context) ? 1 : 2);
    OK(wf_from_dlpack_stream(context, out, is_versioned, 0, &back));
    wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
    OK(wf_reduce(add, "0:i32", back, &sum));
    wf_fn_release(add);
    cr_assert_eq(i64_at(sum, 0, 0), (int32_t)(999000LL * 999001 / 2));
    cr_assert_eq(i64_at(back, 0, 998999), 999000);
    OK(wf_to_dlpack_stream(back, 0, is_versioned, 0, &out));
    const struct tensor* again = is_versioned ? &((struct versioned*)out)->tensor : &((struct managed*)out)->tensor;
    cr_assert_eq(again->data, tensor->data, "the elements were copied");
    if (is_versioned) ((struct versioned*)out)->deleter(out);
    else ((struct managed*)out)->deleter(out);
    wf_release(back), wf_release(sum);
    for (int k = 0; k < 1000 && live_bytes(context) > 0; k++) usleep(1000); /* a deleter on a thread of the library */
  }
}
