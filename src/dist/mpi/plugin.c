/* The plugin: see plugin.h. */
#include "plugin.h"

#include <mpi.h>
#include <stdlib.h>

enum { DATA = 1, ANNOUNCEMENT = 2 };

static MPI_Comm world;
static int own_rank, rank_count;
static MPI_Request* requests;
static int started, capacity;

static int open_mpi(int* rank, int* ranks, int* is_owner) {
  int is_initialized = 0, level = MPI_THREAD_SINGLE, code;
  if ((code = MPI_Initialized(&is_initialized))) return code;
  *is_owner = !is_initialized;
  code = is_initialized ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  if (!code) code = MPI_Comm_dup(MPI_COMM_WORLD, &world);
  if (!code) code = MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  if (!code) code = MPI_Comm_rank(world, &own_rank);
  if (!code) code = MPI_Comm_size(world, &rank_count);
  *rank = own_rank, *ranks = rank_count;
  return code;
}

/* The place of a new request; null if memory is exhausted. */
static MPI_Request* next_request(void) {
  if (started == capacity) {
    const int larger = capacity ? 2 * capacity : 64;
    MPI_Request* grown = realloc(requests, sizeof(MPI_Request) * (size_t)larger);
    if (!grown) return NULL;
    requests = grown, capacity = larger;
  }
  requests[started] = MPI_REQUEST_NULL;
  return &requests[started++];
}

static int all_gather(const void* mine, void* all, int bytes) {
  MPI_Request* request = next_request();
  return request ? MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, world, request) : MPI_ERR_NO_MEM;
}

/* MPI counts bytes in an int: copies are made in pieces. */
static int copy(int rank, char* to, const char* from, size_t bytes) {
  const size_t most = (size_t)1 << 30;
  int code = 0;
  for (size_t begin = 0; begin < bytes && !code; begin += most) {
    const int piece = (int)(bytes - begin < most ? bytes - begin : most);
    MPI_Request* request = next_request();
    if (!request) return MPI_ERR_NO_MEM;
    code = to ? MPI_Irecv(to + begin, piece, MPI_BYTE, rank, DATA, world, request)
              : MPI_Isend(from + begin, piece, MPI_BYTE, rank, DATA, world, request);
  }
  return code;
}
static int send_data(int to, const void* data, size_t bytes) { return copy(to, NULL, data, bytes); }
static int receive(int from, void* data, size_t bytes) { return copy(from, data, NULL, bytes); }

static int test(int* is_done) {
  const int code = MPI_Testall(started, requests, is_done, MPI_STATUSES_IGNORE);
  if (!code && *is_done) started = 0;
  return code;
}

static void announce(int64_t exchange) {
  static int64_t sent;
  sent = exchange;
  for (int rank = 0; rank < rank_count; rank++) {
    MPI_Request request;
    if (rank != own_rank && !MPI_Isend(&sent, 1, MPI_INT64_T, rank, ANNOUNCEMENT, world, &request)) MPI_Request_free(&request);
  }
}

static int64_t announced(int rank) {
  int64_t latest = -1;
  for (int is_there = 0; !MPI_Iprobe(rank, ANNOUNCEMENT, world, &is_there, MPI_STATUS_IGNORE) && is_there;)
    if (MPI_Recv(&latest, 1, MPI_INT64_T, rank, ANNOUNCEMENT, world, MPI_STATUS_IGNORE)) break;
  return latest;
}

static void describe(int code, char text[WF_MPI_TEXT]) {
  _Static_assert(MPI_MAX_ERROR_STRING <= WF_MPI_TEXT, "the text of an error fits");
  int length = 0;
  if (MPI_Error_string(code, text, &length)) text[0] = 0;
}

static void close_mpi(void) { MPI_Finalize(); }

__attribute__((visibility("default"))) const wf_mpi* warpfold_mpi(void) {
  static const wf_mpi functions = {WF_MPI_VERSION, open_mpi, all_gather, send_data, receive,
                                   test,           announce, announced,  describe,  close_mpi};
  return &functions;
}
