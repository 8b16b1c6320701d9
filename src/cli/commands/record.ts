import { open, rename } from 'node:fs/promises'

import { Fault } from '../../core/fault.ts'
import { openNodeSource } from '../../source/evm/node-source.ts'
import { recordChain } from '../../source/recorded/record-chain.ts'
import { silentLog, type Log } from '../../telemetry/log.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/** Chains that fit one file are read in minutes; a day is for slow traces. */
const limitMs = 86_400_000

/** zstd: the best that still packs as fast as a node answers. */
const level = 12

/**
 * Writes a chain into one file: blocks, receipts, traces, and what the node says of the state
 * of every address and token seen, after the last block.
 *
 * The file appears under its name when it is whole; what an interrupted run wrote stays beside
 * it as `<name>.part`, and is a recording of the blocks it holds.
 */
export async function record(flags: Flags): Promise<void> {
  const world = openWorld()
  const { config } = loadConfig({})
  const out = String(flags['out'])
  const from = heightOf('--from', flags['from']) ?? 0
  const until = heightOf('--until', flags['until'])
  const { traces } = flags
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: [String(flags['rpc'])],
    expected: {},
    timeoutMs: config['source.timeoutMs'],
    traceTimeoutMs: config['source.traceTimeoutMs'],
    maxInFlight: config['source.maxInFlight'],
    maxReplyBytes: config['source.maxReplyBytes'],
  })
  const file = await openPart(`${out}.part`)
  try {
    const made = await recordChain({
      source,
      name: String(flags['name'] ?? 'Recorded chain'),
      symbol: String(flags['symbol'] ?? 'COIN'),
      from,
      until,
      traces: typeof traces === 'boolean' ? traces : undefined,
      level,
      write: (bytes) => file.appendFile(bytes),
      log: progressLog(),
      signal: AbortSignal.timeout(limitMs),
    })
    await file.sync()
    await rename(`${out}.part`, out)
    const traced = made.traced ? 'with traces' : 'without traces'
    console.log(`${out}: ${made.blocks} blocks ${traced}, ${made.answers} answers about state`)
    if (from > 0) console.log(`replay it with startHeight: ${from}`)
  } finally {
    await file.close()
    await source.close()
    await world.close()
  }
}

function heightOf(name: string, value: Flags[string]): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^\d{1,10}$/.test(value)) return Number(value)
  throw new Fault('bad-parameter', `${name} must be a height: ${String(value)}`)
}

async function openPart(path: string): ReturnType<typeof open> {
  try {
    return await open(path, 'w')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
}

/** Says on standard error how far it is. */
function progressLog(): Log {
  return {
    ...silentLog,
    info: (event, fields) => {
      const listed = Object.entries(fields ?? {}).map(([name, value]) => `${name} ${String(value)}`)
      process.stderr.write(`${event}: ${listed.join(', ')}\n`)
    },
  }
}
