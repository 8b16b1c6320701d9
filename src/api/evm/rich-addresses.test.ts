import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { fromHex } from '../../core/bytes.ts'
import { type Database, statement } from '../../store/engine/database.ts'
import { openStore } from '../../store/open.ts'
import { address, addressByBytes, evmTables, token } from '../../store/schema/evm.ts'
import type { Table } from '../../store/schema/table.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { noTokenNotes } from '../prices/token-lists.ts'
import { createRichAddressBooks } from './rich-addresses.ts'

// The first address EIP-55 gives as an example.
const example = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const bytes = fromHex(example)

/** A chain without a node. */
function chainOver(store: Database): ServedChain {
  const none = (): Promise<never> => Promise.reject(new Error('no node here'))
  return {
    store,
    facts: {
      key: 'book',
      network: 'fuji',
      evmChainId: 1,
      name: 'Book',
      symbol: 'BK',
      decimals: 18,
      description: '',
    },
    state: { balance: none, code: none, call: none, calls: none, storage: none, tried: none },
    wantsTraces: false,
    isFollowed: () => false,
  }
}

void test('address book: a number is found once its address is stored, a token is read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-book-'))
  const store = await openStore({ store: 'embedded', dataDir: folder }, 'book', evmTables, 'write')
  try {
    const time = { ms: 0 }
    const now = (): number => time.ms
    const clock = { now, monotonic: now, sleep: () => Promise.resolve() }
    const book = createRichAddressBooks(clock, noTokenNotes)(chainOver(store))
    const nameAt = async (ms: number): Promise<string> => {
      time.ms = ms
      return (await book.load([7, 7]))(7).erc20.name
    }
    const call = (name: string): Promise<unknown> =>
      store.transaction((writer) =>
        writer.run(statement('update token set name = ? where id = 7'), [name]),
      )

    assert.equal((await book.find(example)).id, undefined)
    await store.transaction(async (writer) => {
      await writer.insert(address, { id: [7], bytes: [bytes], cased: [0] })
      await writer.insert(addressByBytes, { bytes: [bytes], id: [7] })
      const zero = [0]
      const never = { metadata_height: zero, metadata_at: zero, compared_at: zero, agreed: zero }
      const counts = { transfers: zero, holders: zero }
      const facts = { id: [7], standard: [20], first_height: zero, ...counts }
      const names = ['name', 'symbol', 'decimals', 'code', 'source'] as const
      const found = ['inexact_height', 'inexact_holder', 'inexact_reason'] as const
      const nulls = Object.fromEntries([...names, ...found].map((name) => [name, [null]]))
      await writer.insert<Table>(token, { ...facts, ...never, ...nulls })
    })
    assert.equal((await book.find(example)).id, 7)
    assert.deepEqual(await book.find(example.toLowerCase()), {
      bytes,
      lowerText: example.toLowerCase(),
      id: 7,
    })
    await assert.rejects(async () => book.find('0x12'), /not an EVM address/)
    assert.equal((await book.load([7]))(7).address, example)
    assert.equal(await nameAt(0), '')
    await call('First')
    assert.equal(await nameAt(999), '')
    assert.equal(await nameAt(1_000), 'First')
    await call('Second')
    assert.equal(await nameAt(10_999), 'First')
    assert.equal(await nameAt(11_000), 'Second')

    // A label, else the symbol, else the name of the verified contract, else nothing; spam has labels alone.
    const symbolOf = (symbol: string | null): Promise<unknown> =>
      store.transaction((writer) =>
        writer.run(statement('update token set symbol = ? where id = 7'), [symbol]),
      )
    const calls = async (label: string | undefined, contract?: string): Promise<unknown> => {
      const notes = label === undefined ? noTokenNotes : (): { label: string } => ({ label })
      const made = createRichAddressBooks(clock, notes, (_chain, all) => all.map(() => contract))
      const own = made(chainOver(store))
      const aboutOf = await own.about([bytes, fromHex(other)])
      const { label: shown } = (await own.load([7]))(7).rich
      assert.equal(aboutOf(bytes).rich.label, shown)
      return [shown, aboutOf(fromHex(other)).rich.label]
    }
    const other = `0x${'77'.repeat(20)}`
    assert.deepEqual(await calls(undefined), [undefined, undefined])
    assert.deepEqual(await calls(undefined, 'Vault'), ['Vault', undefined])
    await symbolOf('SEC')
    assert.deepEqual(await calls(undefined), ['SEC', undefined])
    assert.deepEqual(await calls(undefined, 'Vault'), ['SEC', undefined])
    assert.deepEqual(await calls('Till', 'Vault'), ['Till', 'Till'])
    await symbolOf('visit free.example.com')
    assert.deepEqual(await calls(undefined, 'Vault'), [undefined, undefined])
    assert.deepEqual(await calls('Till', 'Vault'), ['Till', 'Till'])
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
