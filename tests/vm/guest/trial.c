/*
 * What fallocate(2) really does: prepares files, tries one mode on each, and says what became of
 * it. Written anew here so that nothing of zinspect is held against itself.
 *
 *   trial prepare FILE         a hole of 1 MiB, then 1 MiB of data
 *   trial full FILE            2 MiB of data
 *   trial small FILE           100 bytes, which fit into an inode
 *   trial flags FILE BITS      FS_IOC_SETFLAGS: sets these bits besides those that are set
 *   trial xflags FILE BITS     FS_IOC_FSSETXATTR likewise
 *   trial encrypt DIR          a key of its own, and an fscrypt policy of version 2
 *   trial verity FILE          fs-verity, with SHA-256
 *   trial socket FILE          a socket of that name
 *   trial edges FILE           writes zeroes (0x80) from within a block to within another, and prints
 *                              the state of the first block, or the error
 *   trial run FILE MODE [new]  prints "open ERRNO", "fallocate ERRNO" or "ok METHOD FIRST SECOND
 *                              KIB WAS": the states of both halves (of a small file: of what is
 *                              past its first block, and that block), the KiB that the kernel wrote
 *                              as data to any device meanwhile, and whether the first was a hole or
 *                              data
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MIB (1ULL << 20)

static int fail(const char *what)
{
	const char *name = strerrorname_np(errno);

	printf("%s %s\n", what, name ? name : "unknown");
	return 0;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int writable(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);

	if (fd < 0)
		die(path);
	return fd;
}

static void fill(int fd, unsigned long long start, unsigned long long length)
{
	static char block[65536];

	memset(block, 'z', sizeof(block));
	while (length) {
		size_t now = length < sizeof(block) ? length : sizeof(block);

		if (pwrite(fd, block, now, start) != (ssize_t)now)
			die("write");
		start += now;
		length -= now;
	}
	if (fsync(fd))
		die("fsync");
}

/* The state of a range by FIEMAP; NULL where the filesystem has none. */
static const char *mapped(int fd, unsigned long long start, unsigned long long length)
{
	static char space[sizeof(struct fiemap) + 256 * sizeof(struct fiemap_extent)];
	struct fiemap *map = (struct fiemap *)space;
	unsigned long long written = 0, unwritten = 0;

	memset(space, 0, sizeof(space));
	map->fm_start = start;
	map->fm_length = length;
	map->fm_flags = FIEMAP_FLAG_SYNC;
	map->fm_extent_count = 256;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		return NULL;
	for (unsigned i = 0; i < map->fm_mapped_extents; i++) {
		struct fiemap_extent *one = &map->fm_extents[i];
		unsigned long long from = one->fe_logical, to = from + one->fe_length;

		if (from < start)
			from = start;
		if (to > start + length)
			to = start + length;
		if (to <= from)
			continue;
		if (one->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
			unwritten += to - from;
		else
			written += to - from;
	}
	if (!written && !unwritten)
		return "hole";
	if (written == length)
		return "written";
	if (unwritten == length)
		return "unwritten";
	return "mixed";
}

static const char *sought(int fd, unsigned long long start, unsigned long long length)
{
	struct stat stat;
	off_t data = lseek(fd, start, SEEK_DATA), hole;

	if (fstat(fd, &stat))
		die("fstat");
	if (start >= (unsigned long long)stat.st_size)
		return "past-end";
	if (start + length > (unsigned long long)stat.st_size)
		length = stat.st_size - start;
	if (data < 0 || (unsigned long long)data >= start + length)
		return "no-data";
	hole = lseek(fd, start, SEEK_HOLE);
	return (unsigned long long)data == start && (unsigned long long)hole >= start + length ? "data" : "mixed";
}

/* KiB that went out as writes: zeroes by a device's own command are not among them. */
static unsigned long long written_out(void)
{
	char line[128];
	unsigned long long found = 0;
	FILE *file = fopen("/proc/vmstat", "r");

	if (!file)
		die("/proc/vmstat");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "pgpgout %llu", &found) == 1)
			break;
	fclose(file);
	return found;
}

static int is_data(const char *state)
{
	return !strcmp(state, "written") || !strcmp(state, "data");
}

static int run(const char *path, int mode, int create)
{
	unsigned long long hole = 0, data = MIB, hole_length = MIB, data_length = MIB, out;
	struct stat stat;
	const char *first, *second, *was, *method = "fiemap";
	int fd = open(path, create ? O_RDWR | O_CREAT : O_RDWR, 0666);

	if (fd < 0)
		return fail("open");
	if (fstat(fd, &stat))
		die("fstat");
	if (S_ISREG(stat.st_mode) && stat.st_size && stat.st_size < stat.st_blksize) {
		data = 0;
		data_length = stat.st_blksize;
		hole = stat.st_blksize;
		hole_length = 2 * MIB - stat.st_blksize;
	}
	was = mapped(fd, hole, hole_length);
	if (!was)
		was = sought(fd, hole, hole_length);
	was = S_ISREG(stat.st_mode) && is_data(was) ? "data" : "hole";
	sync();
	out = written_out();
	if (fallocate(fd, mode, 0, 2 * MIB))
		return fail("fallocate");
	out = written_out() - out;
	if (S_ISBLK(stat.st_mode)) {
		printf("ok none none none %llu %s\n", out, was);
		return 0;
	}
	if (fsync(fd))
		die("fsync");
	first = mapped(fd, hole, hole_length);
	second = mapped(fd, data, data_length);
	if (!first || !second) {
		method = "seek";
		first = sought(fd, hole, hole_length);
		second = sought(fd, data, data_length);
	}
	/* Of a new file all is a hole. */
	printf("ok %s %s %s %llu %s\n", method, first, create ? "none" : second, out, was);
	return 0;
}

static void set_flags(const char *path, unsigned bits)
{
	int flags = 0, fd = open(path, O_RDONLY);

	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags))
		die(path);
	flags |= bits;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags))
		die("FS_IOC_SETFLAGS");
}

static void set_xflags(const char *path, unsigned bits)
{
	struct fsxattr attr;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || ioctl(fd, FS_IOC_FSGETXATTR, &attr))
		die(path);
	attr.fsx_xflags |= bits;
	if (ioctl(fd, FS_IOC_FSSETXATTR, &attr))
		die("FS_IOC_FSSETXATTR");
}

static void encrypt(const char *path)
{
	struct { struct fscrypt_add_key_arg arg; char raw[64]; } key;
	struct fscrypt_policy_v2 policy;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);
	memset(&key, 0, sizeof(key));
	key.arg.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
	key.arg.raw_size = 64;
	memset(key.arg.raw, 7, 64);
	if (ioctl(fd, FS_IOC_ADD_ENCRYPTION_KEY, &key))
		die("FS_IOC_ADD_ENCRYPTION_KEY");
	memset(&policy, 0, sizeof(policy));
	policy.version = FSCRYPT_POLICY_V2;
	policy.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS;
	policy.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS;
	policy.flags = FSCRYPT_POLICY_FLAGS_PAD_32;
	memcpy(policy.master_key_identifier, key.arg.key_spec.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE);
	if (ioctl(fd, FS_IOC_SET_ENCRYPTION_POLICY, &policy))
		die("FS_IOC_SET_ENCRYPTION_POLICY");
}

static void verity(const char *path)
{
	struct fsverity_enable_arg arg = { .version = 1, .hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
					   .block_size = 4096 };
	int fd = open(path, O_RDONLY);

	if (fd < 0 || ioctl(fd, FS_IOC_ENABLE_VERITY, &arg))
		die("FS_IOC_ENABLE_VERITY");
}

static void socket_at(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)))
		die(path);
}

static int edges(const char *path)
{
	const char *state;
	int fd = writable(path);

	if (ftruncate(fd, 2 * MIB) || fsync(fd))
		die(path);
	if (fallocate(fd, 0x80, 100, MIB))
		return fail("fallocate");
	if (fsync(fd))
		die("fsync");
	state = mapped(fd, 0, 4096);
	printf("%s\n", state ? state : "not mapped");
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *path = argc > 2 ? argv[2] : "";

	if (!strcmp(what, "prepare"))
		fill(writable(path), MIB, MIB);
	else if (!strcmp(what, "full"))
		fill(writable(path), 0, 2 * MIB);
	else if (!strcmp(what, "small"))
		fill(writable(path), 0, 100);
	else if (!strcmp(what, "flags") && argc > 3)
		set_flags(path, strtoul(argv[3], NULL, 0));
	else if (!strcmp(what, "xflags") && argc > 3)
		set_xflags(path, strtoul(argv[3], NULL, 0));
	else if (!strcmp(what, "encrypt"))
		encrypt(path);
	else if (!strcmp(what, "verity"))
		verity(path);
	else if (!strcmp(what, "socket"))
		socket_at(path);
	else if (!strcmp(what, "edges"))
		return edges(path);
	else if (!strcmp(what, "run") && argc > 3)
		return run(path, strtoul(argv[3], NULL, 0), argc > 4);
	else
		return 2;
	return 0;
}
