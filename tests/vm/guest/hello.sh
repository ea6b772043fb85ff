set -u
. /share/in/recipes.sh
uname -r; coldplug; ls /sys/block
disk_by_serial plain; role plain; disk_by_serial shared; role shared
scsi_debug_disks lbpws=1 lbprz=1 add_host=12 per_host_store=1 dev_size_mb=32; echo $disks
set -- $disks
nvmet_subsystem deac $1; nvmet_port 1 loop deac; nvmet_connect 1 loop deac; role nvmet
nvmet_subsystem deact $2; nvmet_port 2 tcp deact; nvmet_connect 2 tcp deact; role nvmet-tcp
dm_linear lin $3; role linear
dm_striped str $4 $5; role striped
dm_crypt cry $6; role crypt
dm_thin thn $7 $8; role thin
dm_multipath mp $9 ${10}; role multipath
md_array 0 raid0 --chunk=64 ${11} ${12}; role raid0
cat $out/roles; cat /proc/mdstat; dmsetup table; nvme list
grep '' /sys/block/*/queue/write_zeroes*
setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all id
