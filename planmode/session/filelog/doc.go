// Package filelog keeps sessions in files of the original's format, version 0, which its
// programs read and write as well.
//
//	store, err := filelog.New(filepath.Join(home, "sessions"), nil)
//	if err != nil {
//		return err
//	}
//	log, err := store.Open(ctx, "s-1")
//	if errors.Is(err, session.ErrNotExist) {
//		log, err = store.Create(ctx, session.Header{ID: "s-1", Cwd: cwd})
//	}
//
// # Files
//
// A session is the file session.jsonl, or session.jsonl.zstd, in a directory named for
// its id, which lies in one named for its working directory. The first line is the
// header, each other line an event. Packed rows, in which the original stores the chunks
// of a streamed answer, are read as the assistant/chunk events they stand for, so that
// positions count them; they are never written.
//
// # Durability
//
// An append is acknowledged once it is on disk. It is one write; if that fails, what was
// written of it is cut off again. A process that is killed can leave a torn tail. Readers
// pass it over, and the next append removes it, which is logged as a warning: a plain
// file is cut at its last complete line, of a torn zstd frame the complete lines are kept.
//
// Only what a crash can leave is removed: bytes that are no line, or no JSON, or out of
// sequence, with no end of a turn after them. Anything else that cannot be read is a
// [session.CorruptError] with file and line, and the file stays as it is. So does a line
// that is JSON but no event, such as one with an unknown key, and an event of an unknown
// type that is not marked ignorable ([session.ErrUnknownType]); a program that knows the
// type says so in [Options].
//
// # Several programs
//
// Any number of processes may read and append. An append holds the lock of the session,
// the file session.lock beside the log, while it looks at the end of the file and
// writes. A newer harness holds that lock for as long as it runs, and an append then
// waits and ends with [session.ErrBusy]. Readers take no lock. A read may see a write
// that is not on disk yet and fails there; [Log.Rewinds] tells that it was taken back.
//
// A session that a newer harness has moved to another format version is refused with a
// [VersionError], since its file of version 0 is no longer kept up to date.
//
// # Logging
//
// The logger of [Options] receives warnings. Their attributes are named as those of
// package planmode:
//
//   - session: the id of the session.
//   - seq: that of the first event that is cut off or written again.
//   - path: the file, or the directory that is watched.
//   - line: the line at which a torn tail begins.
//   - bytes: how many bytes were cut off.
//   - kept: how many events of the tail were written again.
//   - error: the cause.
package filelog
