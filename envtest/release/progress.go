package release

import "io"

// progress passes on what it reads, and reports it from time to time.
type progress struct {
	from  io.Reader
	each  int64       // number of bytes between two reports
	moved func()      // called after every read that got something
	tell  func(int64) // called each time that so many more bytes are read, with their number so far

	read, told int64
}

func (p *progress) Read(buffer []byte) (int, error) {
	n, err := p.from.Read(buffer)
	p.read += int64(n)
	if n > 0 {
		p.moved()
	}
	if p.read-p.told >= p.each {
		p.told = p.read
		p.tell(p.read)
	}
	return n, err
}

// each returns after how many bytes of a size a report is useful.
func each(size int64) int64 {
	const parts, least = 5, 10 << 20
	return max(size/parts, least)
}
