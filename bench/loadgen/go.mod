module mockbroker/bench/loadgen

go 1.22
