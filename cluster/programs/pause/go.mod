module benchwright.dev/cluster/pause

go 1.24.0
