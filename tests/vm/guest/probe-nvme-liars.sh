# The NVMe/TCP controller that lies: unlike nbd it has an unmap limit, and tells its statuses.
liar_nqn=nqn.2014-08.org.zinspect:liar
port=4500
for lie in honest nothing half neighbour slow slower error:1 hang; do
    port=$((port + 1))
    nvme_liar $port 64 $lie &
    server=$!
    pause 1000
    nvme connect -t tcp -a 127.0.0.1 -s $port -n $liar_nqn --hostnqn=$host_nqn --hostid=$host_id || fail "connect to $lie"
    made=
    await "find_subsystem $liar_nqn"
    cat /sys/block/$made/queue/write_zeroes_unmap_max_bytes >$stage/${lie%:*}.unmap
    case $lie in
        hang) for method in fallocate-write-zeroes nvme-write-zeroes; do
            probed hang-$method $made $method --range 8M:1M --timeout 3
            # What hangs keeps the claim until its controller is gone.
            kill -9 $server
            wait $server 2>/dev/null
            nvme disconnect -n $liar_nqn >/dev/null
            [ $method = nvme-write-zeroes ] && break
            port=$((port + 1))
            nvme_liar $port 64 $lie &
            server=$!
            pause 1000
            nvme connect -t tcp -a 127.0.0.1 -s $port -n $liar_nqn --hostnqn=$host_nqn --hostid=$host_id || fail "connect to $lie"
            made=
            await "find_subsystem $liar_nqn"
        done ;;
        *) probed ${lie%:*} $made pwrite,fallocate-write-zeroes,nvme-write-zeroes,nvme-write-zeroes-deac --range 8M:2M
            nvme disconnect -n $liar_nqn >/dev/null
            kill -9 $server ;;
    esac
done
