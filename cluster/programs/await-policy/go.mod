module benchwright.dev/cluster/await-policy

go 1.24.0
