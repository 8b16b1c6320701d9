import assert from 'node:assert/strict'
import { test } from 'node:test'

import { oneRound } from '../../../src/indexing/nft/nft-stream.ts'
import type { EvmSource } from '../../../src/source/evm-source.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import { busiest, expectedTransfers } from '../evm/replay.ts'
import { nftService } from './nft-service.ts'

const chain = 51002
const embedded = await nftService({ chains: [chain] })
const scaled = await nftService({
  chains: [chain],
  engine: 'postgres',
})

const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
const { signal } = new AbortController()

/** Every contract answers with the same document, written into the URI, with a zero byte in it. */
const document = Buffer.from('{"name":"a\\u0000b","attributes":[1]}').toString('base64')
const text = Buffer.from(`data:application/json;base64,${document}`)
const word = (value: number): string => value.toString(16).padStart(64, '0')
const value = `0x${word(32)}${word(text.length)}${text.toString('hex').padEnd(192, '0')}`

for (const { chains, requests } of [embedded, scaled]) {
  const [{ store, facts } = assert.fail('one chain is served')] = chains
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stream asks nothing else
  const source = {
    headHeight: async () => 152,
    state: async (calls) => calls.map(() => ({ kind: 'value', value })),
  } as Pick<EvmSource, 'headHeight' | 'state'> as EvmSource
  const { key } = facts
  const of = {
    key,
    database: store,
    source,
    clock: manualClock(),
    log,
    commit: store.transaction,
    changes: () => 0,
  }
  const step = oneRound(of, async () => requests)
  while ((await step(signal)).isBusy);
}

const transfers = expectedTransfers(chain).filter(({ standard }) => standard > 20)
const people = busiest(transfers.flatMap(({ from, to }) => [from, to])).slice(0, 6)
const base = `/v1/chains/${chain}`
const paths = [
  ...people.flatMap((address) =>
    ['listErc721', 'listErc1155', 'listCollectibles'].map(
      (verb) => `${base}/addresses/${address}/balances:${verb}?pageSize=7`,
    ),
  ),
  ...busiest(transfers.map(({ token }) => token)).flatMap((contract) => [
    `${base}/nfts/collections/${contract}/tokens?pageSize=50`,
    `${base}/tokens/${contract}/transfers?pageSize=5`,
  ]),
]

void test('NFTs: both engines give the same answers', async () => {
  for (const path of paths) {
    const one = await embedded.get(path)
    const other = await scaled.get(path)
    assert.equal(one.status, 200, path)
    assert.deepEqual(other.body, one.body, path)
    if (path.includes('balances:'))
      assert.equal(one.headers.get('x-balances'), 'from logs until block 152', path)
  }
  const { body } = await scaled.get(paths.at(-2) ?? '')
  assert.equal(body.tokens[0].metadata.indexStatus, 'indexed')
  assert.equal(body.tokens[0].metadata.name, 'ab')
})
