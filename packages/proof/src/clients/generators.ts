// The generators, each with the program that lists end-users by what it made.

import { oapiCodegen, ogen } from './go.ts'
import type { Generator } from './place.ts'
import { datamodelCodeGenerator, openapiPythonClient } from './python.ts'
import { heyApi, openapiTypescript } from './typescript.ts'

export const generators: readonly Generator[] = [
  openapiTypescript,
  heyApi,
  openapiPythonClient,
  datamodelCodeGenerator,
  oapiCodegen,
  ogen,
]
