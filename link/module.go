package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// NoEntryError reports that a module lacks the entry point that a stage names.
type NoEntryError struct {
	File  string
	Stage Stages
	Name  string // "" for any
}

// Error describes the module and the missing entry point.
func (e *NoEntryError) Error() string {
	name := ""
	if e.Name != "" {
		name = fmt.Sprintf(" with the name %q", e.Name)
	}
	return fmt.Sprintf("%s: has no entry point of the %s stage%s; must have one", e.File, e.Stage, name)
}

// moduleRules are the rules on the source of the code of a stage.
var moduleRules = []Rule{
	{vuid.VkPipelineShaderStageCreateInfo_pName_00707, "the module of a stage has the entry point that it names, of its execution model"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_06845, "a stage without an identifier has a module or its code"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_08771, "without the features graphicsPipelineLibrary and maintenance5 a stage without an identifier has a module"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_06844, "a stage with an identifier has no code in its chain"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_06848, "a stage with an identifier has no module"},
	{vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_pNext_06850, "an identifier of a module needs the feature shaderModuleIdentifier"},
	{vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_pNext_06851, "a pipeline with the identifier of a module fails if it must be compiled"},
	{vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_identifierSize_06852, "an identifier of a module has no more than 32 bytes"},
}

// maxIdentifier is VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT.
const maxIdentifier = 32

// modules checks the source of the code of each stage.
func (l *linker) modules() {
	for i := range l.d.Stages {
		s := &l.d.Stages[i]
		stage := s.Stage
		if s.Entry != nil && StageOf(s.Entry.Model) >= 0 {
			stage = 1 << StageOf(s.Entry.Model)
		}
		side := []Side{{File: s.File, Stage: stage.String()}}
		if s.Missing != nil {
			l.fail(vuid.VkPipelineShaderStageCreateInfo_pName_00707, side, "%v", s.Missing)
		}
		has := s.Entry != nil || s.Missing != nil
		if s.Identifier > 0 {
			l.identified(s, side, has)
			continue
		}
		old := l.d.lacks("graphicsPipelineLibrary") && l.d.lacks("maintenance5")
		switch {
		case old && (s.NoModule || has && s.InChain):
			l.fail(vuid.VkPipelineShaderStageCreateInfo_stage_08771, side, "the %s stage has no module; must have one without the features graphicsPipelineLibrary and maintenance5", stage)
		case s.NoModule:
			l.fail(vuid.VkPipelineShaderStageCreateInfo_stage_06845, side, "the %s stage has no module, no code and no identifier of a module; must have one of them", stage)
		}
	}
}

// identified checks a stage that names its module by an identifier.
func (l *linker) identified(s *Shader, side []Side, has bool) {
	l.off(vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_pNext_06850, "shaderModuleIdentifier", side, "the stage has the identifier of a module")
	if l.d.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired == 0 {
		l.fail(vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_pNext_06851, side, "the stage has the identifier of a module; the pipeline must have the flag %s", enum.PipelineFlagsFailOnPipelineCompileRequired)
	}
	if s.Identifier > maxIdentifier {
		l.fail(vuid.VkPipelineShaderStageModuleIdentifierCreateInfoEXT_identifierSize_06852, side, "the identifier of the module has %d bytes; must have at most %d", s.Identifier, maxIdentifier)
	}
	switch {
	case has && s.InChain:
		l.fail(vuid.VkPipelineShaderStageCreateInfo_stage_06844, side, "the stage has the identifier of a module and its code; must have one of them")
	case has:
		l.fail(vuid.VkPipelineShaderStageCreateInfo_stage_06848, side, "the stage has the identifier of a module and a module; must have one of them")
	}
}
