/** NFTs by the names that their metadata gave: written as the stage does, found as the search does. */

import assert from 'node:assert/strict'

import { nameOlder, writeResults } from '../../src/indexing/nft/nft-queue.ts'
import { statement, type Writer } from '../../src/store/engine/database.ts'
import { nftsNamed } from '../../src/store/query/search/nfts-named.ts'
import { nftTables } from '../../src/store/schema/nft.ts'
import { onBothEngines } from '../support/stores/stores.ts'

onBothEngines('nfts named: by the beginning of their name', nftTables, async ({ open }) => {
  const store = await open('write')
  const write = (item: bigint, called: string): Promise<void> =>
    store.transaction((writer) =>
      writeResults(
        writer,
        [
          {
            of: {
              contractId: 1,
              contract: new Uint8Array(20),
              standard: item > 9n ? 1155 : 721,
              item,
              attempts: 0,
            },
            uri: '',
            status: 'INDEXED',
            fields: { name: called },
            attempts: 0,
          },
        ],
        1,
      ),
    )
  await write(1n, 'Golden Peak')
  await write(2n, 'GOLDEN Valley %')
  await write(10n, ' golden peak ')
  await write(11n, 'Peak of gold')
  await write(12n, ' ')
  const found = async (q: string, limit = 9): Promise<string[]> =>
    (await nftsNamed(store, q, limit)).map(({ standard, item }) => `${standard} ${item}`)
  assert.deepEqual(await found('golden p'), ['721 1', '1155 10'])
  assert.deepEqual(await found('GOLDEN'), ['721 1', '1155 10', '721 2'])
  assert.deepEqual(await found('golden', 1), ['721 1'])
  assert.deepEqual(await found('%'), [])
  assert.deepEqual(await found(' '), [])
  await write(1n, 'Silver Peak')
  assert.deepEqual(await found('golden p'), ['1155 10'], 'it was renamed')
  assert.deepEqual(await found('silver'), ['721 1'])
  // Names are anybody's text.
  await write(3n, 'Zero\u0000byte')
  await write(4n, 'Half\ud83d')
  await write(5n, `${'x'.repeat(39)}\u{1f600}`)
  assert.deepEqual(await found('zero'), ['721 3'])
  assert.deepEqual(await found('half'), ['721 4'])
  assert.deepEqual(await found(`${'x'.repeat(39)}\u{1f600}`), ['721 5'])
  for (let at = 0; at < 9; at++) await write(20n, `Many names ${at}`)
  assert.deepEqual(await found('many', 1), ['1155 20'], 'earlier names take no place')
  // Rows of before layout 7 have none until the stage fills them.
  await store.transaction((writer) =>
    writer.run(statement('update nft_metadata set name = null where standard = 721')),
  )
  assert.deepEqual(await found('silver'), [])
  const commit = <T>(work: (writer: Writer) => Promise<T>): Promise<T> => store.transaction(work)
  assert.equal(await nameOlder(store, commit, 3), 3)
  assert.equal(await nameOlder(store, commit, 3), 2)
  assert.equal(await nameOlder(store, commit, 3), 0)
  assert.deepEqual(await found('silver'), ['721 1'])
})
