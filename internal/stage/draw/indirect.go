package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// DrawIndirect records an indirect draw: each of its draws has the arguments a with parameters of the buffer. The
// draws are indexed if a has indices. The buffers are read now: draws with effects on memory have been executed
// when they were recorded.
func (p *Pass) DrawIndirect(ctx context.Context, pipeline *Pipeline, a *state.Args, x *state.Indirect) error {
	n, err := x.Draws(a)
	if err != nil {
		return err
	}
	one := &p.indirect
	*one = *a
	defer func() { *one = state.Args{} }()
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if x.Set(one, i); one.Empty() {
			continue
		}
		if err := p.Draw(ctx, pipeline, one); err != nil {
			return err
		}
		if a.Shader.Log == nil && a.Shader.Hook == nil && a.Shader.Shadow == nil {
			one.Repeats, one.Rebound = true, 0 // the draws differ in the parameters of the buffer alone
		}
	}
	return nil
}
