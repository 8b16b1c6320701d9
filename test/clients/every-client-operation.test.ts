/**
 * Every operation of the official clients against a process that serves the demo network: each is
 * answered, in a form that the client's own schemas accept and with something in it, or stands on
 * the short list of what is deliberately not offered.
 *
 * The operations are the files of the packages, so that a client with more of them fails here.
 *
 * Version 0.3.14 of chainkit is not in the registry. It changed the models of a few operations and added
 * one: 0.3.13 asks for all of the others under its name, and the bodies of the changed ones are held
 * against schemas of our own.
 */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { AvaCloudSDKCore } from '@avalabs/avacloud-sdk/core.js'
import { AvalancheCore } from '@avalanche-sdk/chainkit/core.js'
import { type Fetcher, HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js'

import {
  heliconAgent,
  type HeliconName,
  holdAgainstHelicon,
} from '../support/chains/helicon-shapes.ts'
import {
  indexedFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import {
  clientRequests,
  deliberatelyAbsent,
  emptyInDemo,
  needsMore,
  type Seen,
} from '../support/services/client-requests.ts'
import type { Json } from '../support/services/evm-service.ts'
import { serveSignatures, type SignatureService } from '../support/services/signature-service.ts'

/** Files of the packages that ask no server. */
const local = new Set(['validateWebhook'])

const chainkitFolder = '../../node_modules/@avalanche-sdk/chainkit/dist/esm/funcs/'

/** Bodies that were answered to version 0.3.14, by the names of its schemas. */
const heliconBodies: { readonly name: HeliconName; readonly body: unknown }[] = []

const clients = {
  chainkit: {
    folder: chainkitFolder,
    open: (apiKey: string) => new AvalancheCore({ apiKey, enableTelemetry: false }),
    count: 101,
  },
  'chainkit 0.3.14': {
    folder: chainkitFolder,
    open: (apiKey: string) =>
      new AvalancheCore({
        apiKey,
        enableTelemetry: false,
        userAgent: heliconAgent,
        httpClient: new HTTPClient({ fetcher: keepingBodies }),
      }),
    count: 101,
  },
  avacloud: {
    folder: '../../node_modules/@avalabs/avacloud-sdk/funcs/',
    open: (apiKey: string) => new AvaCloudSDKCore({ apiKey, serverURL: 'http://127.0.0.1' }),
    count: 97,
  },
} as const

/** Paths whose models 0.3.14 changed, and the schema of each. */
const heliconPaths: readonly (readonly [RegExp, HeliconName])[] = [
  [/\/validators(\/NodeID-\w+)?$/, 'validators'],
  [/\/rewards$/, 'historicalRewards'],
  [/\/rewards:listPending$/, 'pendingRewards'],
  [/\/p-chain\/transactions(:listStaking)?$/, 'transactions'],
  [/\/p-chain\/balances$/, 'balances'],
  [/\/cycles$/, 'cycles'],
]

/** Asks, and keeps what is answered where 0.3.14 has another model than the client that runs. */
const keepingBodies: Fetcher = async (input, init) => {
  const reply = await (init === undefined ? fetch(input) : fetch(input, init))
  const { pathname } = new URL(reply.url)
  const known = heliconPaths.find(([path]) => path.test(pathname) && /\/networks\//.test(pathname))
  if (known !== undefined && reply.ok)
    heliconBodies.push({ name: known[1], body: await reply.clone().json() })
  return reply
}

/** Names of all operations of a client: it has a file for each. */
function operationsOf(folder: string): string[] {
  return readdirSync(fileURLToPath(new URL(folder, import.meta.url)))
    .flatMap((name) => /^(\w+)\.js$/.exec(name)?.[1] ?? [])
    .filter((name) => !local.has(name))
}

/**
 * Returns whether an answer shows anything: the list of an operation that answers one has an item.
 */
function showsSomething(operation: string, answer: Json): boolean {
  if (!/List|Metrics/.test(operation) || /Get/.test(operation)) return true
  if (emptyInDemo.includes(operation)) return true
  const { result = answer } = answer
  const lists = Object.values(result).filter((value) => Array.isArray(value))
  return lists.length === 0 || lists.some((list) => list.length > 0)
}

type Served = {
  readonly firn: RunningFirn
  readonly key: string
  readonly signatures: SignatureService
}

async function serve(t: TestContext): Promise<Served> {
  const folder = await indexedFolder(t)
  const key = (await runFirn('keys', 'create', 'mine', '--data-dir', folder)).stdout.trim()
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(firn)
  const signatures = await serveSignatures()
  t.after(signatures.close)
  return { firn, key, signatures }
}

void test('clients: every operation is answered, or deliberately absent', async (t) => {
  const { firn, key, signatures } = await serve(t)
  const requests = await clientRequests(firn, signatures)
  for (const [name, { folder, open, count }] of Object.entries(clients)) {
    await t.test(name, async () => {
      const operations = operationsOf(folder)
      assert.equal(operations.length, count)
      const unknown = operations.filter((operation) => !requests.has(operation))
      assert.deepEqual(unknown, [], 'operations this test does not ask for')
      const client = open(key)
      const seen = new Map<string, Json>([['client', name]])
      const problems: string[] = []
      for (const [operation, request] of requests) {
        if (!operations.includes(operation)) continue
        const path = new URL(`${folder}${operation}.js`, import.meta.url).href
        const ask: Json = Object.values(await import(path)).find(
          (value) => typeof value === 'function' && value.name === operation,
        )
        const serverURL = operation.includes('SignatureAggregator') ? signatures.url : firn.apiUrl
        const options = { serverURL, retries: { strategy: 'none' } }
        const problem = await problemOf(ask, { client, options, seen, operation, request })
        if (problem !== undefined) problems.push(`${operation}: ${problem}`)
      }
      assert.deepEqual(problems, [])
    })
  }
  await t.test('chainkit 0.3.14: changed models, and the cycles of a validator', async () => {
    const { validators } = (await firn.get('/v1/networks/fuji/validators')) as Json
    const url = `${firn.apiUrl}/v1/networks/fuji/validators/${validators[0].nodeId}/cycles`
    const reply = await keepingBodies(url, { headers: { 'user-agent': heliconAgent } })
    assert.equal(reply.status, 200)
    for (const { name, body } of heliconBodies) holdAgainstHelicon(name, body)
    const checked = new Set(heliconBodies.map(({ name }) => name))
    assert.deepEqual([...checked].toSorted(), heliconPaths.map(([, name]) => name).toSorted())
  })
})

type ClientCall = {
  readonly client: unknown
  readonly options: object
  readonly seen: Map<string, Json>
  readonly operation: string
  readonly request: (seen: Seen) => Json
}

/** Returns the mistake in the answer to one operation; `undefined` when there is none. */
async function problemOf(
  ask: Json,
  { client, options, seen, operation, request }: ClientCall,
): Promise<string | undefined> {
  let parameters: Json
  try {
    parameters = request(seen)
  } catch {
    return 'what it asks for was not answered'
  }
  const answer: Json = await (parameters === undefined
    ? ask(client, options)
    : ask(client, parameters, options))
  const isAbsent = deliberatelyAbsent.includes(operation)
  if (!answer.ok) {
    const { error } = answer
    const words = `${error.name} ${error.statusCode ?? ''} ${error.message}`.slice(0, 300)
    const why = isAbsent ? /not offered/ : needsMore.get(operation)
    return why !== undefined && error.statusCode === 404 && why.test(error.message)
      ? undefined
      : words
  }
  if (isAbsent) return 'is answered, though it stands on the list of what is absent'
  seen.set(operation, answer.value)
  return showsSomething(operation, answer.value) ? undefined : 'shows nothing'
}
