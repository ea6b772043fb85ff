/*
 * A filesystem in user space (FUSE) whose files answer with an error, as those of a server do that lost them.
 *
 *   bad_fs MOUNTPOINT
 *
 * Below the mount point a name is an error: `stale` answers ESTALE, `eio` EIO, `denied` EACCES; `good` is an empty
 * regular file, and everything else is not there. Killed, it leaves a mount whose server is gone (ENOTCONN).
 * The layouts are those of <linux/fuse.h>; no library is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROOT = FUSE_ROOT_ID, GOOD = 2 };

static void reply(int dev, const struct fuse_in_header *in, int error, const void *body, size_t length)
{
	struct fuse_out_header out = { .len = sizeof(out) + length, .error = -error, .unique = in->unique };
	struct iovec parts[2] = { { &out, sizeof(out) }, { (void *)body, length } };

	/* A request that was interrupted meanwhile is no longer known: ENOENT. */
	if (writev(dev, parts, 2) < 0 && errno != ENOENT)
		perror("reply");
}

static struct fuse_attr attributes(unsigned long long node)
{
	struct fuse_attr attr = { .ino = node, .nlink = 1, .blksize = 4096 };

	attr.mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644;
	return attr;
}

static void lookup(int dev, const struct fuse_in_header *in, const char *name)
{
	/* No timeout: each look asks anew. */
	struct fuse_entry_out entry = { .nodeid = GOOD, .generation = 1, .attr = attributes(GOOD) };

	if (!strcmp(name, "good"))
		reply(dev, in, 0, &entry, sizeof(entry));
	else
		reply(dev, in, !strcmp(name, "stale") ? ESTALE : !strcmp(name, "eio") ? EIO :
		      !strcmp(name, "denied") ? EACCES : ENOENT, NULL, 0);
}

static void serve(int dev, const struct fuse_in_header *in)
{
	const void *body = in + 1;
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };
	struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		if (((const struct fuse_init_in *)body)->minor < init.minor)
			init.minor = ((const struct fuse_init_in *)body)->minor;
		reply(dev, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		lookup(dev, in, body);
		break;
	case FUSE_GETATTR:
		reply(dev, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(dev, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(dev, in, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16] __attribute__((aligned(8)));
	char options[128];
	int dev = open("/dev/fuse", O_RDWR);

	if (argc != 2 || dev < 0) {
		perror("bad_fs MOUNTPOINT: /dev/fuse");
		return 1;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", dev);
	if (mount("bad_fs", argv[1], "fuse.bad_fs", MS_NOSUID | MS_NODEV, options)) {
		perror("mount");
		return 1;
	}
	for (;;) {
		if (read(dev, buffer, sizeof(buffer)) > 0)
			serve(dev, (const struct fuse_in_header *)buffer);
		else if (errno != EINTR && errno != ENOENT)
			return 0; /* unmounted: ENODEV */
	}
}
