# Recipes for block devices and stacks of them, to be sourced by a guest script: . /share/in/recipes.sh
#
# A recipe leaves the kernel name of what it made in $made, and says under which role it is known:
# `role linear` appends "linear dm-0" to /share/out/roles, by which the checks outside find it.
# No udevd runs: nothing makes links but the recipes themselves.

export DM_DISABLE_UDEV=1 MDADM_NO_UDEV=1 DM_UDEV_DISABLE_LIBRARY_FALLBACK=0
out=/share/out
. /share/in/settings.sh

fail() { echo "FAILED: $*"; exit 1; }

# A wait for something to appear, since without udev nothing else tells: 60 s at most.
await() {
    deadline=$(($(date +%s) + 60))
    until eval "$1"; do
        [ "$(date +%s)" -lt $deadline ] || fail "waited in vain for: $1"
        sleep 0.1
    done
}

role() { echo "$1 ${2:-$made}" >>$out/roles; }

# Kernel name of the role of that name.
named() { sed -n "s/^$1 //p" $out/roles | tail -n 1; }

# --- The machine's own devices -----------------------------------------------------------------

# Drivers for whatever QEMU offers, as udevd would load them: by the devices' own aliases, twice,
# since a controller's driver brings the disks that then want theirs.
coldplug() {
    for round in 1 2; do
        find /sys/devices -name modalias -exec cat {} + | sort -u | xargs modprobe -a -q
        [ $round = 2 ] || sleep 1
    done
    modprobe -q sg
}

# disk_by_serial SERIAL: the disk of QEMU with that serial; a multipath head, not its paths.
disk_by_serial() {
    made=
    await "find_serial $1"
}
find_serial() {
    for queue in /sys/block/*/queue; do
        disk=${queue%/queue}
        [ "$(cat $disk/hidden 2>/dev/null)" = 1 ] && continue
        for file in $disk/serial $disk/device/serial $disk/device/vpd_pg80; do
            if [ -r $file ] && tr -d '\0' <$file 2>/dev/null | grep -q "$1"; then
                made=${disk##*/}
                return 0
            fi
        done
    done
    return 1
}

# --- Leaf devices made by the kernel -----------------------------------------------------------

# scsi_debug_disks OPTION…: loads scsi_debug and leaves the names of its disks in $disks, in the
# order of their SCSI addresses. Unloads an earlier one, so only one set is there at a time.
scsi_debug_disks() {
    modprobe -r scsi_debug 2>/dev/null
    [ ! -e /sys/module/scsi_debug ] || fail "scsi_debug is still in use by an earlier stage"
    modprobe -a sd_mod sg # otherwise udevd's work
    modprobe scsi_debug delay=0 "$@" || fail "scsi_debug $*"
    wanted=1
    for option; do
        case $option in add_host=*) wanted=${option#*=} ;; esac
    done
    await '[ "$(scsi_debug_names | wc -w)" -ge $wanted ]'
    disks=$(scsi_debug_names)
    for disk in $disks; do await "[ -b /dev/$disk ] && [ -s /sys/block/$disk/queue/hw_sector_size ]"; done
}
scsi_debug_names() {
    for host in $(ls -d /sys/bus/pseudo/devices/adapter*/host* 2>/dev/null | sort -V); do
        ls -d $host/target*/*:*:*:*/block/* 2>/dev/null | sed 's|.*/||'
    done
}

loop_on() { # FILE-OR-DEVICE
    modprobe loop || fail loop
    made=$(basename "$(losetup --find --show "$1")") || fail "loop on $1"
}

zram_disk() { # SIZE
    modprobe zram num_devices=1 || fail zram
    echo "$1" >/sys/block/zram0/disksize
    made=zram0
}

null_blk_disk() { # OPTION…
    modprobe null_blk nr_devices=1 gb=1 "$@" || fail null_blk
    made=nullb0
}

ram_disk() {
    modprobe brd rd_nr=1 rd_size=16384 || fail brd
    made=ram0
}

# partition_on DISK: one partition from 1 MiB on, in a GPT.
partition_on() {
    echo '2048,,L' | sfdisk --quiet --label gpt "/dev/$1" || fail "sfdisk $1"
    await "ls -d /sys/block/$1/*/partition >/dev/null 2>&1"
    made=$(ls -d /sys/block/$1/*/partition | head -n 1 | sed 's|/partition||; s|.*/||')
}

# --- NVMe over Fabrics to the guest itself -----------------------------------------------------

host_nqn=nqn.2014-08.org.nvmexpress:uuid:6b1d3c52-0000-4000-8000-000000000001
host_id=6b1d3c52-0000-4000-8000-000000000001

# A module until somebody needs it, so that init could not mount it.
configfs() {
    modprobe -q configfs
    grep -q ' configfs ' /proc/mounts || mount -t configfs configfs /sys/kernel/config || fail configfs
}

# nvmet_subsystem NAME DEVICE: a subsystem with that block device as namespace 1.
nvmet_subsystem() {
    modprobe -a nvmet nvme-fabrics || fail nvmet
    configfs
    subsystem=/sys/kernel/config/nvmet/subsystems/$1
    mkdir -p $subsystem/namespaces/1
    echo 1 >$subsystem/attr_allow_any_host
    echo "$1" | cut -c 1-20 >$subsystem/attr_serial
    echo "/dev/$2" >$subsystem/namespaces/1/device_path
    echo 1 >$subsystem/namespaces/1/enable || fail "nvmet on $2"
}

# nvmet_port NUMBER loop|tcp SUBSYSTEM: over tcp it listens on 127.0.0.1:442NUMBER.
nvmet_port() {
    modprobe -a nvme-$2 || fail "nvme-$2"
    [ "$2" = tcp ] && modprobe nvmet-tcp
    port=/sys/kernel/config/nvmet/ports/$1
    mkdir -p $port
    echo $2 >$port/addr_trtype
    # Without an address a host takes the first port there is.
    [ "$2" = loop ] && echo loop$1 >$port/addr_traddr
    if [ "$2" = tcp ]; then
        echo ipv4 >$port/addr_adrfam
        echo 127.0.0.1 >$port/addr_traddr
        echo 442$1 >$port/addr_trsvcid
    fi
    ln -s /sys/kernel/config/nvmet/subsystems/$3 $port/subsystems/$3 || fail "nvmet port $1"
}

# nvmet_connect NUMBER loop|tcp SUBSYSTEM: leaves the namespace's disk in $made.
nvmet_connect() {
    address="-a loop$1"
    [ "$2" = tcp ] && address="-a 127.0.0.1 -s 442$1"
    # The kernel wants a host NQN and id, and nvme-cli has no file here to take them from.
    nvme connect -t $2 $address -n "$3" --hostnqn=$host_nqn --hostid=$host_id || fail "connect $3"
    made=
    await "find_subsystem $3"
}
# nvmet_close NAME: lets go of the device below, which may be needed elsewhere; the host keeps its controller.
nvmet_close() { echo 0 >/sys/kernel/config/nvmet/subsystems/$1/namespaces/1/enable; }

find_subsystem() {
    for disk in /sys/block/nvme*; do
        [ "$(cat $disk/hidden 2>/dev/null)" = 1 ] && continue
        # A head lies below its subsystem, a disk without multipath below its controller.
        if grep -qsx "$1" $disk/device/subsysnqn; then
            made=${disk##*/}
            [ -b /dev/$made ] && return 0
        fi
    done
    return 1
}

# --- SCSI disks of LIO, by tcm_loop: one SCSI host for each ---------------------------------------

lio=/sys/kernel/config/target

# lio_on NUMBER fileio|iblock DEVICE-OR-FILE ATTRIBUTE=VALUE…: a disk on that; of $lio_bytes, 32 MiB without, on a file.
# The word no-serial instead of an attribute leaves it without a unit serial.
lio_on() {
    number=$1 kind=$2 below=$3
    shift 3
    configfs
    store=$lio/core/${kind}_$number/disk$number
    mkdir -p $store || fail "LIO $kind"
    case $kind in
        fileio) echo "fd_dev_name=$below,fd_dev_size=${lio_bytes:-33554432}" >$store/control ;;
        iblock) echo "udev_path=$below" >$store/control ;;
    esac || fail "LIO control"
    echo 1 >$store/enable || fail "LIO enable"
    serial=disk$number
    for setting; do
        [ "$setting" = no-serial ] && serial=
    done
    [ -n "$serial" ] && echo $serial >$store/wwn/vpd_unit_serial
    for setting; do
        [ "$setting" = no-serial ] && continue
        echo ${setting#*=} >$store/attrib/${setting%%=*} || fail "LIO $setting"
    done
    through_loopback $number $store
}

# through_loopback NUMBER STORE: a SCSI host of tcm_loop for that backend of LIO.
through_loopback() {
    gate=$lio/loopback/naa.60014050000000$(printf %02d $1)/tpgt_1
    mkdir -p $gate/lun/lun_0 || fail "tcm_loop"
    echo naa.60014050000001$(printf %02d $1) >$gate/nexus || fail nexus
    ln -s $2 $gate/lun/lun_0/store || fail lun
    lio_address=$(cat $gate/address 2>/dev/null)
    await lio_disk
}
lio_disk() {
    for disk in /sys/block/sd*; do
        # The address of the port is HOST:CHANNEL:TARGET.
        case $(readlink -f $disk/device) in */${lio_address}:0) made=${disk##*/}; [ -b /dev/$made ] && return 0 ;; esac
    done
    return 1
}

# --- device-mapper -----------------------------------------------------------------------------

sectors() { cat /sys/class/block/$1/size; }

# dm NAME TABLE-LINE…: makes a device, with its node in /dev/mapper.
dm() {
    name=$1
    shift
    modprobe dm-mod || fail dm-mod
    for line; do
        # Without udevd nobody loads a target's module in time.
        modprobe -q "dm-$(echo "$line" | cut -d ' ' -f 3)"
        echo "$line"
    done >/tmp/table.$name
    dmsetup create "$name" /tmp/table.$name || fail "dmsetup create $name: $(cat /tmp/table.$name): $(dmesg | grep device-mapper | tail -n 1)"
    dmsetup mknodes "$name"
    made=dm-$(dmsetup info -c --noheadings -o minor "$name")
    await "[ -b /dev/$made ]"
}

dm_linear() { # NAME DEVICE…: one after the other
    name=$1 start=0
    shift
    set -- $(for device; do echo "$device"; done)
    for device; do
        echo "$start $(sectors $device) linear /dev/$device 0"
        start=$((start + $(sectors $device)))
    done >/tmp/lines
    dm_from_lines "$name"
}
dm_from_lines() {
    set -- "$1"
    while read -r line; do set -- "$@" "$line"; done </tmp/lines
    dm "$@"
}

dm_striped() { # NAME DEVICE DEVICE: chunks of 64 KiB
    length=$(($(sectors $2) / 128 * 128 * 2))
    dm "$1" "0 $length striped 2 128 /dev/$2 0 /dev/$3 0"
}

dm_crypt() { # NAME DEVICE
    key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
    modprobe -a -q ecb cbc xts essiv aes_generic
    dm "$1" "0 $(sectors $2) crypt aes-cbc-essiv:sha256 $key 0 /dev/$2 0 1 allow_discards"
}

# dm_thin NAME METADATA DATA: the pool NAME-pool with one thin volume of 16 MiB.
dm_thin() {
    modprobe dm-thin-pool || fail dm-thin-pool
    dd if=/dev/zero of=/dev/$2 bs=4k count=1 conv=fsync 2>/dev/null
    dm "$1-pool" "0 $(sectors $3) thin-pool /dev/$2 /dev/$3 128 0"
    pool=$made
    dmsetup message "$1-pool" 0 'create_thin 0' || fail "create_thin in $1-pool"
    dm "$1" "0 32768 thin /dev/mapper/$1-pool 0"
}

# dm_multipath NAME DEVICE DEVICE: two groups of one path; request-based, as multipathd makes it.
dm_multipath() {
    modprobe -a dm-multipath dm-service-time || fail dm-multipath
    dm "$1" "0 $(sectors $2) multipath 0 0 2 1 service-time 0 1 2 /dev/$2 1 1 service-time 0 1 2 /dev/$3 1 1"
}

# --- LVM ---------------------------------------------------------------------------------------

lvm_settings='global{thin_check_executable="" cache_check_executable="" etc="/etc"} activation{udev_sync=0 udev_rules=0 monitoring=0} devices{obtain_device_list_from_udev=0 external_device_info_source="none" use_devicesfile=0 scan=["/dev"]} backup{backup=0 archive=0}'
lv() { # COMMAND OF LVM…
    mkdir -p /run/lock /run/lvm /etc/lvm
    lvm "$@" --config "$lvm_settings" -qq || fail "lvm $*"
}

# --- MD ----------------------------------------------------------------------------------------

# md_array NUMBER LEVEL OPTIONS DEVICE…: OPTIONS is one word, such as --chunk=64, or none.
md_array() {
    number=$1 level=$2 options=$3
    shift 3
    [ "$options" = none ] && options=
    modprobe -q md-mod
    modprobe -q "$level" || modprobe -q "md-$level"
    for device; do members="${members:-} /dev/$device"; done
    mdadm --create /dev/md$number --run --quiet --level="$level" --raid-devices=$# \
        --metadata=1.2 --homehost=any $options $members </dev/null || fail "mdadm $level"
    members=
    made=md$number
    await "[ -b /dev/$made ]"
}
