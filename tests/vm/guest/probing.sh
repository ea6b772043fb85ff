# Recipes for probing, beside those for devices: . /share/in/probing.sh after recipes.sh and save.sh.

identity() { zinspect probe /dev/$1 --destroy --dry-run -o json | sed -n 's/^ *"identity": "\(.*\)",$/\1/p'; }

# probed NAME DEVICE METHODS OPTION…: loses what is on the device.
probed() {
    probed_as=$1 device=$2 methods=$3
    shift 3
    saved $probed_as zinspect probe /dev/$device -m $methods --destroy --yes-destroy=$(identity $device) -o json "$@"
}

# liar NUMBER LIE [BACKING [MEGABYTES]]: /dev/nbdNUMBER in $made; leaves its process in $liar.
liar() {
    nbd_liar /dev/nbd$1 ${4:-64} "$2" ${3:-} &
    liar=$!
    await "[ \$(cat /sys/block/nbd$1/size) = $((${4:-64} * 2048)) ] && [ -s /sys/block/nbd$1/pid ]"
    made=nbd$1
}
end_liar() { kill -9 $liar; wait $liar 2>/dev/null; await "[ ! -e /sys/block/$made/pid ]"; }

# nvme_liar_on PORT LIE: the namespace in $made, its server's process in $server.
liar_nqn=nqn.2014-08.org.zinspect:liar
nvme_liar_on() {
    nvme_liar $1 64 $2 &
    server=$!
    pause 1000
    nvme connect -t tcp -a 127.0.0.1 -s $1 -n $liar_nqn --hostnqn=$host_nqn --hostid=$host_id || fail "connect to $2"
    made=
    await "find_subsystem $liar_nqn"
}

# sum_of DEVICE: of all its bytes, as they are on the device.
sum_of() { dd if=/dev/$1 iflag=direct bs=1M 2>/dev/null | sha256sum | cut -d ' ' -f 1; }

# Milliseconds since the start of the machine.
now() { sed 's/ .*//; s/\.//; s/$/0/' /proc/uptime; }

# pause MILLISECONDS
pause() { sleep $(($1 / 1000)).$(printf %03d $(($1 % 1000))); }
