package filelog

import "os"

// disk is how bytes get into a session file. Tests replace it to fail.
type disk struct {
	write    func(file *os.File, b []byte, offset int64) error
	sync     func(file *os.File) error
	truncate func(file *os.File, size int64) error
}

func osDisk() disk {
	return disk{
		write: func(file *os.File, b []byte, offset int64) error {
			_, err := file.WriteAt(b, offset)
			return err
		},
		sync:     (*os.File).Sync,
		truncate: (*os.File).Truncate,
	}
}
