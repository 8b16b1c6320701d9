/** Addresses of a page, with the case that was stored of them. */

import assert from 'node:assert/strict'

import { fromHex } from '../../src/core/bytes.ts'
import { newTokens } from '../../src/indexing/evm/write/transfer-rows.ts'
import { casesOf, richAddressesOfIds } from '../../src/store/query/evm/addresses.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { address, evmTables, token } from '../../src/store/schema/evm.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const tables = [...controlTables, ...evmTables]
// Source: EIP-55, test cases.
const texts = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
]
const [first, second] = texts.map(fromHex)

onBothEngines('case of addresses: one statement for a page, with tokens', tables, async (store) => {
  const writer = await store.open('write')
  await writer.transaction(async (into) => {
    const cased = casesOf([first!, second!])
    await into.insert(address, { id: [1, 2], bytes: [first!, second!], cased })
    const shown = newTokens([{ id: 2, standard: 20, height: 0 }])
    await into.insert(token, { ...shown, name: ['Gold'] })
  })
  const rows = await richAddressesOfIds(writer, [2, 9, 1, 2])
  assert.deepEqual(
    rows.map((row) => row?.token?.name),
    ['Gold', undefined, undefined, 'Gold'],
  )
  assert.deepEqual(
    rows.map((row) => row && `0x${row.digits}`),
    [texts[1], undefined, texts[0], texts[1]].map((text) => text?.toLowerCase()),
  )
  assert.deepEqual(await richAddressesOfIds(writer, []), [])
})
