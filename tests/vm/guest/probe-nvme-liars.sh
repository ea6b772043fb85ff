# The NVMe/TCP controller that lies: unlike nbd it has an unmap limit, and tells its statuses.
port=4500
for lie in honest nothing half neighbour error:1; do
    port=$((port + 1))
    nvme_liar_on $port $lie
    cat /sys/block/$made/queue/write_zeroes_unmap_max_bytes >$stage/${lie%:*}.unmap
    probed ${lie%:*} $made pwrite,fallocate-write-zeroes,nvme-write-zeroes,nvme-write-zeroes-deac --range 8M:2M
    nvme disconnect -n $liar_nqn >/dev/null
    kill -9 $server
done
