package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// shardOf returns the part of a list that belongs to a shard i/n, and its record; or
// the whole list without one.
func shardOf[T any](list []T, shard string, name func(T) string) ([]T, *shardRecord, error) {
	if shard == "" {
		return list, nil, nil
	}
	a, b, ok := strings.Cut(shard, "/")
	i, err := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err != nil || err2 != nil || i < 1 || n < 1 || i > n {
		return nil, nil, unreadable("--shard %q: must be I/N, I from 1 to N", shard)
	}
	r := &shardRecord{Shard: i, Of: n}
	known := map[string]bool{}
	names := sha256.New()
	var out []T
	for k := range list {
		fmt.Fprintf(names, "%q\n", filepath.ToSlash(name(list[k])))
		if !known[name(list[k])] {
			known[name(list[k])] = true
			r.Total++
		}
		if k%n == i-1 {
			out = append(out, list[k])
			r.names = append(r.names, name(list[k]))
		}
	}
	r.List = hex.EncodeToString(names.Sum(nil)[:16])
	return out, r, nil
}

// shardRecord is the part of a record that says of which shard it is, so that report merge can find out that one is
// missing or cut off.
type shardRecord struct {
	Shard int    `json:"shard"` // from 1
	Of    int    `json:"of"`
	List  string `json:"list"`  // a hash of the names of all objects
	Total int    `json:"total"` // the number of all names

	Verb        string   `json:"verb,omitempty"`        // fuzz; its records are else like those of run and test
	Environment string   `json:"environment,omitempty"` // of check
	Profiles    []string `json:"profiles,omitempty"`    // likewise

	Names []string `json:"names,omitempty"` // of the objects of the shard, in the first record of a report of lines
	names []string // the same
}

// named returns the record with the names of the objects; nil for no shard.
func (r *shardRecord) named() *shardRecord {
	if r == nil {
		return nil
	}
	other := *r
	other.Names = r.names
	return &other
}

// shardList is the shards of one list, by their records in reports.
type shardList struct {
	first *shardRecord
	have  map[int]map[string]bool // names of objects, by shard
	names map[int][]string        // of all objects of a shard, as far as reports have them
	found map[string]bool         // the objects of all shards
}

// listShards returns the shards that records are of; nil if they are not of shards. It returns an error if they are of more
// than one list.
func listShards(all []mergedRecord) (*shardList, error) {
	l := &shardList{have: map[int]map[string]bool{}, names: map[int][]string{}, found: map[string]bool{}}
	for i := range all {
		s, first := all[i].Shard, l.first
		switch {
		case i > 0 && (s == nil) != (first == nil):
			return nil, unreadable("%s: error: some records are of shards and some are not; must be one or the other", all[i].File)
		case s == nil:
			continue
		case first == nil:
			l.first = s
		case s.Environment != first.Environment || !slices.Equal(s.Profiles, first.Profiles):
			return nil, unreadable("%s: error: shard %d/%d was checked against %s %v, shard %d/%d against %s %v; must be one environment with the same profiles",
				all[i].File, s.Shard, s.Of, s.Environment, s.Profiles, first.Shard, first.Of, first.Environment, first.Profiles)
		case s.Of != first.Of || s.List != first.List || s.Total != first.Total:
			return nil, unreadable("%s: error: shard %d/%d is of another list of %d objects than shard %d/%d, of %d; must be of one list",
				all[i].File, s.Shard, s.Of, s.Total, first.Shard, first.Of, first.Total)
		}
		if l.have[s.Shard] == nil {
			l.have[s.Shard] = map[string]bool{}
		}
		l.have[s.Shard][all[i].title()], l.found[all[i].title()] = true, true
		if s.Names != nil {
			l.names[s.Shard] = s.Names
		}
	}
	if l.first == nil {
		return nil, nil
	}
	return l, nil
}

// spare reports whether there are more shards than objects, so that a shard may be empty.
func (l *shardList) spare() bool { return l != nil && l.first.Of > l.first.Total }

// missing names the shards and the objects without a record, in sentences.
func (l *shardList) missing() (list []string) {
	if l == nil {
		return nil
	}
	var shards []string
	for i := 1; i <= min(l.first.Of, l.first.Total); i++ {
		if len(l.have[i]) == 0 {
			shards = append(shards, fmt.Sprintf("%d/%d", i, l.first.Of))
		}
	}
	switch len(shards) {
	case 0:
	case 1:
		list = append(list, "shard "+shards[0]+" is missing; must be among the reports")
	default:
		list = append(list, "shards "+strings.Join(shards, ", ")+" are missing; must be among the reports")
	}
	for _, i := range slices.Sorted(maps.Keys(l.names)) {
		absent := slices.DeleteFunc(slices.Clone(l.names[i]), func(name string) bool { return l.have[i][name] })
		if len(absent) > 0 {
			list = append(list, fmt.Sprintf("shard %d/%d is incomplete: it has no record of %s", i, l.first.Of, strings.Join(absent, ", ")))
		}
	}
	if n := len(l.found); list == nil && n != l.first.Total {
		list = append(list, fmt.Sprintf("the reports have %d of the %d objects; a shard is incomplete", n, l.first.Total))
	}
	return list
}
