// The files under deploy/ and the Dockerfile, compared with the code: the settings, commands, roles, paths and ports
// that they name exist, the files agree with each other, and the contents of the image start under an unprivileged
// user.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual, promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { operatorCommands } from '../../cli/src/commands/operator-commands.ts'
import { settings } from '../src/platform/settings.ts'
import { request, until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { edgeServer } from './http/edge-server.ts'
import { testDatabase } from './test-database.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: manifests are read by these tests, which assert what they find
type Any = any
const yaml = (path: string): Any[] =>
  parseAllDocuments(read(path), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, [], path)
    return document.toJS()
  })

const manifests: Any[] = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap(yaml)
const ofKind = (kind: string): Any[] => manifests.filter((manifest) => manifest.kind === kind)
const workloads = [...ofKind('Deployment'), ...ofKind('Job')]
const containerOf = (workload: Any): Any => workload.spec.template.spec.containers[0]
const compose: Any = yaml('deploy/compose.yml')[0]

const knownSettings = new Set<string>(Object.values(settings).map(({ name }) => name))
const secretNames: string[] = Object.values(settings).flatMap((setting) => ('secret' in setting ? [setting.name] : []))

test('every setting that the files name is one', () => {
  const named = [
    ...Object.keys(compose.services.api.environment),
    ...[...read('deploy/example.env').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name),
    ...Object.keys(ofKind('ConfigMap')[0].data),
    ...Object.keys(ofKind('Secret')[0].stringData),
  ]
  assert.ok(named.length > 20)
  for (const name of named) assert.ok(knownSettings.has(name), name)
})

test('secrets stand in no file but as an empty place, and in no ConfigMap', () => {
  for (const name of secretNames) {
    assert.ok(!(name in ofKind('ConfigMap')[0].data), name)
    const line = new RegExp(`^${name}=(.*)$`, 'm').exec(read('deploy/example.env'))
    if (line) assert.equal(line[1], '', name)
  }
  const needed = ['DATABASE_URL', 'DEPLOYMENT_SECRET', 'ADMIN_SECRET', 'PROVIDER_API_KEY']
  for (const name of needed) assert.ok(name in ofKind('Secret')[0].stringData, name)
})

const commandOf = (words: readonly string[]): string => words.join(' ')
const isCommand = (command: string): boolean =>
  /^serve( --only (api|relay))?$/.test(command) || operatorCommands.some(({ name }) => name === command)

test('every command is one of the command line, and each role runs once', () => {
  const commands = [
    ...workloads.map((workload) => commandOf(containerOf(workload).args)),
    ...['migrate', 'api', 'relay'].map((name) => commandOf(compose.services[name].command)),
  ]
  for (const command of commands) assert.ok(isCommand(command), command)
  const roles = ['migrate', 'serve --only api', 'serve --only relay']
  assert.deepEqual(commands.toSorted(), [...roles, ...roles].toSorted())
})

test('probes ask for paths that the server has, on the port that it listens on', async () => {
  const edge = await edgeServer()
  const port = Number(ofKind('ConfigMap')[0].data.PORT)
  for (const workload of ofKind('Deployment')) {
    const container = containerOf(workload)
    assert.deepEqual(container.ports, [{ name: 'http', containerPort: port }])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port: name } = container[probe].httpGet
      assert.equal(name, 'http')
      assert.notEqual((await edge.call('GET', path)).status, 404, path)
    }
    assert.equal(container.livenessProbe.httpGet.path, '/healthz', 'a database that is away restarts nobody')
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    const annotations = workload.spec.template.metadata.annotations
    assert.equal(annotations['prometheus.io/port'], String(port))
    assert.equal((await edge.call('GET', annotations['prometheus.io/path'])).status, 200)
  }
  assert.match(read('Dockerfile'), new RegExp(`PORT=${port}\\b`))
  assert.match(read('Dockerfile'), /HEALTHCHECK[\s\S]*\/healthz/)
  await edge.stop()
})

test('selectors of services, budgets and scalers lead to pods, and configurations to where they are', () => {
  const labels = workloads.map((workload) => workload.spec.template.metadata.labels)
  const leads = (selector: Any): boolean =>
    labels.some((of) => Object.entries(selector).every(([name, value]) => of[name] === value))
  const selectors = [
    ...ofKind('Service').map((service) => service.spec.selector),
    ...ofKind('PodDisruptionBudget').map((budget) => budget.spec.selector.matchLabels),
    ...ofKind('Deployment').map((deployment) => deployment.spec.selector.matchLabels),
    ...ofKind('NetworkPolicy').map((policy) => policy.spec.podSelector.matchLabels),
  ]
  assert.ok(selectors.length >= 6)
  for (const selector of selectors) assert.ok(leads(selector), JSON.stringify(selector))
  const names = ofKind('Deployment').map(({ metadata }) => metadata.name)
  for (const { spec } of ofKind('HorizontalPodAutoscaler')) assert.ok(names.includes(spec.scaleTargetRef.name))
  for (const workload of workloads) {
    const [configMap, secret] = containerOf(workload).envFrom
    assert.equal(configMap.configMapRef.name, ofKind('ConfigMap')[0].metadata.name)
    assert.equal(secret.secretRef.name, ofKind('Secret')[0].metadata.name)
  }
})

test('each role is scaled by what it has to do, and no disruption takes its last pod', () => {
  const scalerOf = ({ metadata }: Any): Any =>
    ofKind('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === metadata.name)
  for (const deployment of ofKind('Deployment')) {
    assert.equal(deployment.spec.replicas, undefined, 'an apply would set back what the autoscaler has chosen')
    const { spec } = scalerOf(deployment)
    assert.ok(spec.minReplicas >= 2 && spec.maxReplicas > spec.minReplicas)
    const { matchLabels } = deployment.spec.selector
    const budget = ofKind('PodDisruptionBudget').find((of) =>
      isDeepStrictEqual(of.spec.selector.matchLabels, matchLabels),
    )
    assert.ok(budget.spec.maxUnavailable < spec.minReplicas)
  }
  const asked = ofKind('HorizontalPodAutoscaler').map(({ spec }) =>
    spec.metrics.map(
      ({ type, resource, pods, external }: Any) => `${type} ${resource?.name ?? (pods ?? external).metric.name}`,
    ),
  )
  assert.deepEqual(asked, [
    ['Resource cpu', 'Pods causeway_request_latency_seconds'],
    ['External causeway_deliveries_waiting'],
  ])
})

test('figures that scale are handed to Kubernetes from rules on metrics that exist', () => {
  const [{ rules, externalRules }] = yaml('deploy/prometheus/adapter.yml')
  const recorded: Any[] = yaml('deploy/prometheus/autoscaling.yml')[0].groups[0].rules
  const handed = { Pods: rules, External: externalRules }
  for (const { spec } of ofKind('HorizontalPodAutoscaler'))
    for (const { type, ...metric } of spec.metrics) {
      if (type === 'Resource') continue
      const { name } = metric[type.toLowerCase()].metric
      const rule = handed[type as keyof typeof handed].find((of: Any) => of.name.as === name)
      const series = rule.seriesQuery.replace(/\{.*$/, '')
      assert.ok(
        recorded.some(({ record }) => record === series),
        series,
      )
    }
  const metrics = read('docs/src/content/docs/reference/metrics.md')
  for (const { expr } of recorded)
    for (const [name] of expr.matchAll(/\bcauseway_\w+/g))
      assert.match(metrics, new RegExp(`^## \`${name.replace(/_bucket$/, '')}\`$`, 'm'))
})

test('each role has its walls: requests reach the API alone, and no egress leads into private networks', () => {
  const policies = ofKind('NetworkPolicy')
  for (const { metadata, spec } of workloads.map((workload) => workload.spec.template)) {
    const own = policies.filter((policy) =>
      Object.entries(policy.spec.podSelector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
    )
    assert.ok(own.some((policy) => isDeepStrictEqual(policy.spec.policyTypes, ['Ingress', 'Egress'])))
    const [{ args }] = spec.containers
    const fromAnywhere = own.flatMap((policy) => policy.spec.ingress ?? []).filter(({ from }) => !from)
    assert.equal(fromAnywhere.length, args.includes('api') ? 1 : 0, args.join(' '))
    const toInternet = own
      .flatMap((policy) => policy.spec.egress ?? [])
      .flatMap(({ to }) => to)
      .filter(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0')
    assert.equal(toInternet.length, args.includes('migrate') ? 0 : 1, args.join(' '))
    const privateNetworks = ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']
    for (const { ipBlock } of toInternet)
      for (const network of privateNetworks) assert.ok(ipBlock.except.includes(network), network)
  }
})

test('nobody runs as root or may become it, and nothing of the image is written', () => {
  for (const workload of workloads) {
    const { securityContext } = workload.spec.template.spec
    assert.equal(securityContext.runAsNonRoot, true)
    const own = containerOf(workload).securityContext
    assert.deepEqual([own.allowPrivilegeEscalation, own.readOnlyRootFilesystem], [false, true])
    assert.deepEqual(own.capabilities, { drop: ['ALL'] })
  }
  for (const name of ['migrate', 'api', 'relay']) assert.equal(compose.services[name].read_only, true)
  assert.match(read('Dockerfile'), /^USER 1000:1000$/m)
})

test('whoever ends a process waits for as long as its stop may take', () => {
  const { data } = ofKind('ConfigMap')[0]
  const marginMs = 5 * 3_000
  const stopMs = Number(data.SHUTDOWN_DELAY_MS) + 2 * Number(data.SHUTDOWN_GRACE_MS) + marginMs
  for (const deployment of ofKind('Deployment'))
    assert.ok(deployment.spec.template.spec.terminationGracePeriodSeconds * 1_000 >= stopMs)
  const composeMs =
    Number(compose.services.api.environment.SHUTDOWN_DELAY_MS) + 2 * Number(settings.shutdownGraceMs.fallback)
  assert.ok(Number.parseInt(compose.services.api.stop_grace_period, 10) * 1_000 >= composeMs + marginMs)
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/causeway.service'))?.[1]
  assert.ok(Number(seconds) * 1_000 >= 2 * Number(settings.shutdownGraceMs.fallback) + marginMs)
})

test('systemd finds no fault in the unit', async (context) => {
  if (!existsSync('/usr/bin/systemd-analyze')) return context.skip('systemd-analyze is not here')
  const folder = await mkdtemp(join(tmpdir(), 'causeway-unit-'))
  const unit = read('deploy/systemd/causeway.service')
  assert.match(unit, /^ExecStart=\/usr\/bin\/node packages\/cli\/bin\/causeway\.js serve$/m)
  await writeFile(join(folder, 'causeway.service'), unit.replace('/usr/bin/node', process.execPath))
  const { stderr } = await run('systemd-analyze', ['verify', '--man=no', join(folder, 'causeway.service')]).finally(
    () => rm(folder, { recursive: true }),
  )
  assert.equal(
    stderr
      .split('\n')
      .filter((line) => line.includes('causeway.service'))
      .join('\n'),
    '',
  )
})

/** Files copied by the last stage of the Dockerfile: from the checkout after the build, into its working directory. */
function copies(): { source: string; target: string }[] {
  const last =
    read('Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  return [...last.matchAll(/^COPY --from=build \/app\/(\S+) (\S+)$/gm)].map(([, source = '', target = '']) => ({
    source,
    target,
  }))
}

/** Lays out what the image holds, with one page in place of each site: their builds take longer than the rest of this test. */
async function layOutImage(folder: string): Promise<void> {
  for (const { source, target } of copies()) {
    const place = join(folder, target)
    if (source === 'packages/cli/dist')
      await run(process.execPath, [join(root, 'packages/cli/scripts/build.js'), place])
    else if (source.endsWith('/dist')) {
      mkdirSync(place, { recursive: true })
      await writeFile(join(place, 'index.html'), `<!doctype html><title>${source}</title>`)
      await writeFile(join(place, 'script-hashes.json'), '[]')
    } else cpSync(join(root, source), place, { recursive: true })
  }
}

test('what the image is made of starts, serves and stops under a user that may write nothing there', async () => {
  const image = await mkdtemp(join(tmpdir(), 'causeway-image-'))
  const database = await testDatabase()
  const link = await databaseLink(database.connection)
  try {
    await layOutImage(image)
    const program = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '')[1]
    assert.ok(existsSync(join(image, compose.services.sandbox.entrypoint[1])))
    await run('chmod', ['-R', 'a+rX', image])
    const isRoot = process.getuid?.() === 0
    const { username, password, host, port, database: name } = link.connection
    const env = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      NODE_DISABLE_COMPILE_CACHE: '1', // the cache would be in /tmp, as that user's
      DATABASE_URL: `postgres://${username}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
      DEPLOYMENT_SECRET: 'a deployment secret of some length',
      ADMIN_SECRET: 'an operator secret of some length',
      PROVIDER_API_KEY: 'none',
      PROVIDER_URL: 'http://127.0.0.1:1/v0',
      PORT: '0',
    }
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: image,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    try {
      const url = await until('the start', () => {
        assert.equal(child.exitCode, null, said)
        return /listens on (http\S+)/.exec(said)?.[1]
      })
      assert.equal((await request('GET', `${url}/readyz`)).status, 200)
      assert.equal((await request('GET', `${url}/v0/openapi.json`)).status, 200)
      for (const [path, site] of [
        ['/docs/', 'docs/dist'],
        ['/console', 'packages/console/dist'],
        [`/onboard/onboarding_link_${'0'.repeat(26)}`, 'packages/onboarding/dist'],
      ]) {
        const page = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
        assert.match(await page.text(), new RegExp(`<title>${site}<`), path)
      }
      child.kill('SIGTERM')
      assert.equal(await ended, 0, said)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  } finally {
    await rm(image, { recursive: true, force: true })
    await link[Symbol.asyncDispose]()
    await database.drop()
  }
})
