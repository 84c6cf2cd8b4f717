// A small client of SPIRV-Tools' validator: it reads modules from its standard
// input and answers what the validator says of each. It judges nothing itself.
//
// usage: client ENV
//
// All numbers are 32 bits in the machine's order.
//   in:  words n, n words
//   out: the error or 0, length and bytes of the message, which is cut to 4096
// It ends where its input ends, with 0; with 2 where it does not know ENV or
// cannot read on.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <algorithm>
#include <vector>

#include "spirv-tools/libspirv.h"

static bool get(void *to, size_t n) { return fread(to, 1, n, stdin) == n; }

static bool put(const void *from, size_t n) { return fwrite(from, 1, n, stdout) == n; }

int main(int argc, char **argv) {
  spv_target_env env;
  if (argc != 2 || !spvParseTargetEnv(argv[1], &env)) return 2;
  spv_context context = spvContextCreate(env);
  spv_validator_options options = spvValidatorOptionsCreate();
  spvValidatorOptionsSetFriendlyNames(options, false);
  std::vector<uint32_t> words;
  for (uint32_t n; get(&n, sizeof n);) {
    words.resize(n);
    if (n > 0 && !get(words.data(), 4 * size_t(n))) return 2;
    spv_const_binary_t module{words.data(), words.size()};
    spv_diagnostic diagnostic = nullptr;
    // Errors are negative; a positive result is a warning.
    int32_t result = std::min(0, int32_t(spvValidateWithOptions(context, options, &module, &diagnostic)));
    const char *text = diagnostic && diagnostic->error ? diagnostic->error : "";
    uint32_t length = uint32_t(std::min<size_t>(strlen(text), 4096));
    bool ok = put(&result, sizeof result) && put(&length, sizeof length) && put(text, length);
    spvDiagnosticDestroy(diagnostic);
    if (!ok || fflush(stdout) != 0) return 2;
  }
  spvValidatorOptionsDestroy(options);
  spvContextDestroy(context);
  return 0;
}
