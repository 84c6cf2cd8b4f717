package main

func (m *model) viewFiles() map[string]string { return nil }
