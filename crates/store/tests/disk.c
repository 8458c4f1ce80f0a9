// Stands between a process and the system, and writes down what goes to the files under $ELBOW_DISK and to standard
// output: writes, syncs, lengths, removals, in their order, into $ELBOW_NOTES. For tests/power.rs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void note(char kind, const char *name, uint64_t at, const void *bytes, uint64_t n) {
    static int notes = -1;
    pthread_mutex_lock(&order);
    if (notes < 0) notes = syscall(SYS_openat, AT_FDCWD, getenv("ELBOW_NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    uint64_t head[4] = {(unsigned char)kind, strlen(name), at, n};
    struct iovec parts[3] = {{head, sizeof head}, {(void *)name, head[1]}, {(void *)bytes, n}};
    writev(notes, parts, 3);
    pthread_mutex_unlock(&order);
}

// The name of a file that is watched; none for others.
static const char *watched(int fd, char *name, size_t size) {
    const char *under = getenv("ELBOW_DISK");
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, size - 1);
    if (!under || n < 0) return NULL;
    name[n] = 0;
    return strncmp(name, under, strlen(under)) == 0 ? name : NULL;
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t n) {
    REAL(ssize_t, "write", int, const void *, size_t);
    char name[4096];
    off_t at = fd == 1 ? 0 : lseek(fd, 0, SEEK_CUR);
    ssize_t done = real(fd, bytes, n);
    if (done > 0 && fd == 1 && getenv("ELBOW_DISK")) note('A', "", 0, bytes, done);
    else if (done > 0 && watched(fd, name, sizeof name)) note('W', name, at, bytes, done);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    char name[4096];
    ssize_t done = real(fd, bytes, n, at);
    if (done > 0 && watched(fd, name, sizeof name)) note('W', name, at, bytes, done);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) { return pwrite64(fd, bytes, n, at); }

static int synced(int fd, int done) {
    char name[4096];
    if (done == 0 && watched(fd, name, sizeof name)) note('S', name, 0, NULL, 0);
    return done;
}

int fsync(int fd) {
    REAL(int, "fsync", int);
    return synced(fd, real(fd));
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    return synced(fd, real(fd));
}

int ftruncate64(int fd, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    char name[4096];
    int done = real(fd, length);
    if (done == 0 && watched(fd, name, sizeof name)) note('T', name, length, NULL, 0);
    return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    const char *under = getenv("ELBOW_DISK");
    int done = real(path);
    if (done == 0 && under && strncmp(path, under, strlen(under)) == 0) note('U', path, 0, NULL, 0);
    return done;
}
