/** A running Firn that is killed, shared, or left by its node, its database or its other half. */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { silentRelay } from '../support/nodes/silent-relay.ts'
import {
  freshFolder,
  indexedFolder,
  runFirn,
  startFirn,
  chainStatuses,
  until,
  untilAllServed,
  untilLive,
  type RunningFirn,
} from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const demoFile = (name: string): string =>
  fileURLToPath(new URL(`../../demo/${name}.firnrec`, import.meta.url))

/** Answers about the demo network: lists of every kind, without the words of the moment. */
async function demoAnswers(firn: RunningFirn): Promise<Record<string, unknown>> {
  const page = await firn.get('/v1/chains/51001/transactions?pageSize=100')
  const [first] = Array.isArray(page['transactions']) ? page['transactions'] : []
  const from = objectOf(objectOf(first, 'transaction')['from'], 'from')['address']
  const address = `/v1/chains/51001/addresses/${String(from)}`
  const paths = [
    '/v1/chains/51001/blocks?pageSize=100',
    '/v1/chains/51001/blocks/5/transactions?pageSize=100',
    '/v1/chains/51002/transactions?pageSize=100',
    `${address}/transactions?pageSize=50`,
    `${address}/transactions:listErc20?pageSize=100`,
    `${address}/transactions:listInternals?pageSize=100`,
    `${address}/balances:listErc20?pageSize=100`,
    '/v2/chains/51001/metrics/txCount?timeInterval=day&pageSize=100',
    '/v1/icm/messages?pageSize=50',
    '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100',
    '/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=100',
    '/v1/networks/fuji/validators?pageSize=50',
  ]
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const { nextPageToken: _token, ...answer } = await firn.get(path)
    answers[path] = withoutPresent(answer)
  }
  return answers
}

/** Leaves out what depends on the moment of asking, and what is read of NFTs beside the blocks. */
function withoutPresent(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      /progress|uptime|remaining|potentialRewards|estimated|^erc(721|1155)Token$/i.test(name)
        ? undefined
        : value,
    ),
  )
}

let known: Promise<unknown> | undefined

/** Answers of a process that nothing disturbed; read once. */
function undisturbedAnswers(t: TestContext): Promise<unknown> {
  known ??= (async () => {
    const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
    await untilAllServed(firn)
    const answers = await demoAnswers(firn)
    await firn.end()
    return answers
  })()
  return known
}

void test('start: killed at any point of the backfill, the next start ends the same', async (t) => {
  const expected = await undisturbedAnswers(t)
  const folder = await freshFolder(t)
  for (const height of [-1, 0, 300]) {
    const firn = await startFirn(t, ['--data-dir', folder])
    await until(`height ${height}`, async () => {
      const status = (await chainStatuses(firn)).get('fuji-demo-chain')
      return (status?.indexedHeight ?? -1) >= height
    })
    assert.equal(await firn.end('SIGKILL'), 'SIGKILL')
  }
  const last = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(last)
  assert.deepEqual(await demoAnswers(last), expected)
  await last.end()
})

void test('start: a second process on the same data ends with 3, or serves beside the first', async (t) => {
  const folder = await freshFolder(t)
  const first = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(first)
  for (const role of ['all', 'index']) {
    const second = await runFirn(
      'start',
      '--data-dir',
      folder,
      '--port',
      '0',
      '--node-port',
      '0',
      '--role',
      role,
    )
    assert.equal(second.code, 3, second.stderr)
    assert.match(
      second.stderr,
      /^firn: another Firn writes this data; stop it, or .*--role serve: /m,
    )
    assert.doesNotMatch(second.stderr, /\n {4}at /)
  }
  const reader = await startFirn(t, ['--data-dir', folder, '--role', 'serve'])
  assert.deepEqual(await demoAnswers(reader), await demoAnswers(first))
  assert.deepEqual(await heightsOf(reader), await heightsOf(first))
  assert.equal(await reader.end('SIGTERM'), 0)
  assert.equal(await first.end('SIGTERM'), 0)
})

void test('start: a node that is away is waited for; one of another chain stops the chain', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const start = async (url: string): Promise<RunningFirn> => {
    await writeFile(config, `chains: [{ name: One, symbol: ONE, rpcUrls: ["${url}"] }]`)
    return startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  }
  const statusOf = async (firn: RunningFirn): Promise<{ state: string; reason: string }> => {
    const chain = (await chainStatuses(firn)).get('fuji-one')
    return { state: chain?.state ?? '', reason: chain?.reason ?? '' }
  }
  const listed = async (firn: RunningFirn): Promise<unknown> =>
    (await firn.get('/v1/chains/51002'))['status']
  const away = await start('http://127.0.0.1:1')
  await until('reason', async () => /a node does not answer/.test((await statusOf(away)).reason))
  assert.equal((await statusOf(away)).state, 'syncing')
  assert.equal(await away.end(), 0)

  const right = await serveReplayNode(await openReplayNode(await readFile(demoFile('chain-51002'))))
  t.after(() => right.close())
  const filled = await start(right.url)
  await untilLive(filled, ['fuji-one'])
  assert.equal(await listed(filled), 'OK')
  assert.equal(await filled.end(), 0)

  const left = await start('http://127.0.0.1:1')
  await until('reason', async () => /a node does not answer/.test((await statusOf(left)).reason))
  assert.equal(await listed(left), 'UNAVAILABLE')
  assert.equal(await left.end(), 0)

  const other = await serveReplayNode(await openReplayNode(await readFile(demoFile('chain-51001'))))
  t.after(() => other.close())
  const wrong = await start(other.url)
  await until('stopped', async () => (await statusOf(wrong)).state === 'stopped')
  assert.match(
    (await statusOf(wrong)).reason,
    /^the store fuji-one in .*data holds a chain with chainId 51002, the source is one with chainId 51001: choose another folder with --data-dir, or delete this one/,
  )
  // Nothing of it is served as the chain that is configured.
  await assert.rejects(wrong.get('/v1/chains/51002/blocks/7'), /503/)
  assert.deepEqual((await wrong.get('/v1/chains'))['chains'], [])
  assert.equal(await wrong.end(), 0)
})

void test('roles: one process indexes, another serves, on both kinds of store', async (t) => {
  const expected = await undisturbedAnswers(t)
  for (const store of ['embedded', await newDatabase()]) await checkRoles(t, store, expected)
})

void test('a writer that waits for another stops at once', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `
store: ${await newDatabase()}
networks:
  fuji: { recording: ${demoFile('primary-local')}, primary: true }
chains:
  - { name: Demo L1, symbol: DML1, recording: ${demoFile('chain-51002')} }
`,
  )
  const start = (name: string): Promise<RunningFirn> =>
    startFirn(t, ['--config', config, '--data-dir', join(folder, name)])
  const writing = await start('writing')
  await untilLive(writing, ['fuji-demo-l1', 'primary-fuji'])
  const waiting = await start('waiting')
  await until('it waits', async () => (await chainStatuses(waiting)).size > 0)
  const startedMs = performance.now()
  assert.equal(await waiting.end(), 0)
  assert.ok(performance.now() - startedMs < 8_000, 'no thread had to be ended by force')
  assert.equal(waiting.errors().includes('thread failed'), false, waiting.errors())
})

/** Firn that serves `what`, and the relay between it and its database. */
async function startBehindRelay(
  t: TestContext,
  what: string,
): Promise<{
  readonly firn: Awaited<ReturnType<typeof startFirn>>
  readonly relay: Awaited<ReturnType<typeof silentRelay>>
}> {
  const relayed = new URL(await newDatabase())
  const relay = await silentRelay(Number(relayed.port))
  t.after(() => relay.close())
  relayed.port = String(relay.port)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `
store: ${relayed.href}
api: { handlerTimeoutMs: 1000 }
${what}`,
  )
  return { firn: await startFirn(t, ['--config', config, '--data-dir', folder]), relay }
}

void test('a database that goes silent: answers end in time, and come again with it', async (t) => {
  const { firn, relay } = await startBehindRelay(
    t,
    `
chains:
  - { name: Demo L1, symbol: DML1, recording: ${demoFile('chain-51002')} }
`,
  )
  await untilLive(firn, ['fuji-demo-l1'])
  const ask = async (): Promise<{ status: number; message: unknown }> => {
    const reply = await fetch(`${firn.apiUrl}/v1/chains/51002/blocks`)
    return { status: reply.status, message: objectOf(await reply.json(), 'body')['message'] }
  }
  assert.equal((await ask()).status, 200)
  relay.silence()
  const startedMs = performance.now()
  assert.deepEqual(await ask(), {
    status: 503,
    message: 'the database did not do what was requested',
  })
  assert.ok(performance.now() - startedMs < 10_000, 'the limit of a statement is that of an answer')
  relay.recover()
  await until('answers again', async () => (await ask()).status === 200)
})

void test('a database that goes silent: health tells, also where no EVM chain is served', async (t) => {
  const { firn, relay } = await startBehindRelay(
    t,
    `
networks:
  fuji: { recording: ${demoFile('primary-local')}, primary: true }
`,
  )
  await untilLive(firn, ['primary-fuji'])
  const status = async (path: string): Promise<number> =>
    (await fetch(`${firn.apiUrl}${path}`)).status
  await until('served', async () => (await status('/v1/networks/fuji/validators')) === 200)
  assert.equal(await status('/v1/health-check'), 200)
  relay.silence()
  assert.equal(await status('/v1/health-check'), 503)
  assert.equal(await status('/v1/live-check'), 200)
  relay.recover()
  await until('healthy again', async () => (await status('/v2/health-check')) === 200)
})

const readStages: readonly unknown[] = ['blocks', 'traces', 'P', 'X', 'C']

/** State of each chain and of the stages that read blocks, by `/status`. */
async function heightsOf(firn: RunningFirn): Promise<readonly unknown[]> {
  const { chains } = await firn.get('/status')
  return listOf(chains, 'chains').map((item) => {
    const { chain, kind, network, name, state, indexedHeight, stages } = objectOf(item, 'chain')
    const heights = listOf(stages, 'stages')
      .map((one) => objectOf(one, 'stage'))
      .filter(({ stage }) => readStages.includes(stage))
      .map((stage) => [stage['stage'], stage['indexedHeight'], stage['headHeight']])
    return { chain, kind, network, name, state, indexedHeight, heights }
  })
}

/** Indexes the demo network with one process, serves with another started before. */
async function checkRoles(t: TestContext, store: string, expected: unknown): Promise<void> {
  const folder = await freshFolder(t)
  const demo = `
store: ${store}
networks:
  fuji: { recording: ${demoFile('primary-local')}, primary: true }
chains:
  - { name: Demo Chain, symbol: DEMO, recording: ${demoFile('chain-51001')}, wrappedTokens: ["0x610178da211fef7d417bc0e6fed39f05609ad788"] }
  - { name: Demo L1, symbol: DML1, recording: ${demoFile('chain-51002')} }
`
  const config = join(folder, 'firn.yaml')
  await writeFile(config, demo)
  const common = ['--config', config, '--data-dir', folder]
  const reader = await startFirn(t, [...common, '--role', 'serve'])
  const writer = await startFirn(t, [...common, '--role', 'index'])
  assert.equal(writer.apiUrl, '', 'index serves no API')
  await untilLive(reader, ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji'])
  await until('all that is served equals what one process serves', async () =>
    isDeepStrictEqual(await demoAnswers(reader), expected),
  )
  assert.equal(await writer.end(), 0)
  // The reader needs no writer.
  assert.deepEqual(await demoAnswers(reader), expected)
  assert.equal(await reader.end(), 0)
}
