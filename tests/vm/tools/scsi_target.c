/*
 * A SCSI disk that says of itself whatever it is told to: answers LIO's user-space backend (target_core_user).
 *
 *     scsi_target UIO SIZE [NAME=VALUE]...     UIO: a name such as uio0, SIZE: that of its map 0, as sysfs has it
 *
 *     vendor=TEXT version=N       INQUIRY: bytes 8 to 15, and byte 2
 *     protect=1                   INQUIRY byte 5 bit 0
 *     lbpme=1 lbprz=1             READ CAPACITY(16) byte 14
 *     blocks=N                    capacity; above 2^32 READ CAPACITY(10) says FFFFFFFFh
 *     vpd=0                       no vital product data at all
 *     b0=60 ws=N                  PAGE LENGTH of page B0h (0: no such page), MAXIMUM WRITE SAME LENGTH
 *     b2=BYTE b2length=4          byte 5 of page B2h, its PAGE LENGTH (0: no such page)
 *     ata=1                       page 89h
 *     rsoc=1 ws16=1 ws10=1        whether REPORT SUPPORTED OPERATION CODES works, and what it says of WRITE SAME
 *
 * It reads as zeroes and forgets what is written. Layouts: SBC-4 5.20, 6.6; SPC-5 6.7, 6.35, 7.7; SAT-4 12.4.2.
 */
#include <fcntl.h>
#include <linux/target_core_user.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GOOD = 0, CHECK_CONDITION = 2, INVALID_OPCODE = 0x20, INVALID_FIELD = 0x24 };
enum { BLOCK = 512, ANSWER = 1024 };

static unsigned long version = 6, protect, lbpme, lbprz, blocks = 65536, vpd = 1, b0 = 60, ws, b2, b2length = 4, ata, rsoc = 1,
		     ws16 = 1, ws10 = 1;
static char vendor[9] = "zinspect";
static uint8_t answer[ANSWER];

static void put16(uint8_t *p, unsigned v) { p[0] = v >> 8, p[1] = v; }
static void put32(uint8_t *p, uint32_t v) { put16(p, v >> 16), put16(p + 2, v); }
static void put64(uint8_t *p, uint64_t v) { put32(p, v >> 32), put32(p + 4, v); }

static void page_header(uint8_t code, unsigned length)
{
	answer[1] = code;
	put16(answer + 2, length);
}

static int vital_product_data(uint8_t code)
{
	unsigned count = 0;
	switch (vpd ? code : 0xff) {
	case 0x00:
		answer[4 + count++] = 0x00;
		answer[4 + count++] = 0x83;
		if (ata)
			answer[4 + count++] = 0x89;
		if (b0)
			answer[4 + count++] = 0xb0;
		if (b2length)
			answer[4 + count++] = 0xb2;
		page_header(code, count);
		return 1;
	case 0x83: /* one T10 designator */
		page_header(code, 20);
		answer[4] = 2, answer[5] = 1, answer[7] = 16;
		memcpy(answer + 8, "zinspect", 8);
		snprintf((char *)answer + 16, 9, "%08x", getpid());
		return 1;
	case 0x89:
		page_header(code, 568);
		memcpy(answer + 8, "zinspect", 8);
		return ata;
	case 0xb0:
		page_header(code, b0);
		if (b0 >= 40)
			put64(answer + 36, ws);
		return b0 != 0;
	case 0xb2:
		page_header(code, b2length);
		answer[5] = b2;
		return b2length != 0;
	default: return 0;
	}
}

static int inquiry(const uint8_t *cdb)
{
	if (cdb[1] & 1)
		return vital_product_data(cdb[2]);
	answer[2] = version, answer[3] = 2, answer[4] = 91, answer[5] = protect, answer[7] = 2;
	memcpy(answer + 8, vendor, 8);
	memcpy(answer + 16, "answers as told 1   ", 20);
	return 1;
}

/* The sense code that it comes to; 0 is success, with the answer in place. */
static int command(const uint8_t *cdb)
{
	memset(answer, 0, sizeof answer);
	switch (cdb[0]) {
	case 0x12: return inquiry(cdb) ? 0 : INVALID_FIELD;
	case 0x25:
		put32(answer, blocks > UINT32_MAX ? UINT32_MAX : blocks - 1);
		put32(answer + 4, BLOCK);
		return 0;
	case 0x9e:
		if ((cdb[1] & 31) != 0x10)
			return INVALID_FIELD;
		put64(answer, blocks - 1);
		put32(answer + 8, BLOCK);
		answer[14] = lbpme << 7 | lbprz << 6;
		return 0;
	case 0xa3: /* each opcode that is asked for, but the two, is there */
		if (!rsoc || (cdb[1] & 31) != 0x0c)
			return INVALID_OPCODE;
		answer[1] = cdb[3] == 0x93 && !ws16 ? 1 : cdb[3] == 0x41 && !ws10 ? 1 : 3;
		put16(answer + 2, 16);
		return 0;
	case 0x1a: answer[0] = 3; return 0;
	case 0x5a: answer[1] = 6; return 0;
	/* TEST UNIT READY, START STOP UNIT, PREVENT, SYNCHRONIZE CACHE; READ and WRITE; WRITE SAME, UNMAP */
	case 0x00: case 0x1b: case 0x1e: case 0x35: case 0x91:
	case 0x08: case 0x28: case 0x88: case 0xa8: case 0x0a: case 0x2a: case 0x8a: case 0xaa:
	case 0x41: case 0x93: case 0x42: return 0;
	default: return INVALID_OPCODE;
	}
}

static int takes_data(uint8_t opcode)
{
	static const uint8_t all[] = { 0x0a, 0x2a, 0x8a, 0xaa, 0x41, 0x93, 0x42 };
	return memchr(all, opcode, sizeof all) != NULL;
}

static void complete(uint8_t *shared, struct tcmu_cmd_entry *entry)
{
	const uint8_t *cdb = shared + entry->req.cdb_off;
	int sense = command(cdb), writes = takes_data(cdb[0]);
	size_t at = 0;
	/* What it asked for, beyond the answer zeroes. */
	for (uint32_t part = 0; !writes && !sense && part < entry->req.iov_cnt; part++) {
		uint8_t *to = shared + (uintptr_t)entry->req.iov[part].iov_base;
		size_t length = entry->req.iov[part].iov_len, some = at < ANSWER ? ANSWER - at : 0;
		memset(to, 0, length);
		memcpy(to, answer + at, some < length ? some : length);
		at += some < length ? some : length;
	}
	/* Over the request: they share their place. */
	memset(&entry->rsp, 0, sizeof entry->rsp);
	entry->rsp.scsi_status = sense ? CHECK_CONDITION : GOOD;
	if (sense) {
		uint8_t *told = (uint8_t *)entry->rsp.sense_buffer;
		told[0] = 0x70, told[2] = 5, told[7] = 10, told[12] = sense;
	}
}

static void serve(int fd, uint8_t *shared)
{
	struct tcmu_mailbox *box = (struct tcmu_mailbox *)shared;
	for (uint32_t count = 0; read(fd, &count, sizeof count) == sizeof count;) {
		while (box->cmd_tail != __atomic_load_n(&box->cmd_head, __ATOMIC_ACQUIRE)) {
			struct tcmu_cmd_entry *entry = (void *)(shared + box->cmdr_off + box->cmd_tail);
			if (tcmu_hdr_get_op(entry->hdr.len_op) == TCMU_OP_CMD)
				complete(shared, entry);
			uint32_t next = (box->cmd_tail + tcmu_hdr_get_len(entry->hdr.len_op)) % box->cmdr_size;
			__atomic_store_n(&box->cmd_tail, next, __ATOMIC_RELEASE);
		}
		if (write(fd, &count, sizeof count) != sizeof count)
			return;
	}
}

int main(int count, char **words)
{
	static const struct { const char *name; unsigned long *value; } settings[] = {
		{ "version", &version }, { "protect", &protect }, { "lbpme", &lbpme }, { "lbprz", &lbprz },
		{ "blocks", &blocks }, { "vpd", &vpd }, { "b0", &b0 }, { "ws", &ws }, { "b2", &b2 },
		{ "b2length", &b2length }, { "ata", &ata }, { "rsoc", &rsoc }, { "ws16", &ws16 }, { "ws10", &ws10 },
	};
	char path[64];
	if (count < 3)
		return fprintf(stderr, "usage: scsi_target UIO SIZE [NAME=VALUE]...\n"), 2;
	for (int at = 3; at < count; at++) {
		if (!strncmp(words[at], "vendor=", 7))
			snprintf(vendor, sizeof vendor, "%-8.8s", words[at] + 7);
		for (size_t one = 0; one < sizeof settings / sizeof *settings; one++) {
			size_t length = strlen(settings[one].name);
			if (!strncmp(words[at], settings[one].name, length) && words[at][length] == '=')
				*settings[one].value = strtoul(words[at] + length + 1, NULL, 0);
		}
	}
	snprintf(path, sizeof path, "/dev/%.32s", words[1]);
	int fd = open(path, O_RDWR);
	void *shared = mmap(NULL, strtoul(words[2], NULL, 0), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || shared == MAP_FAILED)
		return perror(path), 2;
	serve(fd, shared);
	return 1;
}
