package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// connection is a kept-alive connection and the answer that is being read from it.
type connection struct {
	net.Conn
	reader *bufio.Reader
}

// head is what the head of an answer says; length -1 is a chunked body.
type head struct {
	status int
	length int
	closes bool
}

func dial(address string) (*connection, error) {
	made, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &connection{made, bufio.NewReaderSize(made, 64*1024)}, nil
}

// exchange sends a request and gives every piece of its answer's body to `seen` as it comes.
func (c *connection) exchange(request []byte, seen func(piece []byte)) (head, error) {
	if _, err := c.Write(request); err != nil {
		return head{}, err
	}
	found, err := c.head()
	if err != nil {
		return found, err
	}
	if found.length >= 0 {
		return found, c.pieces(found.length, seen)
	}
	return found, c.chunks(seen)
}

func (c *connection) head() (head, error) {
	found := head{length: -1}
	line, err := c.line()
	if err != nil {
		return found, err
	}
	if len(line) < 12 {
		return found, fmt.Errorf("status line %q", line)
	}
	if found.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return found, err
	}
	for {
		if line, err = c.line(); err != nil || len(line) == 0 {
			return found, err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			found.length, err = strconv.Atoi(string(value))
		case bytes.EqualFold(name, []byte("connection")):
			found.closes = bytes.EqualFold(value, []byte("close"))
		}
		if err != nil {
			return found, err
		}
	}
}

func (c *connection) chunks(seen func([]byte)) error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(string(line), 16, 31)
		if err != nil {
			return err
		}
		if err := c.pieces(int(size), seen); err != nil {
			return err
		}
		if _, err := c.line(); err != nil || size == 0 {
			return err
		}
	}
}

// pieces passes `left` bytes on, as they come.
func (c *connection) pieces(left int, seen func([]byte)) error {
	for left > 0 {
		if _, err := c.reader.Peek(1); err != nil {
			return err
		}
		piece, _ := c.reader.Peek(min(left, c.reader.Buffered()))
		seen(piece)
		left -= len(piece)
		if _, err := c.reader.Discard(len(piece)); err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) line() ([]byte, error) {
	line, err := c.reader.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(line, "\r\n"), err
}
