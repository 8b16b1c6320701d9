import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { toPrimaryAddress } from '../../core/address.ts'
import { to0x, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { hrpOf } from '../../core/network.ts'
import { decode, encode } from '../cursor.ts'
import { buildGenesis, localStartTimes } from './genesis-build.ts'
import { parseGenesisConfig } from './genesis-config.ts'
import { fxIds, pGenesis, readGenesis, vmIds, type GenesisFacts } from './genesis.ts'
import { transactionIdOf, utxoIdOf } from './ids.ts'

const vectorsUrl = new URL('../../../vectors/primary/', import.meta.url)

type ExpectedUtxo = {
  readonly outputIndex: number
  readonly stakeableLocktime: string
  readonly amount: string
  readonly addr: string
  readonly message: string
  readonly utxoID: string
}
type Expected = {
  readonly network: string
  readonly genesisBytesLength: number
  readonly genesisID: string
  readonly pChainGenesisBlockID: string
  readonly avaxAssetID: string
  readonly xChainID: string
  readonly cChainID: string
  readonly timestamp: string
  readonly initialSupply: string
  readonly message: string
  readonly utxoCount: number
  readonly xChainAvaxHolders: number
  readonly firstUtxos: readonly ExpectedUtxo[]
  readonly lastUtxo?: ExpectedUtxo
  readonly totalUtxoAmount: string
  readonly validatorCount: number
  readonly validators: readonly {
    readonly txID: string
    readonly nodeId: string
    readonly end: string
    readonly weight: string
    readonly stakeOutputs: number
    readonly shares: number
  }[]
}

const expectations: readonly Expected[] = JSON.parse(
  readFileSync(new URL('genesis.json', vectorsUrl), 'utf8'),
)

function textOf(network: string): string {
  const file = new URL(`../../../data/genesis/${network}.json.gz`, import.meta.url)
  return gunzipSync(readFileSync(file)).toString('utf8')
}

function utxoView(facts: GenesisFacts, index: number): ExpectedUtxo | undefined {
  const entry = facts.genesis.utxos[index]
  if (entry === undefined) return undefined
  const { utxo, message } = entry
  const inner = utxo.output.typeId === 22 ? utxo.output.output : utxo.output
  return {
    outputIndex: utxo.outputIndex,
    stakeableLocktime: utxo.output.typeId === 22 ? String(utxo.output.locktime) : '0',
    amount: String(inner.amount),
    addr: toPrimaryAddress(hrpOf(facts.networkId), inner.addresses[0] ?? new Uint8Array(0)),
    message: to0x(message),
    utxoID: toCb58(utxoIdOf(utxo.txId, utxo.outputIndex)),
  }
}

for (const expected of expectations) {
  void test(`genesis: ${expected.network} is rebuilt to the bytes and ids upstream expects`, () => {
    const bytes = buildGenesis(parseGenesisConfig(textOf(expected.network)))
    assert.equal(bytes.length, expected.genesisBytesLength)
    const facts = readGenesis(bytes)
    assert.equal(toCb58(facts.genesisId), expected.genesisID)
    assert.equal(toCb58(facts.pBlockId), expected.pChainGenesisBlockID)
    assert.equal(toCb58(facts.xChainId), expected.xChainID)
    assert.equal(toCb58(facts.cChainId), expected.cChainID)
    assert.equal(toCb58(facts.avaxAssetId), expected.avaxAssetID)
    const { genesis } = facts
    assert.equal(String(genesis.time), expected.timestamp)
    assert.equal(String(genesis.initialSupply), expected.initialSupply)
    assert.equal(genesis.message, expected.message)
    assert.equal(genesis.utxos.length, expected.utxoCount)
    assert.equal(facts.xGenesis[0]?.initialStates[0]?.outputs.length, expected.xChainAvaxHolders)
    for (const [index, utxo] of expected.firstUtxos.entries()) {
      assert.deepEqual(utxoView(facts, index), utxo)
    }
    if (expected.lastUtxo !== undefined) {
      assert.deepEqual(utxoView(facts, genesis.utxos.length - 1), expected.lastUtxo)
    }
    assert.equal(genesis.validators.length, expected.validatorCount)
    for (const [index, validator] of expected.validators.entries()) {
      const found = genesis.validators[index]
      assert.ok(found !== undefined)
      const { unsigned } = found.record
      assert.ok(unsigned.typeId === 12 || unsigned.typeId === 25)
      assert.equal(toCb58(transactionIdOf(found.bytes)), validator.txID)
      assert.equal(toNodeId(unsigned.nodeId), validator.nodeId)
      assert.equal(String(unsigned.end), validator.end)
      assert.equal(String(unsigned.weight), validator.weight)
      assert.equal(unsigned.stake.length, validator.stakeOutputs)
      assert.equal(unsigned.delegationShares, validator.shares)
    }
    assert.equal(toHex(encode(pGenesis, genesis)), toHex(bytes))
  })
}

void test('genesis: every truncation of the local one is a fault', () => {
  const bytes = buildGenesis(parseGenesisConfig(textOf('local')))
  for (let size = 0; size < bytes.length; size++) {
    assert.throws(() => decode(pGenesis, bytes.subarray(0, size)), Fault, `${size}`)
  }
})

void test('genesis: VM and feature extension ids are the padded names upstream prints', () => {
  const [ids]: [{ vmIDs: Record<string, string>; fxIDs: Record<string, string> }] = JSON.parse(
    `[${readFileSync(new URL('ids.json', vectorsUrl), 'utf8')
      .trim()
      .replace(/^\[|\]$/g, '')}]`,
  )
  for (const [name, id] of Object.entries(vmIds)) assert.equal(toCb58(id), ids.vmIDs[name])
  for (const [name, id] of Object.entries(fxIds)) assert.equal(toCb58(id), ids.fxIDs[name])
})

void test('genesis: a file with a missing or wrong field is refused with its name', () => {
  const good: Record<string, unknown> = JSON.parse(textOf('local'))
  for (const name of ['networkID', 'allocations', 'startTime', 'cChainGenesis']) {
    const { [name]: _left, ...rest } = good
    assert.throws(() => parseGenesisConfig(JSON.stringify(rest)), new RegExp(name))
  }
  assert.throws(() => parseGenesisConfig('{'), Fault)
  assert.throws(() => parseGenesisConfig('[]'), Fault)
  assert.throws(() => parseGenesisConfig(JSON.stringify({ ...good, startTime: -1 })), Fault)
})

void test('genesis: local networks start at a whole number of periods, newest first', () => {
  assert.deepEqual(localStartTimes(1_721_016_000n, 1_721_015_999n), [1_721_016_000n])
  assert.deepEqual(localStartTimes(1_721_016_000n, 1_744_344_000n), [
    1_744_344_000n,
    1_721_016_000n,
  ])
})
