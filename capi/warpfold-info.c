/* warpfold-info: prints the page of wf_info. */
#include <stdio.h>
#include <stdlib.h>

#include "warpfold.h"

int main(void) {
  int64_t size = 0;
  int32_t code = wf_info(NULL, 0, &size);
  char* text = malloc((size_t)size + 1);
  if (code == WF_OK && text && wf_info(text, size + 1, &size) == WF_OK) return fputs(text, stdout) < 0;
  fputs("warpfold-info: there is not enough memory\n", stderr);
  return 1;
}
