/** Sentences of recorded transactions, each read against what it moved: who did what, by amounts of the token and by labels. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cast } from '../browser/places.ts'
import { demoFolder, startDemo, untilDemoServed } from '../support/processes/firn-process.ts'

/** Chain, beginning of the hash, sentence. */
const sentences = `
51001 0x1cdffe18 Trader bridged 15 GLC to Traveller on Harbor
51001 0x0bd85012 Relayer delivered 20 GLC to Trader from C-Chain
51001 0x785c5498 Trader bridged 75 GLC to Traveller on C-Chain, delivered in 6 s
51001 0x65ae20f3 Trader bridged 10 GLC to Traveller on Harbor, delivered in 2 s
51001 0x9b5321a9 Relayer got 7.5 DUSD from Interchain messenger
51001 0xb2ad314d Relayer delivered 30 GLC to Trader from Harbor
51001 0x566bb48c Trader sent 1.5 DUSD to Interchain messenger
51001 0x8a688c51 Trader sent 133 DUSD to 0xEE6c…8CB8
51001 0x923f5e64 Traveller sent 18 DUSD to Trader
51001 0xc0d1e174 Trader sent 0.5 SUM to WSUM
51001 0x91751955 Collector sent 2 × Badge 1 to Traveller
51001 0x05ac84d4 Traveller sent 0.020000000000000013 SUM to 0xDC67…1eE1
51001 0x001464d2 0x8db9…52FC sent 0.1 SUM to Trader
51001 0xc985f79b 0x768A…7003 called give on 0x3422…76f4: 8 token transfers
51001 0xd53e4b0a Collector sent Summit Views 7 to Traveller
51001 0x885eb699 Trader swapped 0.4 SUM for 10 GLC on Summit market
51001 0x1986f519 Collector minted 10 × Badge 1
51001 0x70b3caa4 Trader sent 132 DUSD to 0xF62b…5254
51001 0x18414555 Traveller sent 17 DUSD to Trader
51001 0x5621a801 0x8db9…52FC sent 0.1 SUM to Builder
51001 0x80110c58 Traveller sent 0.020000000000000012 SUM to 0xd08d…a5Ea
51001 0xbd886526 Collector minted Summit Views 7
51001 0x777fe635 Trader swapped 0.375 SUM for 9.375 GLC on Summit market
51001 0xc1d65352 Collector called safeBatchTransferFrom on BADGE: 2 NFT transfers
51001 0xfa0677e1 Trader swapped 14 GLC for 0.56 SUM on Summit market
51001 0x473ec1c4 Collector sent Summit Views 6 to Traveller
51001 0x47c4b0c2 Collector sent 2 × Badge 2 to Traveller
51001 0x5fc481ce 0x8db9…52FC called sendWarpMessage on 0x0200…0005
51001 0xc7db017c Collector minted Summit Views 6
51001 0x246ea89b 0x8db9…52FC called sendWarpMessage on 0x0200…0005
51001 0x9cc223b6 Collector minted 10 × Badge 2
51001 0x3e3f0169 Trader sent 0.5 SUM to WSUM
51001 0x97db0b02 Trader swapped 11 GLC for 0.44 SUM on Summit market
51001 0x534d474e 0x768A…7003 called give on 0x3422…76f4: 8 token transfers
51001 0xbe8c9089 Trader got 0.25 SUM from WSUM
51001 0xb8621404 Builder called 0x00000000 on TokenMaker; it failed
51001 0x33ca60d8 Builder called upgrade on Proxy
51001 0xd715b7cd Builder created the contract Proxy
51001 0x854a0cb0 Builder sent 25 GLC to Traveller
51001 0x4347321c Builder minted 1000000 MADE
51001 0xe2e6a044 Builder created the contract TokenMaker
51001 0xb6bedfa9 Trader let Interchain messenger spend unlimited DUSD
51001 0x74bd802c Trader let Bridge to Harbor spend unlimited GLC
51001 0xa242b08e Builder created the contract Bridge to Harbor
51001 0x469fbdce Trader let Summit market spend unlimited GLC
51001 0xc65db2f7 Builder sent 5000 GLC to Trader
51001 0xba1b3c41 Builder sent 10000 DUSD to 0x768A…7003
51001 0x0446fa43 Builder sent 10000 DUSD to Relayer
51001 0xd873cd87 0x768A…7003 created the contract 0x3422…76f4
51001 0x84c91bb8 Builder created the contract BADGE
51001 0xe8622c4b Builder created the contract SUMM
51001 0xdfb7b8e0 Builder sent 200000 GLC to Summit market
51001 0x494f8008 Builder created the contract Summit market
51001 0x21ac3957 Builder created the contract GLC
51001 0xc0ba6008 Builder created the contract DUSD
51001 0xcfb52ceb Builder created the contract WSUM
51001 0x78f8e462 Builder created the contract Interchain messenger
51002 0xab24bf25 Relayer minted 10 GLC.h to Traveller
51002 0x7b26c2e2 Builder called setOpen on GLC.h
51002 0xecbd7eca Relayer delivered a message from Summit
51002 0xd9cca026 Builder called setOpen on GLC.h
51002 0x2d744394 Traveller bridged 30 GLC.h to Trader on Summit, delivered in 1 s
51002 0xbfd50035 Relayer delivered 60 GLC.h to Traveller from Summit
51002 0x2e8c3107 Relayer delivered 125 GLC.h to Traveller from Summit
51002 0xff20cb9d Trader sent 133 DUSD to 0xEE6c…8CB8
51002 0x3006b3cb Trader sent 0.5 HBR to WHBR
51002 0xd7d70395 Traveller sent 18 DUSD to Trader
51002 0x176d0249 Collector sent 2 × Badge 1 to Traveller
51002 0xae6de0f9 Trader swapped 0.4 HBR for 10 LNT on Exchange
51002 0xbed40c8a 0x8db9…52FC sent 0.1 HBR to Trader
51002 0x57288646 Traveller sent 0.020000000000000013 HBR to 0xDC67…1eE1
51002 0x2f54827b Collector sent Harbor Lights 7 to Traveller
51002 0x3353adea 0x768A…7003 called give on 0x3422…76f4: 8 token transfers
51002 0xaeecba2e Trader sent 132 DUSD to 0xF62b…5254
51002 0x8f890551 Traveller sent 17 DUSD to Trader
51002 0xc68bcb7d Collector minted 10 × Badge 1
51002 0xc3720f13 0x8db9…52FC sent 0.1 HBR to Builder
51002 0x6c7f34d2 Traveller sent 0.020000000000000012 HBR to 0xd08d…a5Ea
51002 0x3741ebe0 Collector minted Harbor Lights 7
51002 0x0889c96e Trader swapped 0.375 HBR for 9.375 LNT on Exchange
51002 0xaf0d445d Collector called safeBatchTransferFrom on BADGE: 2 NFT transfers
51002 0xa4aef38f Trader swapped 14 LNT for 0.56 HBR on Exchange
51002 0x89539a94 Collector sent Harbor Lights 6 to Traveller
51002 0xabc5ff71 Collector sent 2 × Badge 2 to Traveller
51002 0x9b712265 Collector minted Harbor Lights 6
51002 0x69d9e87d Trader sent 0.5 HBR to WHBR
51002 0xb2eef109 Collector minted 10 × Badge 2
51002 0xa28850da 0x768A…7003 called give on 0x3422…76f4: 8 token transfers
51002 0xa6458ae1 Trader swapped 11 LNT for 0.44 HBR on Exchange
51002 0xd2f8fe12 Trader got 0.25 HBR from WHBR
51002 0x6ca67f42 Builder created the contract GLC.h
51002 0x4f204e66 Trader let Exchange spend unlimited LNT
51002 0xea9b7224 Builder sent 5000 LNT to Trader
51002 0x4efdbee9 Builder sent 10000 DUSD to 0x768A…7003
51002 0xb0fcd945 Builder sent 10000 DUSD to Relayer
51002 0x9df56236 0x768A…7003 created the contract 0x3422…76f4
51002 0x8ca7fb90 Builder created the contract BADGE
51002 0x1d873234 Builder created the contract HARB
51002 0x1bd749e7 Builder sent 200000 LNT to Exchange
51002 0xd6016f94 Builder created the contract Exchange
51002 0x687503f4 Builder created the contract LNT
51002 0x3f48877b Builder created the contract DUSD
51002 0x2feb43d9 Builder created the contract WHBR
51002 0xe5f1032a Builder created the contract Interchain messenger
`

type Part = { readonly text: string; readonly address?: string; readonly chainId?: string }
type Detail = { readonly summary: { readonly text: string; readonly parts: readonly Part[] } }

void test('summaries: a transaction is described as people would say it', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const wrong: string[] = []
  for (const line of sentences.trim().split('\n')) {
    const [, chain = '', begin = '', sentence = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
    const found = await firn.get(`/v1/search?q=${begin}`)
    const { hits } = found as { hits: { kind: string; chainId: string; path: string }[] }
    const hit = hits.find((one) => one.kind === 'transaction' && one.chainId === chain)
    assert.ok(hit !== undefined, begin)
    const { summary } = (await firn.get(hit.path)) as unknown as Detail
    if (summary.text !== sentence) wrong.push(`${begin}: ${summary.text}, not: ${sentence}`)
    assert.equal(summary.parts.map(({ text }) => text).join(''), summary.text)
    // Who receives what was bridged to Harbor is an address there.
    if (!sentence.endsWith(' to Traveller on Harbor')) continue
    const receiver = summary.parts.find(({ text }) => text === 'Traveller')
    assert.equal(receiver?.chainId, '51002')
    assert.match(receiver.address ?? '', /^0x[0-9a-fA-F]{40}$/)
  }
  assert.equal(wrong.join('\n'), '')
})

type Row = {
  readonly chainId: string
  readonly txHash: string
  readonly summary?: Detail['summary']
}
type MessageRow = {
  readonly sourceEvmChainId: string
  readonly sourceTransaction?: { readonly txHash: string }
  readonly summary?: Detail['summary']
}

void test('summaries: lists and messages have the text of the page of the transaction', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const summaryOf = async (chainId: string, txHash: string): Promise<string> => {
    const detail = (await firn.get(
      `/v1/chains/${chainId}/transactions/${txHash}`,
    )) as unknown as Detail
    return detail.summary.text
  }
  for (const path of ['/v1/transactions', '/v1/chains/51001/transactions']) {
    const plain = (await firn.get(`${path}?pageSize=3`)) as unknown as { transactions: Row[] }
    assert.ok(plain.transactions.every(({ summary }) => summary === undefined))
    const list = await firn.get(`${path}?status=success&summaries=true&pageSize=20`)
    const { transactions } = list as unknown as { transactions: Row[] }
    assert.equal(transactions.length, 20)
    for (const { chainId, txHash, summary } of transactions)
      assert.equal(summary?.text, await summaryOf(chainId, txHash))
  }
  // Trader's.
  const address = '0x2f5610c3583353fd58C530927A7388c7A896f6e8'
  for (const path of [
    '/v1/chains/51001/blocks/60/transactions?',
    `/v1/chains/51001/addresses/${address}/transactions?pageSize=20&`,
    `/v1/chains/51001/addresses/${address}/transactions:listNative?pageSize=20&`,
  ]) {
    const list = await firn.get(`${path}summaries=true`)
    const { transactions } = list as unknown as {
      transactions: readonly (Row | { nativeTransaction: Row })[]
    }
    assert.ok(transactions.length > 3, path)
    for (const one of transactions) {
      const { chainId, txHash, summary } = 'nativeTransaction' in one ? one.nativeTransaction : one
      assert.equal(summary?.text, await summaryOf(chainId, txHash))
    }
  }
  const own = await firn.get(`/v1/icm/addresses/${address}/messages?summaries=true`)
  for (const { summary } of (own as unknown as { messages: MessageRow[] }).messages)
    assert.match(summary?.text ?? '', /bridged|delivered|sent|got/)
  const list = await firn.get('/v1/icm/messages?summaries=true&pageSize=20')
  const { messages } = list as unknown as { messages: MessageRow[] }
  const sentences = messages.map(({ summary }) => summary?.text ?? '')
  assert.ok(
    sentences.some((text) => / bridged .* GLC to Traveller on Harbor, delivered in /.test(text)),
  )
  for (const { sourceEvmChainId, sourceTransaction, summary } of messages)
    if (sourceTransaction !== undefined && summary !== undefined)
      assert.equal(summary.text, await summaryOf(sourceEvmChainId, sourceTransaction.txHash))
})

type Unit = { readonly address?: string; readonly symbol: string; readonly decimals: number }
type Value = {
  readonly name: string
  readonly value: string
  readonly token?: Unit
  readonly tokens?: Readonly<Record<string, Unit>>
}
type Words = { readonly decoded?: { readonly name: string; readonly parameters: readonly Value[] } }

/** Numbers of events with what they are amounts of: `tokens 10 GLC`. */
function told(log: Words): string[] {
  return (log.decoded?.parameters ?? [])
    .filter(({ token }) => token !== undefined)
    .map(({ name, value, token }) => {
      const { decimals = 0, symbol = '', address } = token ?? {}
      const units = Number(value) / 10 ** decimals
      return `${name} ${units} ${symbol}${address === undefined ? '' : ` ${address.toLowerCase()}`}`
    })
}

void test('summaries: amounts in events, calls and results say of what they are', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const chain = '/v1/chains/51001'
  const [token = '', market = ''] = [cast['Summit.token'], cast['Summit.exchange']]
  const events = async (path: string): Promise<string[][]> => {
    const { logs } = (await firn.get(`${chain}/${path}`)) as unknown as { logs: Words[] }
    return logs.map(told)
  }
  const traded = 'event=Traded(address,bool,uint256,uint256)'
  const path = `logs?address=${market}&${traded}`
  const { logs } = (await firn.get(`${chain}/${path}&amounts=true`)) as unknown as {
    logs: readonly (Words & { txHash: string })[]
  }
  assert.ok(logs.length >= 4)
  for (const log of logs) {
    // The sentence is made of what the sender had before and after.
    const { summary } = (await firn.get(`${chain}/transactions/${log.txHash}`)) as unknown as Detail
    const [tokens = '', coins = ''] = told(log)
    assert.ok(tokens.endsWith(` ${token}`))
    for (const amount of [tokens, coins]) {
      const [, units, symbol] = amount.split(' ')
      assert.match(summary.text, new RegExp(`swapped .*\\b${units} ${symbol}\\b`))
    }
  }
  // Without the parameter nobody looks at what moved; a token's own amounts are known by their names.
  assert.deepEqual(await events(`${path}&pageSize=1`), [[]])
  const transfer = 'event=Transfer(address,address,uint256)&pageSize=1'
  assert.deepEqual(await events(`logs?address=${token}&${transfer}`), [[`value 15 GLC ${token}`]])

  // A fee that is paid later: an amount beside the address of its token, which the transaction does not move.
  const { logs: receipts } = (await firn.get(
    `${chain}/logs?address=${cast['messenger']}&event=ReceiptReceived(bytes32,bytes32,address,(address,uint256))`,
  )) as unknown as { logs: Words[] }
  assert.ok(receipts.length > 0)
  for (const { decoded } of receipts) {
    const fee = decoded?.parameters.find(({ name }) => name === 'feeInfo')
    const { amount = '' } = JSON.parse(fee?.value ?? '') as { amount?: string }
    assert.equal(fee?.tokens?.[amount]?.symbol, 'DUSD')
  }

  const hash = cast['tx transfer'] ?? ''
  assert.deepEqual(await events(`transactions/${hash}/logs`), [[`value 25 GLC ${token}`]])
  const { nativeTransaction } = (await firn.get(`${chain}/transactions/${hash}`)) as unknown as {
    nativeTransaction: { decodedInput: Words['decoded'] }
  }
  const units = nativeTransaction.decodedInput?.parameters.map((one) => one.token?.symbol)
  assert.deepEqual(units, [undefined, 'GLC'])

  const abi = {
    type: 'function',
    name: 'totalSupply',
    inputs: [],
    outputs: [{ name: '', type: 'uint256' }],
    stateMutability: 'view',
  }
  const reply = await fetch(`${firn.apiUrl}${chain}/contracts/${token}/calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ calls: [{ abi }] }),
  })
  const { calls } = (await reply.json()) as { calls: [{ values: Value[] }] }
  assert.equal(calls[0].values[0]?.token?.symbol, 'GLC')
})
