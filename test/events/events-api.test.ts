/**
 * The routes of webhooks by the official client, streams, and receivers that mean no
 * good.
 */

import assert from 'node:assert/strict'
import { get as httpGet } from 'node:http'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'
import { HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js'
import { decodeFunctionData, parseAbi } from 'viem'

import { createMethodNames } from '../../src/api/evm/abi/known-methods.ts'
import { objectOf } from '../../src/codec/evm/raw.ts'
import { toChecksumAddress } from '../../src/core/address.ts'
import { fromHex } from '../../src/core/bytes.ts'
import { send } from '../../src/events/sending.ts'
import { isPublicAddress, openPublicTransport } from '../../src/world/public-transport.ts'
import { openWorld, transportOver } from '../../src/world/world.ts'
import { expectedInternals } from '../conformance/evm/replay.ts'
import { activityOf } from '../support/chains/event-truth.ts'
import { runFirn, type RunningFirn, until } from '../support/processes/firn-process.ts'
import {
  address,
  answered,
  ask,
  begin,
  chain,
  followed,
  noteAnswer,
  receiver,
  register,
  receivedMessages,
  wanted,
} from '../support/processes/webhook-firn.ts'
import { type StreamEvent, streamed } from '../support/services/event-listener.ts'
import { provesOperations } from '../support/services/proven-operations.ts'
import { rawChain } from '../support/stores/demo-store.ts'

const methodNames = await createMethodNames()([])

void test('webhooks: every route of the official client, and keys see their own only', async (t) => {
  const got = new Map<string, number>()
  const texts: string[] = []
  const { url } = await receiver(t, (at, response, body) => {
    got.set(at, (got.get(at) ?? 0) + 1)
    if (at === '/kept') texts.push(JSON.parse(body).text)
    response.writeHead(204).end()
  })
  const settings = `{ webhooksPerKey: 3, privateHosts: ['127.0.0.1'] }`
  const { firn, folder, grow } = await followed(t, settings, true)
  const first = (await runFirn('keys', 'create', 'second', '--data-dir', folder)).stdout.trim()
  const second = (await runFirn('keys', 'create', 'third', '--data-dir', folder)).stdout.trim()
  const httpClient = new HTTPClient()
  httpClient.addHook('response', ({ ok }, { method, url }) => noteAnswer(method, url, ok))
  const client = new Avalanche({ apiKey: first, enableTelemetry: false, httpClient })
  const at = { serverURL: firn.apiUrl }
  const { webhooks } = client
  const created = await webhooks.create(
    {
      eventType: 'address_activity',
      url: 'https://hooks.example/firn',
      chainId: String(chain),
      metadata: { addresses: [address] },
      includeLogs: true,
    },
    at,
  )
  assert.equal(created.status, 'active')
  assert.ok(created.createdAt > 1_600_000_000_000)
  const { id } = created
  assert.deepEqual(await webhooks.get({ id }, at), created)
  const other = '0x1111111111111111111111111111111111111111'
  const change = { id, addressesChangeRequest: { addresses: [other] } }
  await webhooks.addresses.add(change, at)
  const listed = await ask(firn, 'GET', `/v1/webhooks/${id}/addresses?pageSize=1`, { key: first })
  assert.equal(listed.body['totalAddresses'], 2)
  assert.equal((listed.body['addresses'] as string[])[0]?.toLowerCase(), address.toLowerCase())
  const rest = await ask(
    firn,
    'GET',
    `/v1/webhooks/${id}/addresses?pageSize=1&pageToken=${String(listed.body['nextPageToken'])}`,
    { key: first },
  )
  assert.deepEqual(rest.body, { addresses: [other], totalAddresses: 2 })
  const removed = await webhooks.addresses.remove(change, at)
  assert.deepEqual(removed, created)
  const secret = await webhooks.getSharedSecret(at)
  assert.match(secret.secret, /^[0-9a-f]{64}$/)
  const rotated = await webhooks.generateOrRotateSharedSecret(at)
  assert.notEqual(rotated.secret, secret.secret)
  assert.deepEqual(await webhooks.getSharedSecret(at), rotated)
  const updated = await webhooks.update({ id, updateWebhookRequest: { name: 'shop' } }, at)
  assert.equal(updated.name, 'shop')
  assert.equal((await webhooks.deactivate({ id }, at)).status, 'inactive')
  const pages = []
  for await (const page of await webhooks.list({ status: 'inactive' }, at))
    pages.push(...page.result.webhooks)
  assert.deepEqual(
    pages.map((one) => one.id),
    [id],
  )
  // Nobody else sees it, and nobody without a key anything.
  assert.equal((await ask(firn, 'GET', `/v1/webhooks/${id}`, { key: second })).status, 404)
  assert.equal((await ask(firn, 'GET', `/v1/webhooks/${id}`)).status, 401)
  assert.equal((await ask(firn, 'GET', '/v1/webhooks', { key: `${second}x` })).status, 401)
  assert.equal(
    (await ask(firn, 'GET', '/v1/webhooks:getSharedSecret', { key: second })).status,
    404,
  )
  // The third takes the place of the one that is inactive.
  for (const expected of [201, 201, 201, 403]) {
    const body = wanted('https://hooks.example/more')
    assert.equal((await ask(firn, 'POST', '/v1/webhooks', { body, key: first })).status, expected)
  }
  // Nothing is sent any more once a key is revoked; other webhooks go on.
  const leaving = (await runFirn('keys', 'create', 'fourth', '--data-dir', folder)).stdout.trim()
  for (const [at, key] of [
    ['/kept', second],
    ['/revoked', leaving],
  ] as const) {
    // One of them is a chat.
    const body = at === '/kept' ? { ...wanted(url + at), format: 'slack' } : wanted(url + at)
    const made = await ask(firn, 'POST', '/v1/webhooks', { body, key })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.body['format'], at === '/kept' ? 'slack' : undefined)
  }
  const [before, end] = [begin + 15, begin + 30]
  const upTo = (height: number): number =>
    activityOf(chain, address, { from: begin + 1, until: height + 1 }).length
  assert.ok(0 < upTo(before) && upTo(before) < upTo(end))
  await grow(before)
  for (const at of ['/kept', '/revoked'])
    await until(`all to ${at}`, () => got.get(at) === upTo(before))
  const { stdout } = await runFirn('keys', 'list', '--data-dir', folder)
  const keyId = /^(\w{8}) .* fourth$/m.exec(stdout)?.[1] ?? ''
  assert.equal((await runFirn('keys', 'revoke', keyId, '--data-dir', folder)).code, 0)
  await until('revoked', async () => {
    return (await ask(firn, 'GET', '/v1/webhooks', { key: leaving })).status === 401
  })
  await grow(end)
  await until('all to /kept', () => got.get('/kept') === upTo(end))
  assert.equal(got.get('/revoked'), upTo(before))
  assert.deepEqual(
    texts.map((text) => /\ntransaction\.txHash: (0x\w+)\n/.exec(text)?.[1]),
    activityOf(chain, address, { from: begin + 1, until: end + 1 }),
  )
})

void test('webhooks: an invalid body is refused, and the error names the parameter', async (t) => {
  const { firn } = await followed(
    t,
    `{ privateHosts: ['hooks.internal'], addressesPerWebhook: 2 }\napi: { trustProxy: [loopback] }`,
  )
  const good = wanted('https://hooks.example/')
  const metadata = { addresses: [address] }
  const node = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
  for (const [body, status, words] of [
    [{ ...good, url: 'http://127.0.0.1/' }, 400, /url: address is not public/],
    [{ ...good, url: 'http://[::1]/' }, 400, /url: address is not public/],
    [{ ...good, url: 'http://[::ffff:10.0.0.1]/' }, 400, /url: address is not public/],
    [{ ...good, url: 'http://2130706433/' }, 400, /url: address is not public/],
    [{ ...good, url: 'http://localhost/' }, 400, /url: address is not public/],
    [{ ...good, url: 'http://169.254.169.254/latest/' }, 400, /url: address is not public/],
    [
      { ...good, url: 'https://hooks.example:9000/' },
      400,
      /url: port is not public.*events\.privateHosts/,
    ],
    [{ ...good, url: 'ftp://hooks.example/' }, 400, /url must be/],
    [{ ...good, url: 'https://me:secret@hooks.example/' }, 400, /url must not hold/],
    [{ ...good, url: 'no address' }, 400, /url must be/],
    [{ ...good, url: 'http://hooks.internal:9000/' }, 201, /./],
    [{ ...good, chainId: '999999' }, 404, /chain is not served/],
    [{ ...good, chainId: undefined }, 400, /chainId/],
    [{ ...good, metadata: { addresses: [] } }, 400, /metadata.addresses must hold 1 to 2/],
    [{ ...good, metadata: { addresses: ['0x12'] } }, 400, /metadata.addresses/],
    [
      { ...good, metadata: { addresses: ['1', '2', '3'].map((one) => `0x${one.repeat(40)}`) } },
      400,
      /must hold 1 to 2/,
    ],
    [{ ...good, metadata: { ...metadata, eventSignatures: ['0x1'] } }, 400, /eventSignatures/],
    [{ ...good, eventType: 'unknown' }, 400, /eventType/],
    [
      {
        eventType: 'validator_activity',
        network: 'fuji',
        metadata: { keyType: 'nodeId', keys: [node] },
      },
      404,
      /primary network is not served/,
    ],
  ] as const) {
    const reply = await ask(firn, 'POST', '/v1/webhooks', { body })
    assert.equal(reply.status, status, `${JSON.stringify(body)} ${JSON.stringify(reply.body)}`)
    assert.match(JSON.stringify(reply.body['message'] ?? ''), words, JSON.stringify(body))
  }
  assert.equal((await ask(firn, 'GET', '/v1/webhooks/none')).status, 404)
  // No key was ever made: this machine may register, another one not.
  for (const [from, status] of [
    ['127.0.0.1', 201],
    ['203.0.113.9', 401],
    ['10.0.0.9', 401],
  ] as const) {
    const reply = await fetch(`${firn.apiUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify(wanted('https://hooks.example/')),
    })
    assert.equal(reply.status, status, `${from}: ${await reply.text()}`)
  }
  const id = await register(firn, '')
  const replay = await ask(firn, 'POST', `/v1/webhooks/${id}:replay`, {
    body: { fromHeight: 10_000 },
  })
  assert.equal(replay.status, 400)
})

void test('webhooks: receivers that redirect, never end, refuse or hide cost their own messages only', async (t) => {
  const good: string[] = []
  let redirected = 0
  const { url, port } = await receiver(t, (at, response, body) => {
    if (at === '/good') {
      const event = objectOf(objectOf(JSON.parse(body), 'message')['event'], 'event')
      good.push(String(objectOf(event['transaction'], 'transaction')['txHash']))
      response.writeHead(204).end()
    } else if (at === '/redirect') response.writeHead(302, { location: `${url}/secret` }).end()
    else if (at === '/secret') redirected++
    else if (at === '/endless') {
      response.writeHead(200)
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    } else response.writeHead(500).end()
  })
  const hosts = `['127.0.0.1:${port}', 'looks-public.invalid']`
  const { firn, grow } = await followed(t, `{ privateHosts: ${hosts}, retrySeconds: ['0.05'] }`)
  const ids = new Map<string, string>()
  for (const at of ['/good', '/redirect', '/endless', '/refuse'])
    ids.set(at, await register(firn, url + at))
  ids.set('nowhere', await register(firn, 'http://looks-public.invalid/'))
  const last = begin + 30
  await grow(last)
  const expected = activityOf(chain, address, { from: begin + 1, until: last + 1 })
  assert.ok(expected.length > 6)
  await until('the good one has all', () => good.length >= expected.length)
  assert.deepEqual(good, expected)
  for (const [at, problem] of [
    ['/redirect', 'answered 302'],
    ['/endless', 'the answer is longer than 65536 bytes'],
    ['/refuse', 'answered 500'],
    ['nowhere', 'no answer'],
  ] as const) {
    const id = ids.get(at) ?? ''
    await until(`${at} is deactivated`, async () => {
      return (await ask(firn, 'GET', `/v1/webhooks/${id}`)).body['status'] === 'inactive'
    })
    const { body } = await ask(firn, 'GET', `/v1/webhooks/${id}/deadLetters?pageSize=3`)
    const next = await ask(
      firn,
      'GET',
      `/v1/webhooks/${id}/deadLetters?pageSize=3&pageToken=${String(body['nextPageToken'])}`,
    )
    const letters = [body['deadLetters'], next.body['deadLetters']].flat() as {
      readonly attempts: number
      readonly problem: string
    }[]
    assert.equal(letters.length, 5, at)
    for (const letter of letters) {
      assert.equal(letter.problem, problem)
      assert.equal(letter.attempts, 2)
    }
  }
  assert.equal(redirected, 0)
})

void test('webhooks: a name that leads to a private address is refused when it is connected to', async (t) => {
  let came = 0
  const { port } = await receiver(t, (_at, response) => {
    came++
    response.end()
  })
  const resolved: string[] = []
  const { transport: publicTransport, close } = openPublicTransport(transportOver, {
    // A name that is its owner's to point anywhere, also after it was registered.
    resolve: async (name) => {
      resolved.push(name)
      return ['127.0.0.1']
    },
    isAllowed: isPublicAddress,
    isAllowedPort: () => true,
  })
  t.after(close)
  const world = openWorld()
  t.after(world.close)
  const { transport } = world
  const message = { id: 'a', pos: 0, index: 0, body: '{}', isComputed: false }
  const sending = { message, secret: '00', attempt: 1, isReplay: false }
  const parts = { transport, publicTransport, signature: 'hex' } as const
  const { signal } = new AbortController()
  const named = { ...sending, url: `http://hooks.example:${port}/` }
  assert.equal(
    await send({ ...parts, privateHosts: [] }, named, signal),
    'the address is not public, and not in the setting events.privateHosts',
  )
  assert.deepEqual(resolved, ['hooks.example'])
  assert.equal(came, 0)
  const literal = { ...sending, url: `http://127.0.0.1:${port}/` }
  assert.equal(
    await send({ ...parts, privateHosts: [] }, literal, signal),
    'the address is not public, and not in the setting events.privateHosts',
  )
  assert.equal(came, 0)
  assert.equal(await send({ ...parts, privateHosts: ['127.0.0.1'] }, literal, signal), undefined)
  assert.equal(came, 1)
})

type Newest = {
  readonly status: Promise<number>
  readonly blocks: Readonly<Record<string, unknown>>[]
  readonly heights: number[]
  readonly end: () => void
}

/** Reads the stream of new blocks until it is ended. */
function newestBlocksOf(firn: RunningFirn): Newest {
  const over = new AbortController()
  const blocks: Newest['blocks'] = []
  const heights: number[] = []
  const opened = fetch(`${firn.apiUrl}/v1/blocks/events`, { signal: over.signal })
  const read = async (): Promise<void> => {
    const { body, status } = await opened
    if (status !== 200 || body === null) return
    let text = ''
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      const lines = (text + part).split('\n\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const news = JSON.parse(line.replace('data: ', '')) as typeof blocks
        blocks.push(...news)
        heights.push(...news.map(({ blockNumber }) => Number(blockNumber)))
      }
    }
  }
  read().catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  return { status: opened.then(({ status }) => status), blocks, heights, end: () => over.abort() }
}

void test('event streams: from any height, on after the last, as blocks come', async (t) => {
  const { firn, grow } = await followed(t, '{ listenersPerKey: 2 }')
  const id = await register(firn, '')
  const stream = `${firn.apiUrl}/v1/webhooks/${id}/events`
  const again = await ask(firn, 'POST', `/v1/webhooks/${id}:replay`, { body: { fromHeight: 0 } })
  assert.equal(again.status, 200, JSON.stringify(again.body))
  const until70 = activityOf(chain, address, { from: 0, until: 71 })
  const half = Math.floor(until70.length / 2)
  // What was before it was registered is read at once, the rest as it comes.
  const reading = streamed(`${stream}?from=0`, {}, (all) => all.length >= until70.length)
  await grow(55)
  await grow(70)
  const all = await reading
  assert.deepEqual(
    all.map(({ hash }) => hash),
    until70,
  )
  const rest = await streamed(
    stream,
    { 'last-event-id': all[half]?.id ?? '' },
    (events) => events.length >= until70.length - half - 1,
  )
  assert.deepEqual(rest, all.slice(half + 1))

  // Everybody who may read blocks receives new ones: first those there are, then what comes.
  const newest = newestBlocksOf(firn)
  await until('the newest blocks', () => newest.heights.length > 0)
  assert.deepEqual(newest.heights, [70, 69, 68, 67])

  const later = activityOf(chain, address, { from: 71, until: 91 })
  let messages: readonly StreamEvent[] = []
  const kept = streamed(`${stream}?lastEventId=${all[half]?.id ?? ''}`, {}, (events) => {
    messages = events
    return false
  })
  await until('the rest', () => messages.length >= rest.length)
  await grow(90)
  await until('news', () => messages.length >= rest.length + later.length)
  assert.deepEqual(
    messages.map(({ hash }) => hash),
    [...rest.map(({ hash }) => hash), ...later],
  )
  await until('the head among the newest blocks', () => newest.heights.includes(90))
  const newestBlock = newest.blocks.find(({ blockNumber }) => blockNumber === '90')
  const block = await firn.get(`/v1/chains/${chain}/blocks/90`)
  for (const name of ['chainId', 'blockNumber', 'blockTimestamp', 'txCount'])
    assert.deepEqual(newestBlock?.[name], block[name], name)
  // Of one address sixteen may look on; the seventeenth gets a time to come again.
  const crowd: Newest[] = []
  while (crowd.length < 15) {
    const one = newestBlocksOf(firn)
    assert.equal(await one.status, 200)
    crowd.push(one)
  }
  const refused = newestBlocksOf(firn)
  assert.equal(await refused.status, 503)
  for (const { end } of [...crowd, refused]) end()
  await until('room', async () => {
    const next = newestBlocksOf(firn)
    const status = await next.status
    next.end()
    return status === 200
  })
  newest.end()
  // A stream that is one too many, ids that are none, and pages of other sites.
  const second = new AbortController()
  const other = await fetch(stream, { signal: second.signal })
  assert.equal(other.status, 200)
  assert.equal((await fetch(stream)).status, 503)
  second.abort()
  for (const [at, status] of [
    [`${stream}?lastEventId=x`, 400],
    [`${stream}?from=-1`, 400],
    [stream.replace(id, 'none'), 404],
  ] as const)
    assert.equal((await fetch(at)).status, status, at)
  // A caller that offers another HTTP by the way is answered by this one.
  const offered = new Promise<number | undefined>((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'h2c' }
    httpGet(`${firn.apiUrl}/v1/webhooks/${id}`, { headers }, (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    }).on('error', reject)
  })
  assert.equal(await offered, 200)
  // The process ends at once: no stream holds it.
  assert.equal(await firn.end(), 0)
  assert.equal((await kept).length, messages.length)
})

const raw = rawChain(chain)
const receiptOf = new Map(
  raw.flatMap(({ receipts }) => receipts.map((one) => [one.transactionHash, one] as const)),
)

type DecodedLog = { signature: string; parameters: { value: string }[] }

void test('webhooks: logs and internal transactions are those of the raw blocks', async (t) => {
  const { url, port, all } = await receivedMessages(t)
  const { firn, grow } = await followed(t, `{ privateHosts: ['127.0.0.1:${port}'] }`)
  const more = { includeLogs: true, includeInternalTxs: true }
  const { status } = await ask(firn, 'POST', '/v1/webhooks', { body: { ...wanted(url), ...more } })
  assert.equal(status, 201)
  const last = begin + 30
  await grow(last)
  const internals = expectedInternals(chain)
  const mine = address.toLowerCase()
  const expected = new Set([
    ...activityOf(chain, address, { from: begin + 1, until: last + 1 }),
    ...internals.flatMap(({ height, from, to, txHash }) =>
      height > begin && height <= last && [from, to].includes(mine) ? [txHash] : [],
    ),
  ])
  await until('all are delivered', () => all.length >= expected.size)
  assert.deepEqual(new Set(all.map(({ transaction }) => transaction.txHash)), expected)
  let logged = 0
  let inner = 0
  let decoded = 0
  for (const { transaction, logs } of all) {
    const { txHash, internalTransactions } = transaction
    const rawLogs = receiptOf.get(txHash)?.logs ?? []
    const plain = rawLogs.map(({ address: token, topics, data, logIndex }) => ({
      address: token,
      data,
      logIndex: Number(logIndex),
      ...Object.fromEntries(topics.map((topic, at) => [`topic${at}`, topic])),
    }))
    assert.deepEqual(
      logs?.map(({ removed: _removed, transactionIndex: _index, ...log }) => log),
      plain,
    )
    const listed = await ask(firn, 'GET', `/v1/chains/${chain}/transactions/${txHash}/logs`)
    const list = listed.body['logs'] as { data: string; label?: string; decoded?: DecodedLog }[]
    assert.deepEqual(
      list.map(({ decoded: _decoded, label: _label, ...log }) => log),
      rawLogs.map(({ address: token, topics, data, logIndex }) => ({
        address: token,
        topics,
        data,
        logIndex: Number(logIndex),
      })),
    )
    for (const { data, decoded } of list)
      if (decoded?.signature === 'Transfer(address,address,uint256)' && data !== '0x')
        assert.equal(decoded.parameters[2]?.value, BigInt(data).toString())
    const frames = internals.filter((frame) => frame.txHash === txHash)
    assert.deepEqual(
      internalTransactions?.map(({ from, value }) => [from.toLowerCase(), value]),
      frames.map(({ from, value }) => [from, value]),
    )
    if (frames.length > 0) {
      const { body } = await ask(firn, 'GET', `/v1/chains/${chain}/transactions/${txHash}/calls`)
      const calls = body['calls'] as (Record<string, unknown> & { decodedInput?: DecodedLog })[]
      const compared = calls.map(({ decodedInput, fromLabel: _from, toLabel: _to, ...call }) =>
        decodedInput === undefined ? call : { ...call, ...valuesOf(decodedInput) },
      )
      assert.deepEqual({ ...body, calls: compared }, tracedCalls(txHash))
      decoded += calls.filter(({ decodedInput }) => decodedInput !== undefined).length
    }
    logged += plain.length
    inner += frames.length
  }
  const sums = `${logged} logs, ${inner} internal transactions, ${decoded} inputs`
  assert.ok(logged > 0 && inner > 0 && decoded > 0, sums)
})

/** Signature and values, without the names that an ABI has for them. */
function valuesOf({ signature, parameters }: DecodedLog) {
  return { signature, values: parameters.map(({ value }) => value) }
}

/** The same by another decoder. */
function decodedInput(signature: string, data: string) {
  const { args = [] } = decodeFunctionData({
    abi: parseAbi([`function ${signature}`] as readonly string[]),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- traces have hex
    data: data as `0x${string}`,
  })
  return { signature, values: args.map(String) }
}

/** Expected answer of the operation of calls for a transaction, from the bytes of its trace. */
function tracedCalls(hash: string): Readonly<Record<string, unknown>> {
  type Frame = Readonly<Record<'type' | 'from' | 'to' | 'value' | 'gas' | 'gasUsed', string>> & {
    readonly input?: string
    readonly error?: string
    readonly calls?: readonly Frame[]
  }
  const calls: Readonly<Record<string, unknown>>[] = []
  const visit = (frame: Frame, depth: number, above: boolean): void => {
    const isReverted = above || frame.error !== undefined
    const { input = '0x' } = frame
    const method = frame.type.startsWith('CREATE') || input.length < 10 ? '' : input.slice(0, 10)
    const name = method === '' ? undefined : methodNames(Number(method))
    calls.push({
      depth,
      callType: frame.type,
      from: toChecksumAddress(fromHex(frame.from)),
      ...(frame.to === undefined ? {} : { to: toChecksumAddress(fromHex(frame.to)) }),
      value: BigInt(frame.value ?? '0x0').toString(),
      gasLimit: BigInt(frame.gas).toString(),
      gasUsed: BigInt(frame.gasUsed).toString(),
      ...(method === '' ? {} : { methodHash: method, input }),
      ...(name === undefined ? {} : { methodName: name, ...decodedInput(name, input) }),
      ...(frame.error === undefined ? {} : { error: frame.error }),
      isReverted,
    })
    for (const call of frame.calls ?? []) visit(call, depth + 1, isReverted)
  }
  for (const { block, traces } of rawChain(chain))
    for (const [at, trace] of traces.entries())
      if (block.transactions[at]?.hash === hash)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- recorded by the callTracer
        visit(trace.result as unknown as Frame, 0, false)
  return { calls, callCount: calls.length }
}

provesOperations(
  [{ answered }],
  [
    'listWebhooks',
    'createWebhook',
    'getWebhook',
    'updateWebhook',
    'deactivateWebhook',
    'getAddressesFromWebhook',
    'addAddressesToWebhook',
    'removeAddressesFromWebhook',
    'generateOrRotateSharedSecret',
    'getSharedSecret',
    'replayWebhook',
    'listDeadLetters',
    'listTransactionCalls',
    'listTransactionLogs',
  ],
)
