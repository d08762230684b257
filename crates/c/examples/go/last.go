// Prints the last position of every game: `go run . games.bga`.
package main

/*
#cgo pkg-config: scoresheet
#include <stdlib.h>
#include <scoresheet.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func checked(code C.int32_t) {
	if code != C.SCORESHEET_OK {
		fmt.Fprintln(os.Stderr, C.GoString(C.scoresheet_code_name(code)))
		os.Exit(1)
	}
}

func main() {
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	var archive *C.scoresheet_archive
	checked(C.scoresheet_open_path(path, C.size_t(len(os.Args[1])), nil, &archive, nil))
	defer C.scoresheet_close(archive)
	var games C.uint64_t
	checked(C.scoresheet_games(archive, &games, nil))
	var fen [C.SCORESHEET_FEN_MAX]C.char
	var length C.size_t
	for number := C.uint64_t(1); number <= games; number++ {
		var game *C.scoresheet_game
		if C.scoresheet_game_open(archive, number, &game, nil) != C.SCORESHEET_OK {
			continue // deleted
		}
		checked(C.scoresheet_game_fen(game, C.scoresheet_game_plies(game), &fen[0], C.size_t(len(fen)), &length, nil))
		fmt.Println(number, C.GoStringN(&fen[0], C.int(length)))
		C.scoresheet_game_free(game)
	}
}
