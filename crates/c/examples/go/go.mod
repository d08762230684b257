module scoresheet.example/last

go 1.18
