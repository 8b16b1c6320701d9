/**
 * Webhooks and event streams against a real receiver, with kill -9 of either side: nothing is
 * lost, nothing is out of order, and what comes twice says so.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { activityOf, expectedSignature, sendersOf } from '../support/chains/event-truth.ts'
import { openReplayNode, type ReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  freshFolder,
  type RunningFirn,
  startFirn,
  chainStatuses,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { ListeningProcess } from '../support/processes/listening-process.ts'
import { streamed } from '../support/services/event-listener.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const chain = 51_002
const key = 'fuji-demo'
const path = fileURLToPath(new URL(`../../demo/chain-${chain}.firnrec`, import.meta.url))
const receiverPath = fileURLToPath(
  new URL('../support/services/events-receiver.ts', import.meta.url),
)
const begin = 40
/** One webhook watches the first of them, another one all of them. */
const subjects = sendersOf(chain).slice(0, 6)
const [address = ''] = subjects

type Received = {
  readonly id: string
  readonly hash: string
  readonly attempt: number
  readonly source: string
  readonly isReplay: boolean
  readonly signature: string
  readonly body: string
}

/** A receiver that can be killed and started again on its port. */
class Receiver {
  readonly file: string
  #child: ChildProcess | undefined
  port = 0

  constructor(t: TestContext, file: string) {
    this.file = file
    t.after(() => this.kill())
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [receiverPath, String(this.port), this.file])
    this.#child = child
    const [line] = await once(child.stdout, 'data')
    this.port = Number(String(line))
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  all(): Received[] {
    if (!existsSync(this.file)) return []
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => {
      const { headers, body } = objectOf(JSON.parse(line), 'line')
      const said = objectOf(headers, 'headers')
      const message = objectOf(JSON.parse(String(body)), 'body')
      const event = objectOf(message['event'], 'event')
      return {
        id: String(message['messageId']),
        hash: String(objectOf(event['transaction'], 'transaction')['txHash']),
        attempt: Number(said['x-firn-attempt']),
        source: String(said['x-firn-source']),
        isReplay: said['x-firn-replay'] === 'true',
        signature: String(said['x-signature']),
        body: String(body),
      }
    })
  }

  hold(isHeld: boolean): void {
    if (isHeld) writeFileSync(`${this.file}.hold`, '')
    else rmSync(`${this.file}.hold`)
  }

  refuse(isRefusing: boolean): void {
    if (isRefusing) writeFileSync(`${this.file}.refuse`, '')
    else rmSync(`${this.file}.refuse`)
  }
}

type Scene = {
  readonly node: ReplayNode
  /** Starts a process, on its own folder where one is named. */
  readonly start: (dataDir?: string) => Promise<RunningFirn>
  readonly receiver: Receiver
}

/** A chain that has grown to {@link begin} blocks, and a Firn that follows it. */
async function scene(t: TestContext, settings: string, store?: string): Promise<Scene> {
  const node = await openReplayNode(await readFile(path))
  node.head = begin
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const place = store === undefined ? '' : `store: '${store}'\n`
  await writeFile(
    config,
    `${place}events: ${settings}\nchains: [{ name: Demo, rpcUrls: ['${url}'] }]\n`,
  )
  const receiver = new Receiver(t, join(folder, 'received.txt'))
  return {
    node,
    receiver,
    start: async (dataDir = folder) => {
      const firn = await startFirn(t, ['--config', config, '--data-dir', dataDir])
      await until('served', async () => (await chainStatuses(firn)).get(key) !== undefined)
      return firn
    },
  }
}

async function send(
  firn: RunningFirn,
  method: string,
  at: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const reply = await fetch(`${firn.apiUrl}${at}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: objectOf(await reply.json(), at) }
}

async function register(firn: RunningFirn, url: string, more: object = {}): Promise<string> {
  const { status, body } = await send(firn, 'POST', '/v1/webhooks', {
    eventType: 'address_activity',
    url,
    chainId: String(chain),
    metadata: { addresses: [address] },
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return String(body['id'])
}

const allowed = `{ privateHosts: ['127.0.0.1'], retrySeconds: ['0.2', '0.2', '0.2', '0.5', '1', '1', '1', '2', '2', '5'] }`

async function killsOfEitherSide(t: TestContext, store?: string): Promise<void> {
  const { node, start, receiver } = await scene(t, allowed, store)
  const last = node.recording.heights.until - 1
  const expected = activityOf(chain, address, { from: begin + 1, until: last + 1 })
  assert.ok(expected.length >= 20, `transactions: ${expected.length}`)
  await receiver.start()
  let firn = await start()
  await untilLive(firn, [key])
  const id = await register(firn, receiver.url)
  // Whoever listens by a stream is there all the time, and dies, too.
  const watched = await register(firn, receiver.url, {
    url: undefined,
    metadata: { addresses: subjects },
  })
  const listeners = ['one', 'other'].map(
    (name) => new ListeningProcess(t, `${receiver.file}.${name}`),
  )
  const listen = (): Promise<unknown> =>
    Promise.all(listeners.map((one) => one.start(firn.apiUrl, watched, begin + 1)))
  await listen()
  const grow = async (part: number): Promise<void> => {
    node.head = Math.min(last, begin + Math.ceil(((last - begin) * part) / 4))
    await until(`indexed ${node.head}`, async () => {
      return ((await chainStatuses(firn)).get(key)?.indexedHeight ?? -1) >= node.head
    })
  }
  const received = (): string[] => [
    ...new Map(receiver.all().map((one) => [one.id, one.hash])).values(),
  ]
  const upTo = (height: number): string[] =>
    activityOf(chain, address, { from: begin + 1, until: height + 1 })

  await grow(1)
  await until('first quarter', () => received().length >= upTo(node.head).length)
  assert.deepEqual(received(), upTo(node.head))

  // The receiver has taken a message and dies before it answers.
  receiver.hold(true)
  const before = receiver.all().length
  await grow(2)
  await until('a message that is held', () => receiver.all().length > before)
  await Promise.all([receiver, ...listeners].map((one) => one.kill()))
  receiver.hold(false)
  await receiver.start()
  await listen()
  await until('second quarter', () => received().length >= upTo(node.head).length)

  // We die while a message is under way.
  receiver.hold(true)
  const then = receiver.all().length
  await grow(3)
  await until('another that is held', () => receiver.all().length > then)
  await firn.end('SIGKILL')
  receiver.hold(false)
  await Promise.all(listeners.map((one) => one.ended()))
  firn = await start()
  await listen()
  // Nobody is there while blocks come.
  await receiver.kill()
  await grow(4)
  await receiver.start()
  await until('all', () => received().length >= expected.length)
  assert.deepEqual(received(), expected)
  for (const listener of listeners) await heardAll(listener, last + 1)

  const seen = new Set<string>()
  let repeated = 0
  for (const { id: message, attempt, source } of receiver.all()) {
    if (seen.has(message)) repeated++
    if (seen.has(message)) assert.ok(attempt > 1, `${message} came again as attempt ${attempt}`)
    seen.add(message)
    assert.equal(source, 'outbox')
  }
  assert.ok(repeated >= 2, `came twice: ${repeated}`)
  const secret = String((await firn.get('/v1/webhooks:getSharedSecret'))['secret'])
  for (const { body, signature } of receiver.all())
    assert.equal(signature, expectedSignature(body, secret))

  // The same again from before it was registered: what the outbox never had is computed.
  const count = receiver.all().length
  const all = activityOf(chain, address, { from: 0, until: last + 1 })
  assert.ok(all.length > expected.length)
  const replay = await send(firn, 'POST', `/v1/webhooks/${id}:replay`, { fromHeight: 0 })
  assert.equal(replay.status, 200, JSON.stringify(replay.body))
  await until('replay', () => receiver.all().length >= count + all.length)
  const again = receiver.all().slice(count)
  assert.deepEqual(
    again.map(({ hash }) => hash),
    all,
  )
  const known = new Map(receiver.all().map((one) => [one.hash, one.id]))
  for (const { hash, id: message, source, isReplay } of again) {
    assert.equal(source, expected.includes(hash) ? 'outbox' : 'history')
    assert.equal(known.get(hash), message)
    assert.equal(isReplay, true)
  }
  assert.equal(await firn.end(), 0)
}

/**
 * Whoever listened heard everything once: of each subject all of it in the order of the chain, and
 * nothing else.
 */
async function heardAll(listener: ListeningProcess, end: number): Promise<void> {
  const range = { from: begin + 1, until: end }
  const bySubject = subjects.map((subject) => activityOf(chain, subject, range))
  const all = new Set(bySubject.flat())
  await until(`${all.size} by ${listener.file}`, () => listener.hashes().length >= all.size)
  const hashes = listener.hashes()
  assert.equal(hashes.length, all.size)
  for (const expected of bySubject) {
    const own = new Set(expected)
    assert.deepEqual(
      hashes.filter((hash) => own.has(hash)),
      expected,
    )
  }
}

void test('webhooks and streams: of two processes the other goes on where one is killed', async (t) => {
  const { node, start, receiver } = await scene(t, allowed, await newDatabase())
  const last = node.recording.heights.until - 1
  await receiver.start()
  const first = await start()
  await untilLive(first, [key])
  const id = await register(first, receiver.url)
  const second = await start(await freshFolder(t))
  const upTo = (height: number): string[] =>
    activityOf(chain, address, { from: begin + 1, until: height + 1 })
  const received = (): string[] => [
    ...new Map(receiver.all().map((one) => [one.id, one.hash])).values(),
  ]
  node.head = begin + Math.ceil((last - begin) / 3)
  await until('the first part', () => received().length >= upTo(node.head).length)
  assert.deepEqual(received(), upTo(node.head))
  const stream = `/v1/webhooks/${id}/events`
  const heard = await streamed(`${first.apiUrl}${stream}?from=${begin + 1}`, {}, (events) => {
    return events.length >= upTo(node.head).length
  })
  const listening = streamed(`${first.apiUrl}${stream}`, {}, () => false).catch(() => 'broken')

  // One of them has sent a message whose answer does not come.
  receiver.hold(true)
  const before = receiver.all().length
  node.head = last
  await until('a message that is held', () => receiver.all().length > before)
  await first.end('SIGKILL')
  receiver.hold(false)
  await until('all', () => received().length >= upTo(last).length)
  assert.deepEqual(received(), upTo(last))
  // Who listened at the one that is gone goes on at the other, after what was heard last.
  assert.equal(await listening, 'broken')
  const lastHeard = { 'last-event-id': heard.at(-1)?.id ?? '' }
  const rest = await streamed(`${second.apiUrl}${stream}`, lastHeard, (events) => {
    return heard.length + events.length >= upTo(last).length
  })
  assert.deepEqual(
    [...heard, ...rest].map(({ hash }) => hash),
    upTo(last),
  )
  const held = receiver.all()[before]
  const again = receiver.all().filter(({ id }) => id === held?.id)
  assert.deepEqual(
    again.map(({ attempt }) => attempt),
    [1, 2],
  )
  assert.equal(await second.end(), 0)
})

void test('webhooks and streams: nothing is lost or out of order when either side is killed (sqlite)', (t) =>
  killsOfEitherSide(t))

void test('webhooks and streams: nothing is lost or out of order when either side is killed (postgres)', async (t) =>
  killsOfEitherSide(t, await newDatabase()))
