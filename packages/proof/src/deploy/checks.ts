// Which program reads which files of deploy/, how it is asked, and a mistake that it has to find.

import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { programOf } from '../rig/databases/debian.ts'
import { filledIn } from '../rig/databases/patroni/example-files.ts'
import { freePort } from '../rig/ports.ts'
import { type Home, type ProgramStart, requireProgram, runProgram } from '../rig/programs.ts'
import { buildGoTool, dockerCompose, kubectlValidate } from './go-tools.ts'

/** @param folder a copy of deploy/ @throws Error with what the program found */
type Judge = (folder: string) => Promise<void>

export type Check = {
  name: string
  /** Below deploy/. */
  files: readonly string[]
  /** A text of a file, and its replacement in a copy that the program must refuse. */
  mistake: { file: string; text: string; instead: string }
  /** @throws MissingProgram */
  open(home: Home): Promise<Judge>
}

const run = async (file: string, args: readonly string[], more: Partial<ProgramStart> = {}): Promise<string> =>
  runProgram({ file, args, asOurselves: true, ...more })

/** The newest version whose schemas kubectl-validate carries; for another it would ask the internet. */
const kubernetesVersion = '1.30'

const kubernetes: Check = {
  name: 'kubectl-validate',
  files: ['api', 'config', 'migrate', 'network-policy', 'relay', 'secret.example'].map(
    (name) => `kubernetes/${name}.yaml`,
  ),
  mistake: { file: 'kubernetes/relay.yaml', text: 'maxReplicas:', instead: 'maxReplica:' },
  async open(home) {
    const program = await buildGoTool(home, kubectlValidate)
    // A home without a kubeconfig: the schemas are those of the program, and no cluster is asked.
    const env = { HOME: home.path, NO_COLOR: '1' }
    return async (folder) => {
      const said = await run(program, ['--version', kubernetesVersion, join(folder, 'kubernetes')], { env })
      const judged = [...said.matchAll(/([\w.-]+\.yaml)\S*\.\.\.\S*OK/g)].map(([, name]) => `kubernetes/${name}`)
      const left = kubernetes.files.filter((file) => !judged.includes(file))
      if (left.length > 0 || judged.length !== kubernetes.files.length) throw new Error(`not judged: ${left}\n${said}`)
    }
  },
}

const compose: Check = {
  name: 'docker compose config',
  files: ['compose.yml', 'example.env'],
  mistake: { file: 'compose.yml', text: 'stop_grace_period:', instead: 'stop_grace_time:' },
  async open(home) {
    const program = await buildGoTool(home, dockerCompose)
    const env = { HOME: home.path, POSTGRES_PASSWORD: 'unused' }
    return async (folder) => {
      copyFileSync(join(folder, 'example.env'), join(folder, 'causeway.env'))
      await run(program, ['-f', join(folder, 'compose.yml'), '--profile', 'sandbox', 'config', '--quiet'], { env })
    }
  },
}

const systemd: Check = {
  name: 'systemd-analyze verify',
  files: ['systemd/causeway.service'],
  mistake: { file: 'systemd/causeway.service', text: 'ProtectSystem=', instead: 'ProtectSistem=' },
  async open() {
    const program = requireProgram('systemd-analyze', 'systemd')
    return async (folder) => {
      const unit = join(folder, 'systemd/causeway.service')
      writeFileSync(unit, filledIn(readFileSync(unit, 'utf8'), { '/usr/bin/node': process.execPath }))
      const said = await run(program, ['verify', '--man=no', unit])
      // It warns of what it does not know, ends with 0, and speaks of other units as well.
      if (said.includes('causeway.service')) throw new Error(said)
    }
  },
}

const prometheusFiles = ['prometheus/alerts.yml', 'prometheus/autoscaling.yml']

const rules: Check = {
  name: 'promtool check rules',
  files: prometheusFiles,
  mistake: { file: 'prometheus/autoscaling.yml', text: 'histogram_quantile(', instead: 'histogram_quantil(' },
  async open() {
    const program = requireProgram('promtool', 'prometheus')
    return async (folder) => {
      await run(program, ['check', 'rules', '--lint-fatal', ...prometheusFiles.map((file) => join(folder, file))])
    }
  },
}

const ruleTests: Check = {
  name: 'promtool test rules',
  files: prometheusFiles,
  mistake: { file: 'prometheus/alerts.yml', text: 'causeway_database_up) == 0', instead: 'causeway_database_up) == 1' },
  async open() {
    const program = requireProgram('promtool', 'prometheus')
    return async (folder) => {
      const tests = join(folder, 'prometheus/rules.test.yml')
      copyFileSync(new URL('./rules.test.yml', import.meta.url), tests)
      await run(program, ['test', 'rules', tests], { env: { TMPDIR: folder } })
    }
  },
}

const haproxy: Check = {
  name: 'haproxy -c',
  files: ['patroni/haproxy.cfg'],
  mistake: { file: 'patroni/haproxy.cfg', text: 'timeout check', instead: 'timeout chek' },
  async open() {
    const program = requireProgram('haproxy', 'haproxy')
    return async (folder) => {
      await run(program, ['-c', '-f', join(folder, 'patroni/haproxy.cfg')])
    }
  },
}

const patroni: Check = {
  name: 'patroni --validate-config',
  files: ['patroni/patroni.yml'],
  mistake: { file: 'patroni/patroni.yml', text: '\nscope:', instead: '\nskope:' },
  async open(home) {
    const program = requireProgram('patroni', 'patroni')
    const dataFolder = home.folder('data')
    return async (folder) => {
      const file = join(folder, 'patroni/patroni.yml')
      // It connects to etcd, and takes no address with 127.0.0.1 for one that others can reach.
      await using etcd = await listen()
      const text = filledIn(readFileSync(file, 'utf8'), {
        '10.0.0.10:2379': `127.0.0.1:${etcd.port}`,
        '10.0.0.11:8008': `127.0.0.2:${await freePort()}`,
        '10.0.0.11:5432': `127.0.0.2:${await freePort()}`,
        '/var/lib/postgresql/15/causeway': dataFolder,
        '/usr/lib/postgresql/15/bin': programOf('postgres').replace(/\/postgres$/, ''),
      })
      writeFileSync(file, text)
      const said = await run(program, ['--validate-config', file])
      if (said.includes("didn't pass validation")) throw new Error(said)
    }
  },
}

/** Accepts connections and sends nothing. */
async function listen(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  }
}

export const checks: readonly Check[] = [systemd, rules, ruleTests, haproxy, patroni, compose, kubernetes]
