import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ChainFacts } from '../operation/chain-directory.ts'
import { valueAt } from '../prices/token-lists.ts'
import { createMethodNames, selectorOf } from './abi/known-methods.ts'
import { decimalText } from './answers.ts'
import { looksLikeSpam } from './tokens/spam.ts'
import { methodOf } from './transactions/transaction-views.ts'

void test('decimal text: every length from nothing to 32 bytes is exact', () => {
  assert.equal(decimalText('0x'), '0')
  assert.equal(decimalText('0x0a'), '10')
  assert.equal(decimalText('0xffffffffffff'), '281474976710655')
  assert.equal(decimalText('0x20000000000001'), '9007199254740993')
  const most = decimalText(`0x${'ff'.repeat(32)}`)
  assert.equal(
    most,
    '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  )
})

void test('method: an input shorter than a selector shows what there is, without a name', async () => {
  const names = await createMethodNames()([])
  const call = (inputLength: number, selector: number): object =>
    methodOf({ toId: 1, inputLength, selector }, names)
  assert.deepEqual(call(1, 0x0a_00_00_00), { callType: 'CONTRACT_CALL', methodHash: '0x0a' })
  assert.deepEqual(call(3, 0x00_00_01_00), { callType: 'CONTRACT_CALL', methodHash: '0x000001' })
  assert.deepEqual(call(4, 0xff_ff_ff_fe), { callType: 'CONTRACT_CALL', methodHash: '0xfffffffe' })
})

void test('method names: selectors are those the standards print', async () => {
  // Source: ERC-721 and ERC-1155, parts on interface identifiers and receivers.
  assert.equal(selectorOf('onERC721Received(address,address,uint256,bytes)'), 0x15_0b_7a_02)
  assert.equal(
    selectorOf('onERC1155Received(address,address,uint256,uint256,bytes)'),
    0xf2_3a_6e_61,
  )
  const own = await createMethodNames(['burn(uint256)', 'gamble(address)'])([])
  assert.equal(own(selectorOf('gamble(address)')), 'gamble(address)')
  assert.equal(own(0x01_02_03_04), undefined)
  // Mined for its selector, 0x00000000. Source: Seaport, BasicOrderFulfiller.
  const mined =
    'fulfillBasicOrder_efficient_6GL6yc((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))'
  assert.equal(selectorOf(mined), 0)
  assert.equal((await createMethodNames([mined])([]))(selectorOf(mined)), undefined)
  assert.equal((await createMethodNames()([]))(0), undefined)
})

void test('value: amount times price, exact to the last digit', () => {
  assert.equal(valueAt(1_500_000n, 6, '2'), '3')
  assert.equal(valueAt(1n, 18, '25.5'), '0.0000000000000000255')
  assert.equal(valueAt(10n ** 30n + 1n, 18, '0.1'), '100000000000.0000000000000000001')
  assert.equal(valueAt(1_999_999n, 6, '0.000001'), '0.000001999999')
  assert.equal(valueAt(123_456_789n, 0, '1.10'), '135802467.9')
})

void test('spam: bait is recognised, names of real tokens are not', () => {
  const facts: ChainFacts = {
    key: 'c',
    network: 'mainnet',
    evmChainId: 43114,
    name: 'C-Chain',
    symbol: 'AVAX',
    decimals: 18,
    description: '',
  }
  const judge = (name: string, symbol: string): boolean =>
    looksLikeSpam({ name, symbol }, undefined, facts)
  for (const [name, symbol] of [
    ['Visit claim-rewards.example', '$ Claim'],
    ['https://free.money', 'FREE'],
    ['$ 5000 reward', 'RWD'],
    ['t.me/freecoins', 'TG'],
    ['USD\u200bC', 'USDC'],
    ['Tеther', 'USDT'],
    ['Avalanche', 'AVAX'],
  ] as const)
    assert.equal(judge(name, symbol), true, name)
  for (const [name, symbol] of [
    ['USD Coin', 'USDC'],
    ['TetherToken', 'USDt'],
    ['Wrapped Ether', 'WETH.e'],
    ['Wrapped AVAX', 'WAVAX'],
    ['Bitcoin', 'BTC.b'],
    ['yearn.finance', 'YFI.e'],
    ['Staked AVAX', 'sAVAX'],
    ['测试币', 'CSB'],
  ] as const)
    assert.equal(judge(name, symbol), false, name)
  const claim = { name: 'Claim', symbol: 'C' }
  assert.equal(looksLikeSpam(claim, { reputation: 'Benign' }, facts), false)
  assert.equal(looksLikeSpam({ ...claim, name: 'Fine' }, { reputation: 'Malicious' }, facts), true)
})
