/** A Firn that follows a recorded chain and tells its events, and receivers in this process. */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../../src/codec/evm/raw.ts'
import type { Contract } from '../../../src/shape/operations/contract.ts'
import { operations } from '../../../src/shape/operations/operations.ts'
import { busiestSender } from '../chains/event-truth.ts'
import { openReplayNode, type ReplayNode, serveReplayNode } from '../nodes/replay-node.ts'
import {
  freshFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  chainStatuses,
  until,
  untilLive,
} from './firn-process.ts'

export const chain = 51_002
export const chainKey = 'fuji-demo'
const path = fileURLToPath(new URL(`../../../demo/chain-${chain}.firnrec`, import.meta.url))
export const begin = 40
export const address = busiestSender(chain)
const shapes = Object.values<Contract>(operations)
/** Operations that the processes of these tests answered with success. */
export const answered = new Set<string>()

/** Notes an operation that was answered with success. */
export function noteAnswer(method: string, url: string, isSuccess: boolean): void {
  const parts = decodeURIComponent(new URL(url).pathname).split('/')
  const found = shapes.find(({ path, ...shape }) => {
    const names = path.split('/')
    const fits = names.every((name, at) => {
      const [, verb = ''] = /^\{\w+\}(.*)$/.exec(name) ?? []
      const part = parts[at] ?? ''
      if (!name.startsWith('{')) return part === name
      return verb === '' ? !part.includes(':') : part.endsWith(verb)
    })
    return shape.method === method && names.length === parts.length && fits
  })
  if (isSuccess && found !== undefined) answered.add(found.id)
}

export type Followed = {
  readonly firn: RunningFirn
  readonly node: ReplayNode
  readonly grow: (height: number) => Promise<void>
  readonly folder: string
}

export async function followed(t: TestContext, events: string, keys = false): Promise<Followed> {
  const found = await started(t, events, { keys })
  await untilLive(found.firn, [chainKey])
  return found
}

/** As {@link followed}, while it may still fill its store: `lie` is what its node says. */
export async function started(
  t: TestContext,
  events: string,
  { keys = false, lie }: { readonly keys?: boolean; readonly lie?: ReplayNode['lie'] } = {},
): Promise<Followed> {
  const node = await openReplayNode(await readFile(path))
  node.head = begin
  node.lie = lie
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `events: ${events}\nchains: [{ name: Demo, rpcUrls: ['${url}'] }]\n`)
  if (keys) await runFirn('keys', 'create', 'first', '--data-dir', folder)
  const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
  const grow = async (height: number): Promise<void> => {
    node.head = height
    await until(`indexed ${height}`, async () => {
      return ((await chainStatuses(firn)).get(chainKey)?.indexedHeight ?? -1) >= height
    })
  }
  return { firn, node, grow, folder }
}

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

export async function ask(
  firn: RunningFirn,
  method: string,
  at: string,
  more: { readonly body?: unknown; readonly key?: string } = {},
): Promise<Answer> {
  const reply = await fetch(`${firn.apiUrl}${at}`, {
    method,
    headers: {
      ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(more.key === undefined ? {} : { 'x-service-api-key': more.key }),
    },
    ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
  })
  noteAnswer(method, reply.url, reply.ok)
  return { status: reply.status, body: objectOf(await reply.json(), at) }
}

export const wanted = (url: string): Readonly<Record<string, unknown>> => ({
  eventType: 'address_activity',
  url,
  chainId: String(chain),
  metadata: { addresses: [address] },
})

export async function register(firn: RunningFirn, url: string): Promise<string> {
  const { status, body } = await ask(firn, 'POST', '/v1/webhooks', { body: wanted(url) })
  assert.equal(status, 201, JSON.stringify(body))
  return String(body['id'])
}

/** A receiver in this process; its answer depends on the path. */
export async function receiver(
  t: TestContext,
  answer: (path: string, response: ServerResponse, body: string) => void,
): Promise<{ readonly url: string; readonly port: number }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString('utf8')))
    request.on('end', () => answer(request.url ?? '', response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

/** Messages to a receiver in this process, transaction by transaction. */
export async function receivedMessages(
  t: TestContext,
): Promise<{ readonly url: string; readonly port: number; readonly all: Message[] }> {
  const all: Message[] = []
  const { url, port } = await receiver(t, (_at, response, body) => {
    const { event } = JSON.parse(body) as { readonly event: Message }
    all.push(event)
    response.writeHead(204).end()
  })
  return { url, port, all }
}

/** An event of an EVM address, as far as tests look at it. */
export type Message = {
  readonly transaction: {
    readonly txHash: string
    readonly internalTransactions?: readonly { readonly from: string; readonly value: string }[]
  }
  readonly logs?: readonly Readonly<Record<string, unknown>>[]
}
