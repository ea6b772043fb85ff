# NVMe controllers that say of themselves what QEMU's and nvmet never do: tools/nvme_tcp.c on 127.0.0.1.
begin claims
need_program() { command -v "$1" >/dev/null || { echo "$1 is not installed"; exit 1; }; }
modprobe -a nvme-fabrics nvme-tcp
port=4500
claim() { # NQN SETTING…
    need_program nvme_tcp
    name=$1
    shift
    nvme_tcp $port $name "$@" >/dev/null 2>&1 &
    await "grep -q '0100007F:$(printf %04X $port) ' /proc/net/tcp"
    nvme connect -t tcp -a 127.0.0.1 -s $port -n $name --hostnqn=$host_nqn --hostid=$host_id || fail "connect $name"
    made=
    await "find_subsystem $name"
}
while read -r name settings; do
    port=$((port + 1))
    attempt claims-$name claim $name $settings
done <<END
dlfeat-9-mdts-5 dlfeat=9 mdts=5
dlfeat-25-mdts-5 dlfeat=25 mdts=5
dlfeat-0 dlfeat=0 mdts=5
dlfeat-1 dlfeat=1 mdts=5
dlfeat-8 dlfeat=8 mdts=5
dlfeat-10 dlfeat=10 mdts=5
dlfeat-17 dlfeat=17 mdts=5
no-mdts dlfeat=9
no-oncs dlfeat=9 oncs=0x04 mdts=5
no-oncs-wzsl-8 dlfeat=9 oncs=0x04 wzsl=8
wzsl-1 dlfeat=9 wzsl=1 mdts=5
wzsl-8 dlfeat=9 wzsl=8 mdts=5
wzsl-16 dlfeat=9 wzsl=16
wzsl-20 dlfeat=9 wzsl=20
wzsl-28 dlfeat=9 wzsl=28
wzsl-31 dlfeat=9 wzsl=31
wzsl-200 dlfeat=9 wzsl=200
wzsl-8-version-1.0 dlfeat=9 wzsl=8 mdts=5 ver=0x10000
wzsl-8-version-1.1 dlfeat=9 wzsl=8 mdts=5 ver=0x10100
wzsl-8-version-1.2 dlfeat=9 wzsl=8 mdts=5 ver=0x10200
wzsl-8-version-2.1 dlfeat=9 wzsl=8 mdts=5 ver=0x20100
4k dlfeat=9 mdts=5 lbads=12
4k-no-mdts dlfeat=9 lbads=12
no-dsm dlfeat=9 oncs=0x08 mdts=5
END
expect claims-wzsl-20 agree user-limit-no-return
expect claims-no-mdts agree nvme-nlb-truncation
expect claims-4k-no-mdts agree nvme-nlb-truncation
observe
nvme disconnect-all >/dev/null 2>&1
