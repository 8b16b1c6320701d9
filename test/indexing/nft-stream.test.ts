/** URIs and metadata fetched beside a recorded chain, step by step. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { to0x } from '../../src/core/bytes.ts'
import { type NftStatus, nftStatuses } from '../../src/core/nft-status.ts'
import type { Transport } from '../../src/core/world.ts'
import { type NftFetching, oneRound } from '../../src/indexing/nft/nft-stream.ts'
import { abiString } from '../../src/indexing/nft/token-uri.ts'
import type { EvmSource, StateAnswer } from '../../src/source/evm-source.ts'
import { openRecording, stateKey } from '../../src/source/recorded/recording.ts'
import { statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { nftRequest, nftRequestTables } from '../../src/store/schema/nft.ts'
import { manualClock } from '../support/processes/manual-clock.ts'
import { openDemoChain } from '../support/stores/demo-store.ts'

const chain = 51002
const recording = openRecording(
  readFileSync(join(import.meta.dirname, `../../demo/chain-${chain}.firnrec`)),
)
const { signal } = new AbortController()
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

const everyRow = statement(
  `select a.bytes, m.standard, m.item, m.uri, m.status, m.updated, m.attempts, m.due, m.fields
   from nft_metadata m join address a on a.id = m.contract_id
   order by m.contract_id, m.standard, m.item`,
)

type Stored = {
  readonly contract: string
  readonly standard: number
  readonly item: string
  readonly uri: string
  readonly status: NftStatus
  readonly updated: number
  readonly attempts: number
  readonly due: number | null
  readonly fields: Record<string, unknown>
}

/** A chain with the stream beside it, on a clock that a test moves. */
async function streamOver(
  answer: (key: string, own: StateAnswer) => StateAnswer,
  more: {
    readonly requests?: () => Promise<Parameters<typeof oneRound>[0]['database']>
    readonly fetching?: NftFetching
  } = {},
) {
  const opened = await openDemoChain(chain)
  const { store, facts } = opened.served
  const clock = manualClock()
  const source: EvmSource = {
    ...recording,
    state: async (calls, height, at) => {
      const own = await recording.state(calls, height, at)
      return own.map((each, index) => answer(stateKey(calls[index]!), each))
    },
  }
  const of = {
    key: facts.key,
    database: store,
    clock,
    log: silent,
    commit: store.transaction,
    changes: () => 0,
  }
  const { requests = async () => undefined, fetching } = more
  const step = oneRound({ ...of, source }, requests, fetching)
  const settle = async (): Promise<void> => {
    while ((await step(signal)).isBusy);
  }
  const rows = async (): Promise<Stored[]> =>
    (await store.all(everyRow)).map((row) => ({
      contract: to0x(row[0] as Uint8Array),
      standard: Number(row[1]),
      item: to0x(row[2] as Uint8Array),
      uri: String(row[3]),
      status: nftStatuses[Number(row[4])]!,
      updated: Number(row[5]),
      attempts: Number(row[6]),
      due: row[7] === null ? null : Number(row[7]),
      fields: JSON.parse(String(row[8])),
    }))
  return { store, facts, clock, settle, rows, close: opened.close }
}

const same = (_key: string, own: StateAnswer): StateAnswer => own

/** ABI `string` of a text. */
function abiText(text: string): StateAnswer {
  const bytes = Buffer.from(text)
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  const body = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return { kind: 'value', value: `0x${word(32)}${word(bytes.length)}${body}` }
}

void test('nft stream: every token has the URI its contract answers, `{id}` filled in', async () => {
  const { settle, rows, close } = await streamOver(same)
  await settle()
  const stored = await rows()
  assert.ok(stored.length > 500)
  for (const row of stored) {
    const selector = row.standard === 721 ? '0xc87b56dd' : '0x0e89341c'
    const key = `eth_call ${row.contract} ${selector}${row.item.slice(2)}`
    const recorded = recording.answers().get(key)
    const label = `${row.contract} ${row.item}`
    if (recorded?.kind === 'value') {
      const uri = abiString(recorded.value)!.replaceAll('{id}', row.item.slice(2))
      assert.equal(row.uri, uri, label)
      assert.equal(row.status, uri.startsWith('data:') ? 'INDEXED' : 'UNINDEXED', label)
    } else {
      const owner = recording
        .answers()
        .get(`eth_call ${row.contract} 0x6352211e${row.item.slice(2)}`)
      const missing = row.standard === 721 && owner?.kind === 'reverted'
      assert.equal(row.status, missing ? 'MISSING_TOKEN' : 'INVALID_TOKEN_URI', label)
      assert.equal(row.uri, '')
    }
  }
  await close()
})

/** Answers of a contract to `tokenURI`, and their result while fetching is off. */
const uris: Record<string, NftStatus> = {
  '': 'INVALID_TOKEN_URI',
  'not an address': 'INVALID_TOKEN_URI',
  'ftp://files.example/1': 'INVALID_TOKEN_URI_SCHEME',
  'javascript:alert(1)': 'INVALID_TOKEN_URI_SCHEME',
  'file:///etc/passwd': 'INVALID_TOKEN_URI_SCHEME',
  'http://': 'INVALID_TOKEN_URI',
  'http://user:secret@host.example/': 'INVALID_TOKEN_URI',
  'ipfs://': 'INVALID_TOKEN_URI',
  'ipfs://not-an-id/1': 'INVALID_TOKEN_URI',
  'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/../../admin': 'INVALID_TOKEN_URI',
  'ar://short': 'INVALID_TOKEN_URI',
  'https://host.example/1': 'UNINDEXED',
  'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1': 'UNINDEXED',
  QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG: 'UNINDEXED',
  'ar://bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U': 'UNINDEXED',
  '{"name":"bare"}': 'INDEXED',
  'data:application/json,{"name":"plain"}': 'INDEXED',
  'data:application/json;utf8,{"name":"100%"}': 'INDEXED',
  'data:application/json;charset=utf-8,%7B%22name%22%3A%22escaped%22%7D': 'INDEXED',
  'data:application/json;base64,eyJuYW1lIjoiYmFzZSJ9': 'INDEXED',
  'data:application/json;base64,!!!!': 'INVALID_METADATA_JSON',
  'data:application/json,{"name":"a # inside"}': 'INDEXED',
  'data:application/json,{"name":"a # outside"}#12': 'INDEXED',
  'data:application/json;base64,eyJuYW1lIjoiaGFzaCJ9#3': 'INDEXED',
  'data:application/json,[]': 'INVALID_METADATA',
  'data:application/json,null': 'INVALID_METADATA',
  'data:application/json,{"__proto__":{"name":"x"},"name":7,"image":{},"decimals":300}': 'INDEXED',
  'data:nothing': 'INVALID_TOKEN_URI',
  'data:image/png;base64,AAAA': 'METADATA_CONTENT_TOO_LARGE',
  [`data:,${'x'.repeat(1_048_577)}`]: 'METADATA_CONTENT_TOO_LARGE',
}

void test('nft stream: `{id}` is filled in in every text of a document, however it came', async () => {
  const document = JSON.stringify({
    name: 'Item {id}',
    image: 'ipfs://folder/{id}.png',
    properties: { big: ['see {id}'] },
  })
  const escaped = document.replaceAll('{id}', String.raw`\u007bid}`)
  const transport: Transport = {
    request: async () => ({ status: 200, headers: {}, body: Buffer.from(document) }),
  }
  const gateways = { ipfs: [], arweave: 'https://arweave.example/' }
  const fetching = { transport, gatewayTransport: transport, gateways }
  for (const uri of [
    `data:application/json,${document}`,
    `data:application/json;base64,${Buffer.from(document).toString('base64')}`,
    `data:application/json;base64,${Buffer.from(escaped).toString('base64')}`,
    'https://items.example/{id}.json',
  ]) {
    const answer = (): StateAnswer => abiText(uri)
    const { settle, rows, close } = await streamOver(answer, { fetching })
    await settle()
    const read = (await rows()).filter(({ standard }) => standard === 1155)
    assert.ok(read.length > 0)
    for (const { item, fields } of read.slice(0, 5)) {
      const id = item.slice(2)
      assert.deepEqual(
        fields,
        {
          name: `Item ${id}`,
          imageUri: `ipfs://folder/${id}.png`,
          properties: `{"big":["see ${id}"]}`,
        },
        uri,
      )
    }
    await close()
  }
})

void test('nft stream: hostile and odd URIs each end in a state, never in a throw', async () => {
  const texts = Object.keys(uris)
  let next = 0
  const given = new Map<string, string>()
  const { settle, rows, close } = await streamOver((key, own) => {
    if (!key.includes('0xc87b56dd')) return own
    const text = texts[next++ % texts.length]!
    given.set(key, text)
    return abiText(text)
  })
  await settle()
  const seen = new Set<string>()
  for (const row of (await rows()).filter(({ standard }) => standard === 721)) {
    const text = given.get(`eth_call ${row.contract} 0xc87b56dd${row.item.slice(2)}`)!
    assert.equal(row.status, uris[text], text.slice(0, 80))
    assert.equal(row.due, null)
    seen.add(text)
  }
  assert.equal(seen.size, texts.length)
  const named = (await rows()).map(({ fields }) => fields['name'])
  for (const name of ['bare', 'plain', '100%', 'escaped', 'base', '7'])
    assert.ok(named.includes(name))
  await close()
})

void test('nft stream: answers that are no ABI string are invalid URIs', async () => {
  const wrong = ['0x', '0x12', `0x${'ff'.repeat(32)}`, `0x${'00'.repeat(31)}20${'ff'.repeat(32)}`]
  let next = 0
  const { settle, rows, close } = await streamOver((key, own) =>
    key.includes('0xc87b56dd') ? { kind: 'value', value: wrong[next++ % wrong.length]! } : own,
  )
  await settle()
  const owned = (await rows()).filter(({ standard }) => standard === 721)
  assert.ok(owned.length >= wrong.length)
  for (const row of owned) assert.equal(row.status, 'INVALID_TOKEN_URI')
  await close()
})

void test('nft stream: a URI that no node can serve now is read again, later and later', async () => {
  const calls = new Map<string, number>()
  const { settle, rows, clock, close } = await streamOver((key) => {
    calls.set(key, (calls.get(key) ?? 0) + 1)
    return { kind: 'not-served', reason: 'test' }
  })
  const start = clock.nowMs / 1_000
  await settle()
  assert.ok((await rows()).every((row) => row.status === 'UNINDEXED' && row.due === start + 60))
  clock.nowMs += 60_000
  await settle()
  assert.ok((await rows()).every((row) => row.due === start + 60 + 120 && row.attempts === 2))
  assert.deepEqual(new Set(calls.values()), new Set([2]))
  await close()
})

void test('nft stream: unreachable and throttled hosts are tried again, doubling up to a week', async () => {
  const requestedSeconds = 7_200
  let status = 429
  const transport: Transport = {
    request: async () => ({
      status,
      headers: { 'retry-after': String(requestedSeconds) },
      body: Buffer.from('{"name":"at last"}'),
    }),
  }
  const gateways = { ipfs: [], arweave: '' }
  const fetching = { transport, gatewayTransport: transport, gateways }
  const { settle, rows, clock, close } = await streamOver(
    (key, own) => (key.includes('0xc87b56dd') ? abiText('https://host.example/1') : own),
    { fetching },
  )
  const owned = async (): Promise<Stored[]> =>
    (await rows()).filter(({ standard }) => standard === 721)
  await settle()
  let nowSeconds = clock.nowMs / 1_000
  for (const row of await owned()) {
    assert.equal(row.status, 'THROTTLED_TOKEN_URI')
    assert.equal(row.due, nowSeconds + requestedSeconds)
  }
  status = 503
  for (const attempts of [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) {
    clock.nowMs = Math.max(...(await owned()).map(({ due }) => due ?? 0)) * 1_000
    nowSeconds = clock.nowMs / 1_000
    await settle()
    const waitSeconds = Math.min(604_800, 60 * 2 ** (attempts - 1))
    const row = (await owned())[0]!
    assert.equal(row.status, 'UNREACHABLE_TOKEN_URI')
    assert.deepEqual([row.attempts, row.due], [attempts, nowSeconds + waitSeconds])
  }
  status = 200
  clock.nowMs += 604_800_000
  await settle()
  for (const row of await owned()) {
    assert.deepEqual([row.status, row.due, row.attempts], ['INDEXED', null, 0])
    assert.equal(row.fields['name'], 'at last')
  }
  await close()
})

void test('nft stream: a request of a caller asks again and moves the time of the last attempt', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-request-'))
  const requests = await openStore(
    { store: 'embedded', dataDir },
    'nft-requests',
    nftRequestTables,
    'write',
  )
  const { settle, rows, clock, facts, close } = await streamOver(same, {
    requests: async () => requests,
  })
  await settle()
  const [first, second] = await rows()
  clock.nowMs += 5_000
  await requests.transaction((writer) =>
    writer.upsert(nftRequest, {
      chain: [facts.key, 'another-chain'],
      contract: [first!, second!].map(({ contract }) => Buffer.from(contract.slice(2), 'hex')),
      item: [first!, second!].map(({ item }) => Buffer.from(item.slice(2), 'hex')),
      standard: [first!.standard, second!.standard],
      requested_at: [clock.nowMs - 1_000, clock.nowMs - 1_000],
    }),
  )
  await settle()
  const [again, other] = await rows()
  assert.equal(again!.updated, clock.nowMs / 1_000)
  assert.deepEqual({ ...again, updated: first!.updated }, first)
  assert.deepEqual(other, second)
  await requests.close()
  rmSync(dataDir, { recursive: true, force: true })
  await close()
})

void test('nft stream: once fetching is switched on, what was left is fetched', async () => {
  const uri = (key: string, own: StateAnswer): StateAnswer =>
    key.includes('0xc87b56dd') ? abiText('https://host.example/1') : own
  const { settle, rows, store, facts, clock, close } = await streamOver(uri)
  await settle()
  assert.ok((await rows()).some(({ status }) => status === 'UNINDEXED'))
  const transport: Transport = {
    request: async () => ({ status: 200, headers: {}, body: Buffer.from('{"name":"there"}') }),
  }
  const step = oneRound(
    {
      key: facts.key,
      database: store,
      source: {
        ...recording,
        state: async (calls, height, at) =>
          (await recording.state(calls, height, at)).map((own, index) =>
            uri(stateKey(calls[index]!), own),
          ),
      },
      clock,
      log: silent,
      commit: store.transaction,
      changes: () => 0,
    },
    async () => undefined,
    { transport, gatewayTransport: transport, gateways: { ipfs: [], arweave: '' } },
  )
  while ((await step(signal)).isBusy);
  const owned = (await rows()).filter(({ standard }) => standard === 721)
  assert.ok(owned.every(({ status, fields }) => status === 'INDEXED' && fields['name'] === 'there'))
  await close()
})
