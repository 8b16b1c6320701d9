/** Checks of this machine: runtime, ports, folder, disk, open files. */

import { readdirSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Transport } from '../../core/world.ts'
import { checkRecordings, makeDataFolder } from '../../service/stores/data-folder.ts'
import { openFilesLimit } from '../../service/stores/open-files.ts'
import { fine, problem, warning, type Finding } from './finding.ts'

const oldestNode = 24
const gibibyte = 1_073_741_824
/** Below this a start is refused by the next large batch. */
const leastFreeBytes = gibibyte
/** Below this an EVM chain of some size does not fit. */
const goodFreeBytes = 20 * gibibyte
/** 4,096 connections of the API, the stores and the nodes. */
const goodFiles = 8_192

/** All checks of the machine. */
export async function checkMachine(config: Config, transport: Transport): Promise<Finding[]> {
  // The version of Node.
  const version = process.versions.node
  const major = Number(version.split('.')[0])
  return [
    major >= oldestNode
      ? fine('node', `version ${version}`)
      : problem('node', `version ${version} is too old`, `install Node ${oldestNode} or newer`),
    ...checkFolder(config),
    checkOpenFiles(openFilesLimit()),
    ...checkNamedFiles(config),
    await checkPort('api.port', config['api.host'], config['api.port'], {
      transport,
      path: '/v1/health-check',
    }),
    await checkPort('node.port', config['node.host'], config['node.port'], {
      transport,
      path: '/ext/health/liveness',
    }),
  ]
}

/** Checks the limit of open files. `undefined` where the system does not report it. */
function checkOpenFiles(limit: number | undefined): Finding {
  if (limit === undefined) return fine('open files', 'this system gives no limit')
  return limit >= goodFiles
    ? fine('open files', `${limit} at most`)
    : warning('open files', `only ${limit} at most`, `raise the limit: ulimit -n ${goodFiles}`)
}

function checkFolder(config: Config): Finding[] {
  const { dataDir: path } = config
  try {
    makeDataFolder(config)
  } catch (error) {
    return [
      problem(
        'data folder',
        faultOf(error)?.message ?? 'fails',
        'set dataDir to a folder that can be written',
      ),
    ]
  }
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  const room = `${(free / gibibyte).toFixed(1)} GiB free at ${path}`
  const space =
    free < leastFreeBytes
      ? problem('disk', room, 'free some space or move dataDir')
      : free < goodFreeBytes
        ? warning('disk', room, 'a public chain needs more; move dataDir or use PostgreSQL')
        : fine('disk', room)
  return [fine('data folder', `can be written: ${path}`), space, checkSecrets(path)]
}

/** Files that hold keys; readable by their owner only. */
function checkSecrets(path: string): Finding {
  const names = ['page-token.key', 'api-keys.json', ...stakingFiles(path)]
  const open = names.filter((name) => {
    const stat = statSync(join(path, name), { throwIfNoEntry: false })
    return process.platform !== 'win32' && stat !== undefined && (stat.mode & 0o077) !== 0
  })
  return open.length === 0
    ? fine('secrets', 'readable by their owner only')
    : problem(
        'secrets',
        `others can read ${open.join(', ')}`,
        `chmod 600 ${open.map((name) => join(path, name)).join(' ')}`,
      )
}

function stakingFiles(path: string): string[] {
  const folder = join(path, 'staking')
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.key'))
    .map((name) => join('staking', name))
}

function checkNamedFiles(config: Config): Finding[] {
  try {
    checkRecordings(config)
    return []
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [problem('recordings', error.message, 'correct the path')]
  }
}

/** Checks that a port is free, or used by a Firn that runs already. */
async function checkPort(
  name: string,
  host: string,
  port: number,
  running: { readonly transport: Transport; readonly path: string },
): Promise<Finding> {
  if (port === 0 || (await isFree(host, port))) return fine(name, `${host}:${port} is free`)
  try {
    const url = `http://${host}:${port}${running.path}`
    const reply = await running.transport.request({
      url,
      method: 'GET',
      timeoutMs: 2_000,
      maxBytes: 65_536,
    })
    if (reply.status === 200) return fine(name, `${host}:${port} is answered by a Firn that runs`)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  }
  return problem(
    name,
    `${host}:${port} is taken or not allowed`,
    `stop what has it, or set ${name}`,
  )
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
