module benchwright.dev/bench/proxy

go 1.22
