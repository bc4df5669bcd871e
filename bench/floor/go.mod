module mockbroker/bench/floor

go 1.22
