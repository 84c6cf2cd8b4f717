package main

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// Names of the driver's files.
const (
	driverLibrary  = "libvulkan_chiaro.so"
	driverManifest = "chiaro_icd.json"
)

// Folders of the manifests of all users: systemManifests of the administrator, packageManifests of the system's packages.
const (
	systemManifests  = "/usr/local/share/vulkan/icd.d"
	packageManifests = "/usr/share/vulkan/icd.d"
)

// manifest is the file by which the Vulkan loader finds a driver.
type manifest struct {
	Format string `json:"file_format_version"`
	ICD    struct {
		Library string `json:"library_path"`
		Vulkan  string `json:"api_version"`
	} `json:"ICD"`
}

// newManifest returns the text of the manifest of a library.
func newManifest(library string) ([]byte, error) {
	if !utf8.ValidString(library) {
		return nil, unreadable("%s: the path is not UTF-8; must be, for a manifest", library)
	}
	m := manifest{Format: "1.0.1"}
	m.ICD.Library, m.ICD.Vulkan = library, abi.Version()
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// readManifest reads a manifest. library is the path of its library: a path with a folder is relative to the manifest.
func readManifest(name string) (m manifest, library string, err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // a pipe may have no writer
		return m, "", errors.New("it is no regular file")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return m, "", err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, "", err
	}
	library = m.ICD.Library
	if !filepath.IsAbs(library) && strings.Contains(library, "/") {
		library = filepath.Join(filepath.Dir(name), library)
	}
	return m, library, nil
}

// userManifests is the folder of manifests of the user; "" if there is no home folder.
func userManifests() string { return manifestsBelow(userFolder("XDG_DATA_HOME", ".local/share")) }

// userFolder is the folder of a variable, or a folder below the home folder; "" if there is neither.
func userFolder(variable, below string) string {
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, below)
}

// manifestsBelow is the folder of manifests below a folder for configuration or data; "" for none. It is absolute: programs
// with another working directory read its name in variables.
func manifestsBelow(root string) string {
	if root == "" {
		return ""
	}
	dir := filepath.Join(root, "vulkan", "icd.d")
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// loaderManifests are the manifests that the Vulkan loader reads, in its order: the files and folders of VK_DRIVER_FILES or
// VK_ICD_FILENAMES alone if it is set, else of VK_ADD_DRIVER_FILES and of the folders for configuration and data.
func loaderManifests() (files []string, variable string) {
	for _, variable := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if list := os.Getenv(variable); list != "" {
			return manifestFiles(filepath.SplitList(list)), variable
		}
	}
	places := filepath.SplitList(os.Getenv("VK_ADD_DRIVER_FILES"))
	roots := []string{userFolder("XDG_CONFIG_HOME", ".config")}
	roots = append(roots, filepath.SplitList(orElse(os.Getenv("XDG_CONFIG_DIRS"), "/etc/xdg"))...)
	roots = append(roots, "/etc", userFolder("XDG_DATA_HOME", ".local/share"))
	roots = append(roots, filepath.SplitList(orElse(os.Getenv("XDG_DATA_DIRS"), "/usr/local/share:/usr/share"))...)
	for _, r := range roots {
		places = append(places, manifestsBelow(r))
	}
	return manifestFiles(places), ""
}

// manifestFiles are the manifests of files and folders, each once.
func manifestFiles(places []string) (files []string) {
	for _, p := range places {
		list := []string{p}
		if info, err := os.Stat(p); err != nil {
			continue
		} else if info.IsDir() {
			list = glob(p, "*.json")
		}
		for _, f := range list {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files
}

// glob returns the files of a folder that match a pattern. The name of the folder may have any characters.
func glob(dir, pattern string) (files []string) {
	list, _ := fs.Glob(os.DirFS(dir), pattern) // the patterns are constant and valid
	for _, name := range list {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}

// ofChiaro reports whether a manifest is of this driver.
func ofChiaro(name, library string) bool {
	return filepath.Base(name) == driverManifest || filepath.Base(library) == driverLibrary
}

// disabledBy returns the variable of the loader by which it ignores a manifest; "" if it does not.
func disabledBy(name string) string {
	is := func(variable string) bool {
		return slices.ContainsFunc(strings.Split(os.Getenv(variable), ","), func(pattern string) bool {
			ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(filepath.Base(name)))
			return err == nil && ok
		})
	}
	switch {
	case os.Getenv("VK_LOADER_DRIVERS_SELECT") != "" && !is("VK_LOADER_DRIVERS_SELECT"):
		return "VK_LOADER_DRIVERS_SELECT"
	case is("VK_LOADER_DRIVERS_DISABLE"):
		return "VK_LOADER_DRIVERS_DISABLE"
	}
	return ""
}

// findLibrary returns the path of the driver's library: the given one, or the first one near the program.
func findLibrary(given string) (string, error) {
	near := []string{given}
	if given == "" {
		program, err := os.Executable()
		if err != nil {
			return "", unreadable("the folder of this program is unknown: %v", err)
		}
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		dir := filepath.Dir(program)
		near = []string{filepath.Join(dir, driverLibrary), filepath.Join(dir, "..", "lib", driverLibrary)}
		near = append(near, glob(filepath.Join(dir, "..", "lib"), "*/"+driverLibrary)...) // Debian has a folder for each architecture
	}
	for _, name := range near {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		name, err := filepath.Abs(name)
		if err != nil {
			return "", unreadable("%v", err)
		}
		if problem := libraryProblem(name); problem != "" {
			return "", unreadable("%s: %s", name, problem)
		}
		return name, nil
	}
	if given != "" {
		return "", unreadable("%s is no file; must be the library of the driver", given)
	}
	return "", unreadable("%s is not in the folder of this program, nor in ../lib or a folder of it; must be there, or be named", driverLibrary)
}

// libraryProblem is the reason why the loader cannot use a library; "" if there is none. The system's linker finds a library
// without a folder.
func libraryProblem(name string) string {
	if name == "" {
		return "the manifest has no library"
	}
	if !strings.Contains(name, "/") {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return "the library is missing"
	}
	if !info.Mode().IsRegular() {
		return "the library is no regular file"
	}
	f, err := elf.Open(name)
	if err != nil {
		return "the library is malformed: " + err.Error()
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil || !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == "vk_icdGetInstanceProcAddr" && s.Section != elf.SHN_UNDEF
	}) {
		return "the library is no Vulkan driver: it does not export vk_icdGetInstanceProcAddr"
	}
	return ""
}

// libraryVersion is the version that the build of a library recorded; "unknown" if there is none.
func libraryVersion(name string) string {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return "unknown"
	}
	return versionOf(info)
}
