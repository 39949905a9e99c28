/* A disk that keeps a diary, and that can fail: a library for LD_PRELOAD (Linux, glibc).

It watches the files below the folder DISK_FOLDER, and standard output and standard error as the files `<1>` and `<2>`.

DISK_LOG   append one record to this file for every change, after it was made. A record has five numbers of 64 bits
           (operation, number of the file, offset or size, length of the data, process) and then the data. A file gets a
           number when it is opened; a name that is removed and made again is another file.
DISK_FAIL  an errno: from the DISK_FROM-th watched write on (1 is the first one), calls that need space fail with it.
           The first of them still writes half of its data, as a disk does that becomes full; with DISK_ONCE=1 it alone
           fails, and writes nothing. DISK_ONLY restricts this to names that end so.
DISK_COUNT a file that gets the number of watched writes when the process ends.

mmap is not watched: SQLite uses it for its index (-shm) alone, which it makes anew after a crash of the system. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC, SYNC_FOLDER, UNLINK, RENAME };
enum { DESCRIPTORS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int diary = -1, fail, once, is_ready;
static long from, writes;
static const char *folder, *only, *count;
static char *names[DESCRIPTORS]; /* of watched open files, without the folder; "" is the folder itself */
static uint64_t inodes[DESCRIPTORS];

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_truncate)(int, off64_t);
static int (*real_fsync)(int), (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);

static void prepare(void) {
  if (is_ready) return;
  real_open = dlsym(RTLD_NEXT, "open64");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  folder = getenv("DISK_FOLDER");
  only = getenv("DISK_ONLY");
  count = getenv("DISK_COUNT");
  fail = getenv("DISK_FAIL") ? atoi(getenv("DISK_FAIL")) : 0;
  from = getenv("DISK_FROM") ? atol(getenv("DISK_FROM")) : 1;
  once = getenv("DISK_ONCE") != NULL;
  const char *log = getenv("DISK_LOG");
  if (log) diary = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  is_ready = 1;
}

__attribute__((constructor)) static void begin(void) { prepare(); }

__attribute__((destructor)) static void end(void) {
  if (!count || !writes) return;
  char text[32];
  int size = snprintf(text, sizeof text, "%ld\n", writes);
  int file = real_open(count, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && real_write(file, text, size) == size) real_close(file);
}

static void note(uint64_t what, uint64_t file, uint64_t at, const void *data, size_t size) {
  if (diary < 0) return;
  uint64_t head[5] = {what, file, at, size, (uint64_t)getpid()};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)data, size}};
  if (writev(diary, parts, 2) != (ssize_t)(sizeof head + size)) abort();
}

/* The name below the watched folder; NULL if it is not below it. */
static const char *below(const char *path, char *whole) {
  char cut[PATH_MAX], *place;
  if (!folder) return NULL;
  if (snprintf(cut, sizeof cut, "%s", path) >= (int)sizeof cut) return NULL;
  char *slash = strrchr(cut, '/');
  const char *last = slash ? slash + 1 : cut;
  if (slash) *slash = 0;
  place = realpath(slash ? (*cut ? cut : "/") : ".", whole);
  if (!place) return NULL;
  size_t size = strlen(folder), length = strlen(whole);
  snprintf(whole + length, PATH_MAX - length, "/%s", last);
  if (!strcmp(whole, folder)) return whole + size;
  return !strncmp(whole, folder, size) && whole[size] == '/' ? whole + size + 1 : NULL;
}

static uint64_t inode(int file) {
  struct stat found;
  return fstat(file, &found) ? 0 : found.st_ino;
}

static int watched(int file) {
  if (file == 1 || file == 2) return diary >= 0;
  return file >= 0 && file < DESCRIPTORS && names[file];
}

static int opened(int file, const char *path, int flags, int was_there) {
  char whole[PATH_MAX];
  const char *name = file < 0 ? NULL : below(path, whole);
  if (file < 0 || file >= DESCRIPTORS) return file;
  free(names[file]);
  names[file] = name ? strdup(name) : NULL;
  if (!name) return file;
  inodes[file] = inode(file);
  if (flags & (O_WRONLY | O_RDWR)) {
    if (!was_there) note(OPEN, inodes[file], 0, name, strlen(name));
    if (was_there && flags & O_TRUNC) note(TRUNCATE, inodes[file], 0, NULL, 0);
  }
  return file;
}

/* Whether this call, which needs space, fails; `half` if it may still write a part. */
static int fails(int file, int *half) {
  const char *name = names[file];
  *half = 0;
  if (file <= 2 || !name) return 0;
  size_t size = strlen(name), tail = only ? strlen(only) : 0;
  if (only && (size < tail || strcmp(name + size - tail, only))) return 0;
  writes++;
  if (!fail || writes < from || (once && writes > from)) return 0;
  *half = writes == from && !once;
  return 1;
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  prepare();
  pthread_mutex_lock(&lock);
  int was_there = !access(path, F_OK);
  int file = opened(real_open(path, flags, mode), path, flags, was_there);
  int problem = errno;
  pthread_mutex_unlock(&lock);
  errno = problem;
  return file;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open64(path, flags, mode);
}

int close(int file) {
  prepare();
  pthread_mutex_lock(&lock);
  if (file >= 0 && file < DESCRIPTORS && names[file]) {
    free(names[file]);
    names[file] = NULL;
  }
  int result = real_close(file);
  int problem = errno;
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}

static ssize_t written(int file, const void *data, size_t size, off64_t at, int positioned) {
  prepare();
  if (!watched(file)) return positioned ? real_pwrite(file, data, size, at) : real_write(file, data, size);
  pthread_mutex_lock(&lock);
  int half = 0, problem = 0;
  ssize_t done = -1;
  if (fails(file, &half)) {
    size = half ? size / 2 : 0;
    problem = fail;
  }
  if (size || !problem) {
    done = positioned ? real_pwrite(file, data, size, at) : real_write(file, data, size);
    problem = errno;
  }
  if (done > 0) {
    if (!positioned) at = file > 2 ? lseek64(file, 0, SEEK_CUR) - done : 0;
    note(WRITE, file > 2 ? inodes[file] : (uint64_t)file, at, data, done);
  }
  pthread_mutex_unlock(&lock);
  errno = problem;
  return done;
}

ssize_t write(int file, const void *data, size_t size) { return written(file, data, size, 0, 0); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) { return written(file, data, size, at, 1); }
ssize_t pwrite(int file, const void *data, size_t size, off_t at) { return written(file, data, size, at, 1); }

int ftruncate64(int file, off64_t size) {
  prepare();
  pthread_mutex_lock(&lock);
  int result = real_truncate(file, size), problem = errno;
  if (!result && file > 2 && watched(file)) note(TRUNCATE, inodes[file], size, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int synced(int file, int (*sync)(int)) {
  pthread_mutex_lock(&lock);
  int half, result, problem;
  if (watched(file) && file > 2 && fail == EIO && fails(file, &half)) {
    result = -1;
    problem = EIO;
  } else {
    result = sync(file);
    problem = errno;
    if (!result && file > 2 && watched(file)) note(*names[file] ? SYNC : SYNC_FOLDER, inodes[file], 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}

int fsync(int file) { prepare(); return synced(file, real_fsync); }
int fdatasync(int file) { prepare(); return synced(file, real_fdatasync); }

int unlink(const char *path) {
  prepare();
  char whole[PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *name = below(path, whole);
  int result = real_unlink(path), problem = errno;
  if (!result && name) note(UNLINK, 0, 0, name, strlen(name));
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}

int rename(const char *from_path, const char *to_path) {
  prepare();
  char whole[PATH_MAX], other[PATH_MAX], both[2 * PATH_MAX];
  pthread_mutex_lock(&lock);
  const char *old = below(from_path, whole), *new = below(to_path, other);
  int result = real_rename(from_path, to_path), problem = errno;
  if (!result && old && new) {
    int size = snprintf(both, sizeof both, "%s/%s", old, new);
    note(RENAME, 0, 0, both, size);
  }
  pthread_mutex_unlock(&lock);
  errno = problem;
  return result;
}
