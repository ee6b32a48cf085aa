package main

import (
	"strings"
	"sync"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/utils"
)

const settledFor = 10 * time.Second

// settled remembers for a while what kube-router asks before each round: whether its few chains are
// there, and its rules in their places. That is 17 of the 20 programs which a round starts, and
// nobody but kube-router itself moves them. Whatever is missing or changed makes it ask again.
type settled struct {
	utils.IPTablesHandler
	now   func() time.Time
	lock  sync.Mutex
	asked time.Time
	there map[string]bool
	lists map[string][]string
}

func newSettled(handler utils.IPTablesHandler) *settled {
	s := &settled{IPTablesHandler: handler, now: time.Now}
	s.forget()
	return s
}

func (s *settled) forget() {
	s.asked, s.there, s.lists = s.now(), map[string]bool{}, map[string][]string{}
}

func (s *settled) refresh() {
	if s.now().Sub(s.asked) > settledFor {
		s.forget()
	}
}

// known asks once; that something is missing is not remembered, for it is about to be made.
func (s *settled) known(ask func() (bool, error), words ...string) (bool, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.refresh()
	key := strings.Join(words, "\x00")
	if s.there[key] {
		return true, nil
	}
	found, err := ask()
	s.there[key] = found && err == nil
	return found, err
}

// changing does what changes the table: nothing that was remembered holds any more.
func (s *settled) changing(do func() error) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	defer s.forget()
	return do()
}

func (s *settled) Exists(table, chain string, rule ...string) (bool, error) {
	ask := func() (bool, error) { return s.IPTablesHandler.Exists(table, chain, rule...) }
	return s.known(ask, append([]string{"rule", table, chain}, rule...)...)
}

func (s *settled) ChainExists(table, chain string) (bool, error) {
	ask := func() (bool, error) { return s.IPTablesHandler.ChainExists(table, chain) }
	return s.known(ask, "chain", table, chain)
}

func (s *settled) List(table, chain string) ([]string, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.refresh()
	key := table + "\x00" + chain
	if rules, ok := s.lists[key]; ok {
		return rules, nil
	}
	rules, err := s.IPTablesHandler.List(table, chain)
	if err == nil {
		s.lists[key] = rules
	}
	return rules, err
}

func (s *settled) AppendUnique(table, chain string, rule ...string) error {
	found, err := s.Exists(table, chain, rule...)
	if found || err != nil {
		return err
	}
	return s.changing(func() error { return s.IPTablesHandler.Append(table, chain, rule...) })
}

func (s *settled) Insert(table, chain string, position int, rule ...string) error {
	return s.changing(func() error { return s.IPTablesHandler.Insert(table, chain, position, rule...) })
}

func (s *settled) Delete(table, chain string, rule ...string) error {
	return s.changing(func() error { return s.IPTablesHandler.Delete(table, chain, rule...) })
}

func (s *settled) NewChain(table, chain string) error {
	return s.changing(func() error { return s.IPTablesHandler.NewChain(table, chain) })
}
