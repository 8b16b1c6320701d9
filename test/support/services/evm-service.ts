/**
 * The EVM operations served over HTTP on a free port, from the bundled chains.
 *
 * Every 200 body is held against the shape of its operation before it is sent; one that does not
 * fit is answered with 500, which no test expects.
 */

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { Compile } from 'typebox/compile'

import { healthOperations } from '../../../src/api/evm/chains/health.ts'
import type { EvmContext } from '../../../src/api/evm/evm-context.ts'
import type { ServedChain, StateReader } from '../../../src/api/operation/chain-directory.ts'
import type { Operation } from '../../../src/api/operation/operation.ts'
import { evmOperations, metricsOperations } from '../../../src/api/operations.ts'
import { createNetworkDirectory } from '../../../src/api/primary/network/networks.ts'
import { evmDialectRules } from '../../../src/api/server/dialect.ts'
import { createFreshChains } from '../../../src/api/server/read-position.ts'
import { createServer } from '../../../src/api/server/server.ts'
import type { Clock } from '../../../src/core/world.ts'
import { AddressUnion } from '../../../src/rollup/address-union.ts'
import type { BucketHistory } from '../../../src/store/history/segment-cache.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { holdToDocument } from '../nodes/answer-book.ts'
import { usualEngine } from '../processes/test-settings.ts'
import { type DemoChain, type DemoChainId, openDemoChain } from '../stores/demo-store.ts'
import { partsOf } from './evm-context.ts'
import { type Answered, noteAnswers } from './proven-operations.ts'
import { bodies, readAll } from './read-all.ts'

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
export type Json = any

/** Answer to a caller. */
export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** A running service. */
export type EvmService = Answered & {
  readonly url: string
  readonly chains: readonly ServedChain[]
  /** Time and the chains' head as the service sees them; may be moved. */
  readonly time: { nowMs: number; head: number | undefined }
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  /** All items under `key`, page by page until no token comes. */
  readonly readAll: (path: string, key: string) => Promise<Json[]>
  readonly close: () => Promise<void>
}

/** Parts that a test may replace. */
export type ServiceOptions = {
  readonly chains?: readonly DemoChainId[]
  /** The engine its chains are read from; {@link usualEngine}. */
  readonly engine?: 'sqlite' | 'postgres'
  /** Heights at which segments of the history end. */
  readonly frozen?: readonly number[]
  /** Segments are fetched from the folder that this is given. */
  readonly bucket?: (files: string) => Promise<BucketHistory>
  readonly parts?: Partial<EvmContext>
  readonly state?: (own: StateReader) => StateReader
  readonly stateChanges?: ServedChain['stateChanges']
  /** Operations served besides. */
  readonly more?: (parts: EvmContext) => Operation[]
}

/** Starts a service that ends with the test file. */
export function evmService(options: ServiceOptions = {}): Promise<EvmService> {
  const service = startEvmService(options)
  after(async () => (await service).close())
  return service
}

/** Starts a service. */
export async function startEvmService(options: ServiceOptions): Promise<EvmService> {
  const opened: DemoChain[] = []
  for (const chainId of options.chains ?? [51002]) {
    const { engine = usualEngine, frozen, bucket } = options
    opened.push(
      await openDemoChain(chainId, {
        engine,
        ...(frozen === undefined ? {} : { frozen }),
        ...(bucket === undefined ? {} : { bucket }),
      }),
    )
  }
  const time: EvmService['time'] = { nowMs: 1_780_000_000_000, head: undefined }
  const chains = opened.map(({ served }): ServedChain => {
    const state = options.state === undefined ? served.state : options.state(served.state)
    return { ...served, state, stateChanges: options.stateChanges }
  })
  const clock: Clock = {
    now: () => time.nowMs,
    monotonic: () => time.nowMs,
    sleep: async (ms, signal) => {
      // What is answered from memory is in time.
      await setImmediate()
      signal?.throwIfAborted()
      time.nowMs += ms
    },
  }
  const parts = { ...partsOf(chains, clock), ...options.parts }
  const operations = [
    ...Object.values<Operation>(evmOperations(parts)),
    ...Object.values<Operation>(healthOperations(() => chains.map(({ store }) => store))),
    ...Object.values<Operation>(metricsOperations({ ...parts, union: new AddressUnion() })),
    ...(options.more?.(parts) ?? []),
  ]
  const dialectRules = evmDialectRules
  const server = createServer({
    operations,
    dialectRules,
    dialect: 'auto',
    refusesUnknown: true,
    freshChains: createFreshChains({
      chains: parts.chains,
      networks: createNetworkDirectory(() => []),
      headOf: () => time.head,
      networkKey: (network) => `primary-${network}`,
      clock,
      hasReplicas: false,
    }),
    log: silentLog,
    clock,
    limits: { maxConnections: 100, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
    inspect: holdAgainstShape,
  })
  holdToDocument(server, operations, dialectRules)
  const { answered } = noteAnswers(server, operations)
  const url = await server.listen('127.0.0.1', 0)
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Reply> => {
    // Compression has tests of its own (`http-cache.test.ts`) and would be most of the time here.
    const reply = await fetch(url + path, {
      headers: { 'accept-encoding': 'identity', ...headers },
    })
    return { status: reply.status, headers: reply.headers, body: await reply.json() }
  }
  return {
    url,
    answered,
    chains,
    time,
    get,
    readAll: (path, key) => readAll(bodies(get), path, key),
    close: async () => {
      await server.close()
      for (const chain of opened) await chain.close()
    },
  }
}

const checks = new Map<string, ReturnType<typeof Compile>>()

function holdAgainstShape({ contract }: Operation, body: unknown, json?: string): void {
  if (body === undefined) return
  // What was written from rows is what the view of them gives, to the byte.
  const text = JSON.stringify(body)
  if (json !== undefined) assert.equal(json, text, contract.id)
  let check = checks.get(contract.id)
  if (check === undefined) checks.set(contract.id, (check = Compile(contract.response)))
  // What is sent is JSON: a field that is undefined is absent there.
  const sent: unknown = JSON.parse(text)
  if (check.Check(sent)) return
  const [first] = check.Errors(sent)
  throw new Error(`${contract.id}: ${first?.instancePath} ${first?.message}`)
}
