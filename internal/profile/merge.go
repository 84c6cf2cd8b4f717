package profile

// Add adds the counts of a stage: to the stage with the same functions and places if there is one, as when several runs execute one
// shader.
func (p *Profile) Add(s *Stage) {
	for _, o := range p.Stages {
		if o.same(s) {
			o.add(s)
			return
		}
	}
	p.Stages = append(p.Stages, s)
}

// same reports whether two stages are of one entry point of one module, as far as their functions, instructions and places tell.
func (s *Stage) same(o *Stage) bool {
	if s.Entry != o.Entry || s.Model != o.Model || s.SubgroupSize != o.SubgroupSize || len(s.Functions) != len(o.Functions) {
		return false
	}
	for i, f := range s.Functions {
		g := o.Functions[i]
		if f.Name != g.Name || f.Place != g.Place || len(f.Blocks) != len(g.Blocks) {
			return false
		}
		for k := range f.Blocks {
			if !f.Blocks[k].same(&g.Blocks[k]) {
				return false
			}
		}
	}
	return true
}

func (b *Block) same(o *Block) bool {
	if b.Label != o.Label || len(b.Instructions) != len(o.Instructions) || len(b.Branches) != len(o.Branches) {
		return false
	}
	for i := range b.Instructions {
		x, y := &b.Instructions[i], &o.Instructions[i]
		if x.Index != y.Index || x.Op != y.Op || x.Place != y.Place {
			return false
		}
	}
	return true
}

// add adds the counts of the same stage.
func (s *Stage) add(o *Stage) {
	for i, f := range s.Functions {
		g := o.Functions[i]
		f.Calls += g.Calls
		for k := range f.Blocks {
			b, c := &f.Blocks[k], &g.Blocks[k]
			for n := range b.Instructions {
				b.Instructions[n].add(c.Instructions[n].Count)
			}
			for n := range b.Branches {
				b.Branches[n].Taken += c.Branches[n].Taken
			}
		}
	}
}
