# Devices that a program of ours serves, and so say whatever they are told to: nbd, ublk, and a SCSI disk behind LIO.
begin served
need_program() { command -v "$1" >/dev/null || { echo "$1 is not installed"; exit 1; }; }
nbd() { # NUMBER SETTING…
    need nbd
    need_program nbd_server
    made=nbd$1
    shift
    nbd_server /dev/$made "$@" >/dev/null 2>&1 &
    await "[ \$(sectors $made) != 0 ]"
}
ublk() { # NUMBER SETTING…
    need ublk_drv
    need_program ublk_server
    made=ublkb$1
    ublk_server "$@" &
    await "[ -b /dev/$made ]"
}

modprobe -q nbd nbds_max=8
attempt nbd-zeroes nbd 0
on=$made
attempt nbd-no-zeroes nbd 1 zeroes=0
attempt nbd-no-trim nbd 2 trim=0
attempt nbd-neither nbd 3 zeroes=0 trim=0
attempt nbd-4k nbd 4 block=4096
if [ -n "$on" ]; then
    attempt dm-on-nbd dm on-nbd "0 8192 linear /dev/$on 0"
    attempt dm-nbd-mixed dm nbd-mixed "0 8192 linear /dev/$on 0" "8192 8192 linear /dev/nbd1 0"
    attempt loop-on-nbd loop_on /dev/$on
fi
attempt ublk-plain ublk 0
attempt ublk-discard ublk 1 discard=4096
attempt ublk-zeroes ublk 2 zeroes=2048
on=$made
attempt ublk-both ublk 3 discard=4096 zeroes=8192
attempt ublk-unlimited ublk 4 discard=0xffffffff zeroes=0xffffffff
attempt ublk-4k ublk 5 discard=4096 zeroes=4096 block=4096
if [ -n "$on" ]; then
    attempt dm-on-ublk dm on-ublk "0 8192 linear /dev/$on 0"
    attempt loop-on-ublk loop_on /dev/$on
fi

# --- SCSI: what no disk at hand answers ---
told() { # NUMBER SETTING…
    need target_core_user
    need tcm_loop
    need_program scsi_target
    configured target_core_mod
    number=$1
    shift
    store=/sys/kernel/config/target/core/user_$number/told$number
    mkdir -p $store || fail "LIO user"
    echo "dev_size=33554432,dev_config=zinspect/told$number" >$store/control || fail "LIO control"
    echo 1 >$store/enable || fail "LIO enable"
    await "grep -qs '/told$number/' /sys/class/uio/uio*/name"
    uio=$(grep -ls "/told$number/" /sys/class/uio/uio*/name | cut -d / -f 5)
    await "[ -c /dev/$uio ]"
    scsi_target $uio $(cat /sys/class/uio/$uio/maps/map0/size) "$@" &
    through_loopback $number $store
}
number=20
while read -r name settings; do
    number=$((number + 1))
    attempt told-$name told $number $settings
done <<END_OF_DISKS
unmap lbpme=1 lbprz=1 b2=0xc4
unmap-10 lbpme=1 lbprz=1 b2=0x24
unmap-both lbpme=1 lbprz=1 b2=0x64
lbpu-only lbpme=1 lbprz=1 b2=0x84
no-lbprz lbpme=1 lbprz=0 b2=0xc0
b2-alone-lbprz lbpme=1 lbprz=0 b2=0xc4
rc16-alone-lbprz lbpme=1 lbprz=1 b2=0xc0
lbprz-without-lbpme lbpme=0 lbprz=1 b2=0x04
bridge lbpme=0 b2=0x84 vendor=Realtek
bridge-no-rsoc lbpme=0 b2=0xc4 rsoc=0 vendor=JMicron
no-b2 lbpme=1 lbprz=1 b2length=0
b2-short lbpme=1 lbprz=1 b2=0xc4 b2length=3
no-vpd lbpme=1 lbprz=1 b2=0xc4 vpd=0
scsi-2 lbpme=1 lbprz=1 b2=0xc4 version=2
spc lbpme=1 lbprz=1 b2=0xc4 version=3
spc-2 lbpme=1 lbprz=1 b2=0xc4 version=4
spc-2-protect lbpme=1 lbprz=1 b2=0xc4 version=4 protect=1
spc-2-large lbpme=1 lbprz=1 b2=0xc4 version=4 blocks=0x200000000
spc-3 lbpme=1 lbprz=1 b2=0xc4 version=5
spc-5 lbpme=1 lbprz=1 b2=0xc4 version=7
spc-6 lbpme=1 lbprz=1 b2=0xc4 version=8
large lbpme=1 lbprz=1 b2=0xc4 blocks=0x200000000
no-rsoc lbpme=1 lbprz=1 b2=0xc4 rsoc=0
ata-no-rsoc lbpme=1 lbprz=1 b2=0xc4 rsoc=0 vendor=ATA
ata lbpme=1 lbprz=1 b2=0xc4 vendor=ATA
page-89-no-rsoc lbpme=1 lbprz=1 b2=0xc4 rsoc=0 ata=1
page-89 lbpme=1 lbprz=1 b2=0xc4 ata=1
ata-page-89-no-rsoc lbpme=1 lbprz=1 b2=0xc4 rsoc=0 ata=1 vendor=ATA
no-write-same lbpme=1 lbprz=1 b2=0x84 ws16=0 ws10=0
no-write-same-short lbpme=1 lbprz=1 b2=0x84 ws16=0 ws10=0 ws=65535
no-write-same-long lbpme=1 lbprz=1 b2=0xc4 ws16=0 ws10=0 ws=65536
ws10-alone lbpme=1 lbprz=1 b2=0xc4 ws16=0
ws16-alone lbpme=1 lbprz=1 b2=0x24 ws10=0
ws-4g lbpme=1 lbprz=1 b2=0xc4 ws=0x100000000
ws-above-4g lbpme=1 lbprz=1 b2=0xc4 ws=0x100000010
ws-largest lbpme=1 lbprz=1 b2=0xc4 ws=0xffffffffffffffff
no-b0 lbpme=1 lbprz=1 b2=0xc4 b0=0
b0-12 lbpme=1 lbprz=1 b2=0xc4 b0=12
b0-40 lbpme=1 lbprz=1 b2=0xc4 b0=40 ws=4096
b0-59 lbpme=1 lbprz=1 b2=0xc4 b0=59 ws=4096
b0-60 lbpme=1 lbprz=1 b2=0xc4 b0=60 ws=4096
b0-68 lbpme=1 lbprz=1 b2=0xc4 b0=68 ws=4096
END_OF_DISKS
expect told-b2-alone-lbprz agree scsi-lbprz-disagree
expect told-rc16-alone-lbprz agree scsi-lbprz-disagree
expect told-bridge agree scsi-lbpu-without-lbpme
expect told-bridge-no-rsoc agree scsi-lbpu-without-lbpme
expect told-b0-40 agree scsi-write-same-limit-ignored
expect told-b0-59 agree scsi-write-same-limit-ignored
on=$(named told-rc16-alone-lbprz)
[ -n "$on" ] && attempt dm-on-told dm on-told "0 8192 linear /dev/$on 0"
observe
