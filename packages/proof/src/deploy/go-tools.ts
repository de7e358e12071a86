// Programs that Debian does not have, built from the Go module proxy at one version each. Go keeps downloads and compiled files
// in its caches: the first build takes minutes, a later one seconds.

import { join } from 'node:path'
import { ownEnvironment } from '../rig/environment.ts'
import { type Home, requireProgram, runProgram } from '../rig/programs.ts'

export type GoTool = { name: string; module: string; package: string; version: string }

export const kubectlValidate: GoTool = {
  name: 'kubectl-validate',
  module: 'sigs.k8s.io/kubectl-validate',
  package: 'sigs.k8s.io/kubectl-validate',
  version: 'v0.0.4',
}

export const dockerCompose: GoTool = {
  name: 'docker-compose',
  module: 'github.com/docker/compose/v2',
  package: 'github.com/docker/compose/v2/cmd',
  version: 'v2.40.3',
}

const buildMsMax = 20 * 60_000

/**
 * Builds a program in its own module: `go install` refuses modules that exclude versions, as Compose's does.
 * @returns its path, in the home
 * @throws MissingProgram
 */
export async function buildGoTool(home: Home, tool: GoTool): Promise<string> {
  const file = requireProgram('go', 'golang-go (1.24 or newer; older systems have it from go.dev)')
  const cwd = home.folder(tool.name)
  const start = { file, cwd, env: ownEnvironment(), asOurselves: true, timeoutMs: buildMsMax }
  const path = join(cwd, tool.name)
  await runProgram({ ...start, args: ['mod', 'init', 'tools'] })
  await runProgram({ ...start, args: ['get', `${tool.module}@${tool.version}`] })
  await runProgram({ ...start, args: ['build', '-mod=mod', '-o', path, tool.package] })
  return path
}
