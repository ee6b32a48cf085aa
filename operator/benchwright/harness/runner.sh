# Process 1 of the main container: runs the steps, each with its time limit, and says how they went.
#
# Plain POSIX shell, for the image is the user's: `sh` (dash, busybox, bash) and `sleep` are all it
# needs. The time limit is kept by this process itself, since an agent can kill any other, and all
# durations come from one clock (/proc/uptime, hundredths of a second). Everything that a step
# started is killed before the next step, and before the closing record is written: the record that
# the harness believes is the last line of the pipe, written when nobody else is left to write.

control=/benchwright
exchange=/benchwright-io
exec 9> "$exchange/result"
exec 8< "$control/steps/list"
record=

now() { # -> $cs
  read -r up _ < /proc/uptime
  cs=$((${up%.*} * 100 + 1${up#*.} - 100))
}

nap() { sleep "$1" 2> /dev/null || sleep 1; }

end_all() { # TERM, five seconds of grace, KILL: to every process but this one
  kill -TERM -1 2> /dev/null
  tries=0
  while [ $tries -lt 50 ] && kill -0 -1 2> /dev/null; do
    nap 0.1
    tries=$((tries + 1))
  done
  kill_all
}

kill_all() { # again and again, for what forks while it is killed
  tries=0
  while [ $tries -lt 20 ] && kill -KILL -1 2> /dev/null; do
    nap 0.02
    tries=$((tries + 1))
  done
}

while read -r name seconds <&8; do
  now
  start=$cs
  limit=$((seconds * 100))
  late=0
  (
    cd /workspace/repo || exit 125
    exec /bin/sh "$control/steps/$name.sh"
  ) > "$exchange/log-$name" 2>&1 < /dev/null 8<&- 9>&- &
  child=$!
  pause=0.02
  while kill -0 $child 2> /dev/null; do
    now
    spent=$((cs - start))
    if [ $spent -ge $limit ]; then
      late=1
      break
    fi
    [ $spent -lt 20 ] || pause=0.1
    [ $spent -lt 1000 ] || pause=0.25
    nap $pause
  done
  now
  end=$cs
  if [ $late = 1 ]; then end_all; else kill_all; fi
  wait $child
  code=$?
  record="$record $name:$code:$start:$end:$late"
  if [ "$name" = setup ] && [ $code != 0 ]; then break; fi
done

echo "benchwright-runner-1 done$record" >&9
exit 0
