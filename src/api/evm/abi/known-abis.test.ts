import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keccak_256 } from '@noble/hashes/sha3.js'
import { erc1155Abi, erc20Abi, erc721Abi, toEventSignature, toFunctionSignature } from 'viem'

import { readAbi } from '../../../codec/evm/abi/abi.ts'
import { toChecksumAddress } from '../../../core/address.ts'
import { fromHex } from '../../../core/bytes.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import { createAbiBook, decodedLog, joinedBooks } from './abi-book.ts'
import { abiOfStandard, inputBySignature, inputInWords, wellKnown } from './known-abis.ts'

const pad = (hex: string): string => hex.padStart(64, '0')
const text = (hex: string): string => hex.padEnd(64, '0')
const eventOf = (log: { address: string; topics: string[]; data: string }): Decoded | undefined =>
  decodedLog(wellKnown, '1', log)

/** Topic of an event by its signature. Source: Solidity's contract ABI specification, Events. */
const topicOf = (signature: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(signature))).toString('hex')}`

void test('logs: what is indexed and what is not are listed together, in the event’s order', () => {
  const [alice, bob] = ['aa'.repeat(20), 'bb'.repeat(20)]
  const alice0 = toChecksumAddress(fromHex(alice))
  const bob0 = toChecksumAddress(fromHex(bob))
  const id = `0x${'cd'.repeat(32)}`
  const cases: [string, string[], string, string[]][] = [
    ['Transfer(address,address,uint256)', [alice, bob], pad('7'), [alice0, bob0, '7']],
    ['Transfer(address,address,uint256)', [alice, bob, '7'], '', [alice0, bob0, '7']],
    ['Approval(address,address,uint256)', [alice, bob], pad('1'), [alice0, bob0, '1']],
    ['ApprovalForAll(address,address,bool)', [alice, bob], pad('1'), [alice0, bob0, 'true']],
    [
      'TransferSingle(address,address,address,uint256,uint256)',
      [alice, alice, bob],
      pad('3') + pad('15'),
      [alice0, alice0, bob0, '3', '21'],
    ],
    [
      'TransferBatch(address,address,address,uint256[],uint256[])',
      [alice, alice, bob],
      [pad('40'), pad('80'), pad('1'), pad('5'), pad('1'), pad('6')].join(''),
      [alice0, alice0, bob0, '["5"]', '["6"]'],
    ],
    ['Deposit(address,uint256)', [alice], pad('9'), [alice0, '9']],
    ['Withdrawal(address,uint256)', [alice], pad('9'), [alice0, '9']],
    ['OwnershipTransferred(address,address)', [alice, bob], '', [alice0, bob0]],
    [
      'SendWarpMessage(address,bytes32,bytes)',
      [alice, id.slice(2)],
      pad('20') + pad('2') + text('abcd'),
      [alice0, id, '0xabcd'],
    ],
    ['MessageExecuted(bytes32,bytes32)', [id.slice(2), id.slice(2)], '', [id, id]],
  ]
  for (const [signature, indexed, data, values] of cases) {
    const log = {
      address: `0x${bob}`,
      topics: [topicOf(signature), ...indexed.map((topic) => `0x${pad(topic)}`)],
      data: `0x${data}`,
    }
    const event = eventOf(log)
    assert.equal(event?.signature, signature)
    assert.deepEqual(
      event?.parameters.map(({ value }) => value),
      values,
      signature,
    )
    // A log that does not fit its event is shown as it is.
    assert.equal(eventOf({ ...log, topics: log.topics.slice(0, 1), data: '0x' }), undefined)
  }
  assert.equal(eventOf({ address: '', topics: [], data: '0x' }), undefined)
  const other = topicOf('Unknown(uint256)')
  assert.equal(eventOf({ address: '', topics: [other], data: '0x' }), undefined)
})

void test('inputs by signature: the examples of the ABI specification, nothing where they are cut', () => {
  // Source: docs.soliditylang.org, Contract ABI Specification, Use of Dynamic Types.
  const signature = 'f(uint256,uint32[],bytes10,bytes)'
  const input = `8be65246${[pad('123'), pad('80'), text('31323334353637383930'), pad('e0'), pad('2'), pad('456'), pad('789'), pad('d'), text('48656c6c6f2c20776f726c6421')].join('')}`
  const decoded = inputBySignature(signature, fromHex(input))
  assert.deepEqual(
    decoded?.parameters.map(({ value }) => value),
    ['291', '["1110","1929"]', '0x31323334353637383930', '0x48656c6c6f2c20776f726c6421'],
  )
  for (let size = 0; size < input.length - 64; size += 2)
    assert.equal(inputBySignature(signature, fromHex(input.slice(0, size))), undefined)
  assert.equal(inputBySignature('no signature', fromHex(input)), undefined)
})

void test('inputs: the ABI of the callee comes before signatures that are listed, and alone where it is whole', () => {
  const contract = { chainId: '1', address: `0x${'cc'.repeat(20)}` }
  const listed = 'burn(uint256)'
  const burn = fromHex(`42966c68${pad('7')}`)
  const entries = readAbi([
    { type: 'function', name: 'mint', inputs: [{ name: 'times', type: 'uint8' }] },
  ])
  const mint = fromHex(`6ecd2306${pad('3')}`)
  for (const isWhole of [false, true]) {
    const book = joinedBooks(createAbiBook([{ ...contract, entries, isWhole }]), wellKnown)
    const own = inputInWords(book, contract, { bytes: mint, listed: 'other(uint8)' })
    assert.deepEqual([own.methodName, own.decodedInput?.parameters[0]?.value], ['mint(uint8)', '3'])
    const other = inputInWords(book, contract, { bytes: burn, listed })
    assert.equal(other.methodName, isWhole ? undefined : listed)
    assert.equal(other.decodedInput === undefined, isWhole)
  }
})

void test('ABIs of the standards: each method and event is as another library has it', () => {
  const others = [...erc20Abi, ...erc721Abi, ...erc1155Abi].flatMap((item) =>
    item.type === 'error' ? [] : [item],
  )
  const lineOf = (item: (typeof others)[number]): string =>
    item.type === 'event'
      ? `event ${toEventSignature(item)} ${item.inputs.map(({ indexed }) => indexed).join()}`
      : `${item.stateMutability === 'view' ? 'view' : ''} ${toFunctionSignature(item)} ${item.outputs.map(({ type }) => type).join()}`
  const known = new Set(others.map(lineOf))
  for (const standard of [20, 721, 1155]) {
    const items = abiOfStandard(standard)
    assert.ok(items.length > 5)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a wrong form fails the comparison
    for (const item of items)
      assert.ok(known.has(lineOf(item as (typeof others)[number])), JSON.stringify(item))
  }
  assert.deepEqual(abiOfStandard(0), [])
})
