/** Commands that the node listener of a running Firn answers. */

import { Fault } from '../../core/fault.ts'
import { membersOf } from '../../core/json.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'

/** Names a chain (`--chain`) or an endpoint of the node listener (`--endpoint`). */
export async function addAlias(alias: string, flags: Flags): Promise<void> {
  const { chain, endpoint } = flags
  if (typeof chain === 'string' && endpoint === undefined) {
    await callNode(flags, 'admin.aliasChain', { chain, alias })
    console.log(`${alias} is chain ${chain}`)
  } else if (typeof endpoint === 'string' && chain === undefined) {
    await callNode(flags, 'admin.alias', { endpoint, alias })
    console.log(`/ext/${alias} is /ext/${endpoint}`)
  } else {
    throw new Fault('bad-parameter', 'give one of --chain and --endpoint')
  }
}

/** Removes an alias of either kind. */
export async function removeAlias(alias: string, flags: Flags): Promise<void> {
  await callNode(flags, 'firn.removeAlias', { alias })
  console.log(`${alias} is removed`)
}

/** Prints all aliases an operator gave, in order of creation. */
export async function listAliases(flags: Flags): Promise<void> {
  const { chains, routes } = await callNode(flags, 'firn.listAliases')
  const lines = [
    ...listOf(chains).map(({ alias, target }) => `chain     ${alias} → ${target}`),
    ...listOf(routes).map(({ alias, target }) => `endpoint  /ext/${alias} → /ext/${target}`),
  ]
  console.log(lines.length === 0 ? 'no aliases' : lines.join('\n'))
}

function listOf(value: unknown): { alias: string; target: string }[] {
  if (!Array.isArray(value)) return []
  return value.map((entry) => {
    const { alias, target } = membersOf(entry)
    return { alias: String(alias), target: String(target) }
  })
}

/** Sets levels of a logger, or of all without a name; without levels prints them. */
export async function logLevel(logger: string | undefined, flags: Flags): Promise<void> {
  const named = logger === undefined ? {} : { loggerName: logger }
  const { level, display } = flags
  const change = {
    ...(typeof level === 'string' ? { logLevel: level } : {}),
    ...(typeof display === 'string' ? { displayLevel: display } : {}),
  }
  if (Object.keys(change).length > 0) {
    await callNode(flags, 'admin.setLoggerLevel', { ...named, ...change })
  }
  const { loggerLevels } = await callNode(flags, 'admin.getLoggerLevel', named)
  for (const [name, levels] of Object.entries(membersOf(loggerLevels))) {
    const both = membersOf(levels)
    console.log(`${name.padEnd(16)} file ${both['logLevel']}, display ${both['displayLevel']}`)
  }
}

/** Profiles a running Firn: `cpu` for `--seconds`, `heap` or `lock` as they are now. */
export async function profile(kind: string, flags: Flags): Promise<void> {
  switch (kind) {
    case 'cpu':
      await profileCpu(flags)
      break
    case 'heap':
      await callNode(flags, 'admin.memoryProfile')
      break
    case 'lock':
      await callNode(flags, 'admin.lockProfile')
      break
    default:
      throw new Fault('bad-parameter', `profile must be cpu, heap or lock: ${kind}`)
  }
  const file = kind === 'heap' ? 'mem' : kind
  console.log(`${file}.profile is written in the profile folder of that process (node.profileDir)`)
  console.log(`look at it with: go tool pprof -top ${file}.profile`)
}

async function profileCpu(flags: Flags): Promise<void> {
  const seconds = Number(flags['seconds'] ?? 10)
  if (!(seconds > 0 && seconds <= 1_800)) {
    throw new Fault('bad-parameter', `seconds must be above 0, at most 1800: ${seconds}`)
  }
  await callNode(flags, 'admin.startCPUProfiler')
  console.log(`profiling for ${seconds} s`)
  await openWorld().clock.sleep(seconds * 1_000)
  await callNode(flags, 'admin.stopCPUProfiler')
}

// A load of plugins may probe many, each with a limit of five seconds.
const timeoutMs = 120_000

/**
 * Result of a method, for instance `admin.aliasChain`. Throws `node-answer` with the RPC's own
 * words, `node-refused` where administration is not enabled, `node-unreachable`.
 */
async function callNode(
  flags: Flags,
  method: string,
  params: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${await addressIn(flags, 'nodeUrl')}/ext/admin`
  await using world = openWorld()
  const reply = await callFirn(world.transport, {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    timeoutMs,
    maxBytes: 4_194_304,
  })
  const text = new TextDecoder().decode(reply.body)
  if (reply.status === 404) {
    const hint = 'administration is not enabled there; start with --api-admin-enabled=true'
    throw new Fault('node-refused', `${hint}: ${url}`)
  }
  if (reply.status !== 200) throw new Fault('node-answer', `${url} answered ${reply.status}`)
  const answer = membersOf(JSON.parse(text))
  const error = membersOf(answer['error'])
  if (typeof error['message'] === 'string') throw new Fault('node-answer', error['message'])
  if (answer['result'] === undefined) throw new Fault('node-answer', `${url} gave no result`)
  return membersOf(answer['result'])
}
