# The commands of the project. Each does its own set-up on a fresh machine (Debian or a relative of it).

CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto

.PHONY: matrix run test test-kernels lint bench setup setup-vm setup-prometheus build release golden clean

# Shows what zinspect says of this machine, then of a bundled captured host.
run: setup
	$(CARGO) build --release --quiet
	scripts/show target/release/zinspect

# Unit, golden and property tests, the real Prometheus, then virtual machines under Linux 7.3 with a part of the matrix.
test: setup setup-vm setup-prometheus
	$(CARGO) test --workspace --quiet
	python3 -m unittest discover --quiet --start-directory tests/vm
	$(CARGO) build --release --quiet
	ZINSPECT=target/release/zinspect tests/prometheus/run
	ZINSPECT=target/release/zinspect ZINSPECT_PARTS="claims dm mixed after whatif peers" tests/vm/run --kernel 7.3

# Beside `test`: answers for files on every kernel, and the units under a real systemd.
test-kernels: setup setup-vm
	$(CARGO) build --release
	ZINSPECT=target/release/zinspect tests/vm/run files systemd

# Every case on five kernels and 200 random stacks, with zinspect's prediction against each; writes docs/agreement.md.
# About an hour. SEED=NUMBER repeats a run of random stacks.
matrix: setup setup-vm
	$(CARGO) build --release --quiet
	export ZINSPECT=target/release/zinspect; status=0; \
	tests/vm/run $(foreach series,6.1 6.12 6.17 7.2 7.3,--kernel $(series)) matrix || status=1; \
	tests/vm/run --stacks 200 $(if $(SEED),--seed $(SEED)) random || status=1; \
	tests/vm/agreement-page docs/agreement.md || status=1; \
	exit $$status

# Format, lints with every set of features, documentation.
lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) clippy --workspace --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

# Speed: criterion for parts, whole processes against lsblk and a bare loop of reads.
bench: setup
	$(CARGO) bench
	benches/processes
	benches/udev

# Packages that the build needs: libudev's header.
setup:
	@scripts/setup

# Packages that the virtual machines need.
setup-vm:
	@tests/vm/setup

# Writes the expected outputs of the golden tests and the schemas anew; look at the difference before committing it.
golden:
	TRYCMD=overwrite $(CARGO) test --test cmd
	for document in report probe bench doctor extents; do \
		$(CARGO) run --quiet -- gen schema $$document > docs/$$document-v1.schema.json || exit 1; \
	done

# The real Prometheus and node_exporter, for tests/prometheus.
setup-prometheus:
	@tests/prometheus/setup

build:
	$(CARGO) build

release:
	$(CARGO) build --release

clean:
	$(CARGO) clean
