import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { Type } from '../../shape/type.ts'
import { parameterReader, type RawParameters } from './parameters.ts'

const read = parameterReader(
  Type.Object({
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    sortOrder: Type.Optional(Type.Enum(['asc', 'desc'])),
    includeSpent: Type.Optional(Type.Boolean()),
    txTypes: Type.Optional(Type.Array(Type.Enum(['BaseTx', 'ImportTx', 'ExportTx']))),
    minFee: Type.Optional(Type.Number({ minimum: 2, maximum: 100 })),
    address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  }),
)
const address = `0x${'ab'.repeat(20)}`

function check(raw: RawParameters, expected: Record<string, unknown>): void {
  assert.deepEqual(
    read({ address, ...raw }),
    { pageSize: 10, address, ...expected },
    JSON.stringify(raw),
  )
}

void test('parameters: text becomes what the schema says', () => {
  check({}, {})
  check({ pageSize: '1' }, { pageSize: 1 })
  check({ pageSize: '100' }, { pageSize: 100 })
  check({ pageSize: '' }, {})
  check({ includeSpent: 'true', sortOrder: 'asc' }, { includeSpent: true, sortOrder: 'asc' })
  check({ minFee: '2.5' }, { minFee: 2.5 })
  check({ unknown: 'x', rltoken: 'y' }, {})
})

void test('parameters: a list may be repeated, joined by commas, or named with brackets', () => {
  const both = { txTypes: ['BaseTx', 'ImportTx'] }
  check({ txTypes: ['BaseTx', 'ImportTx'] }, both)
  check({ txTypes: 'BaseTx, ImportTx,' }, both)
  check({ 'txTypes[]': ['BaseTx', 'ImportTx', 'BaseTx'] }, both)
  check({ txTypes: '' }, {})
})

void test('parameters: what does not fit is named with what is allowed', () => {
  for (const [raw, message] of [
    [{ pageSize: '0' }, 'pageSize must be an integer from 1 to 100: 0'],
    [{ pageSize: '101' }, 'pageSize must be an integer from 1 to 100: 101'],
    [{ pageSize: '1.5' }, 'pageSize must be an integer from 1 to 100: 1.5'],
    [{ pageSize: '1e1' }, 'pageSize must be an integer from 1 to 100: 1e1'],
    [{ pageSize: ['1', '2'] }, 'pageSize must be an integer from 1 to 100: 1,2'],
    [{ sortOrder: 'up' }, 'sortOrder must be one of asc, desc: up'],
    [{ includeSpent: '1' }, 'includeSpent must be true or false: 1'],
    [{ txTypes: 'Nope' }, 'txTypes must be a list of one of BaseTx, ImportTx, ExportTx: Nope'],
    [{ minFee: '1.9' }, 'minFee must be a number from 2 to 100: 1.9'],
    [{ address: undefined }, 'address is required: text'],
    [
      { pageSize: 'x', sortOrder: 'y' },
      'pageSize must be an integer from 1 to 100: x; sortOrder must be one of asc, desc: y',
    ],
  ] as const) {
    assert.throws(
      () => read({ address, ...raw }),
      (error) =>
        error instanceof Fault && error.code === 'bad-parameter' && error.message === message,
      message,
    )
  }
})
