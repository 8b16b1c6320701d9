/** Addresses that an older product stored are shown as those of this one. */

import assert from 'node:assert/strict'

import { casedAddress, toChecksumAddress } from '../../../src/core/address.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { AddressCases } from '../../../src/indexing/evm/write/address-cases.ts'
import { table } from '../../../src/store/engine/table.ts'
import { openStore } from '../../../src/store/open.ts'
import { partiesOfIds } from '../../../src/store/query/evm/parties-of-ids.ts'
import { controlTables } from '../../../src/store/schema/control.ts'
import { address, evmTables, token } from '../../../src/store/schema/evm.ts'
import { idsPerSum } from '../../../src/store/schema/sum-ranges.ts'
import { checkStore } from '../../../src/store/sums/check-store.ts'
import { onBothEngines } from '../../stores.ts'

const tables = [...controlTables, ...evmTables]
// Source: EIP-55, test cases.
const texts = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
]
const [first, second] = texts.map(fromHex)

onBothEngines('case of addresses: stored by an older product', tables, async (store) => {
  const { columns, ...shape } = address
  const { cased: _, ...before } = columns
  const oldAddress = table('address', before, {
    ...shape,
    sums: { by: { column: 'id', size: idsPerSum } },
  })
  const oldTables = tables.map((each) => (each === address ? oldAddress : each))
  const older = { ...store.location, migrations: [] }
  const old = await openStore(older, store.name, oldTables, 'write')
  await old.transaction((writer) => writer.insert(oldAddress, { id: [1], bytes: [first!] }))
  await old.close()

  const shown = async (mode: 'read' | 'write'): Promise<(string | undefined)[]> => {
    const database = await store.open(mode)
    const rows = await partiesOfIds(database, [2, 1])
    await database.close()
    return rows.map((row) =>
      row === undefined
        ? undefined
        : row.mask === undefined
          ? `hashed ${toChecksumAddress(fromHex(row.digits))}`
          : casedAddress(row.digits, row.mask),
    )
  }
  assert.deepEqual(await shown('read'), [undefined, `hashed ${texts[0]}`], 'before it is changed')
  assert.deepEqual(await shown('write'), [undefined, `hashed ${texts[0]}`], 'changed')

  const writer = await store.open('write')
  const cased = new AddressCases().of([second!])
  await writer.transaction((into) => into.insert(address, { id: [2], bytes: [second!], cased }))
  await writer.close()
  assert.deepEqual(await shown('read'), [texts[1], `hashed ${texts[0]}`])
  const reader = await store.open('read')
  const { signal } = new AbortController()
  assert.deepEqual(await checkStore(reader, tables, { signal }), [], 'sums hold over the change')
  await reader.close()
})

onBothEngines('case of addresses: one statement for a page, with tokens', tables, async (store) => {
  const writer = await store.open('write')
  await writer.transaction(async (into) => {
    const cased = new AddressCases().of([first!, second!])
    await into.insert(address, { id: [1, 2], bytes: [first!, second!], cased })
    await into.insert(token, {
      id: [2],
      standard: [20],
      name: ['Gold'],
      first_height: [0],
      metadata_height: [1],
      exactness: [1],
      checked: [0],
      spam: [0],
    })
  })
  const rows = await partiesOfIds(writer, [2, 9, 1, 2])
  assert.deepEqual(
    rows.map((row) => row?.token?.name),
    ['Gold', undefined, undefined, 'Gold'],
  )
  assert.deepEqual(
    rows.map((row) => row && `0x${row.digits}`),
    [texts[1], undefined, texts[0], texts[1]].map((text) => text?.toLowerCase()),
  )
  assert.deepEqual(await partiesOfIds(writer, []), [])
})
