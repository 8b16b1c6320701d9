import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { decimalOfJson, plainDecimal, product } from '../../core/text.ts'
import type { HttpReply, Transport } from '../../core/world.ts'
import { currencies } from '../../shape/evm/token.ts'
import type { ChainFacts } from '../operation/chain-directory.ts'
import { filePrices } from './price-file.ts'
import { coingecko, defillama } from './price-hosts.ts'
import { type HttpPrices, httpPrices } from './price-http.ts'
import { valueAt, listedNotes, readLabels, readReputation, readTokenList } from './token-lists.ts'

const chain: ChainFacts = {
  key: 'mainnet-c-chain',
  network: 'mainnet',
  evmChainId: 43_114,
  name: 'C-Chain',
  symbol: 'AVAX',
  decimals: 18,
  description: '',
}
const token = fromHex('0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e')
const other = fromHex(`0x${'ab'.repeat(20)}`)
const day = (text: string): number => Date.parse(`${text}T15:00:00Z`) / 1_000

void test('value: exact to the last digit, whatever the decimals', () => {
  const amount = 123_456_789_012_345_678_901_234_567_891n
  assert.equal(valueAt(amount, 30, '1'), '0.123456789012345678901234567891')
  assert.equal(valueAt(amount, 30, '3'), '0.370370367037037036703703703673')
  assert.equal(valueAt(amount, 30, '0.7'), '0.0864197523086419752308641975237')
  assert.equal(valueAt(1n, 30, '0.000001'), `0.${'0'.repeat(35)}1`)
  assert.equal(valueAt(10n ** 30n, 30, '25.50'), '25.5')
  assert.equal(valueAt(5n, 0, '2.5'), '12.5')
  assert.equal(valueAt(0n, 18, '25'), '0')
  assert.equal(valueAt(2n ** 256n - 1n, 0, '10'), `${2n ** 256n - 1n}0`)
})

void test('decimals: JSON numbers keep every digit they are written with', () => {
  for (const [source, expected] of [
    ['0.1', '0.1'],
    ['0.30000000000000000000004', '0.30000000000000000000004'],
    ['1.2e-7', '0.00000012'],
    ['12e3', '12000'],
    ['1.25E+1', '12.5'],
    ['0', '0'],
    ['1.500', '1.5'],
    ['100', '100'],
    ['-1', undefined],
    ['1e999', undefined],
    ['', undefined],
  ] as const)
    assert.equal(decimalOfJson(source), expected, source)
  assert.equal(plainDecimal('007.10'), '7.1')
  for (const text of ['', '.', '1.', '.5', '1e3', '-1', '1,5', '0x1', ' 1'])
    assert.equal(plainDecimal(text), undefined, text)
  assert.equal(product('0.1', '0.2'), '0.02')
  assert.equal(product('1000', '0.001'), '1')
})

const file = [
  'chainId,token,date,currency,price',
  '# current',
  '43114,native,,usd,25.5',
  '43114,native,,chf,20.05',
  '43114,0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E,,usd,0.9998',
  'fiat,usd,,eur,0.923456789',
  '43114,native,2026-01-05,usd,12.75',
  '43114,native,2026-01-01,usd,11',
  'fiat,usd,2026-01-01,eur,0.9',
  '',
].join('\r\n')

void test('price file: current prices, direct or by the rate of a dollar', async () => {
  const prices = filePrices('p.csv', file)
  const of = ['native', token, other] as const
  assert.deepEqual(await prices.current({ chain, of, currency: 'usd' }), [
    '25.5',
    '0.9998',
    undefined,
  ])
  assert.deepEqual(await prices.current({ chain, of: ['native'], currency: 'chf' }), ['20.05'])
  const [euro] = await prices.current({ chain, of: ['native'], currency: 'eur' })
  assert.equal(euro, '23.5481481195')
  assert.deepEqual(await prices.current({ chain, of: ['native'], currency: 'jpy' }), [undefined])
  const elsewhere = { ...chain, evmChainId: 1 }
  assert.deepEqual(await prices.current({ chain: elsewhere, of, currency: 'usd' }), [
    undefined,
    undefined,
    undefined,
  ])
})

void test('price file: a day has the newest price of the week before it', async () => {
  const prices = filePrices('p.csv', file)
  const at = (text: string, currency: 'usd' | 'eur' = 'usd') =>
    prices.historical({ chain, of: ['native'], currency, timestamp: day(text) })
  assert.deepEqual(await at('2026-01-05'), ['12.75'])
  assert.deepEqual(await at('2026-01-04'), ['11'])
  assert.deepEqual(await at('2026-01-12'), ['12.75'])
  assert.deepEqual(await at('2026-01-13'), [undefined])
  assert.deepEqual(await at('2025-12-31'), [undefined])
  assert.deepEqual(await at('2026-01-02', 'eur'), ['9.9'])
})

void test('price file: a broken line is named by line and column', () => {
  for (const [line, place] of [
    ['x,native,,usd,1', 'line 2, column 1'],
    ['43114,avax,,usd,1', 'line 2, column 7'],
    ['fiat,eur,,usd,1', 'line 2, column 6'],
    ['43114,native,2026-02-30,usd,1', 'line 2, column 14'],
    ['43114,native,,xau,1', 'line 2, column 15'],
    ['43114,native,,usd,1e3', 'line 2, column 19'],
    ['43114,native,,usd,-1', 'line 2, column 19'],
    ['43114,native,,usd', 'line 2, column 15'],
  ] as const)
    assert.throws(
      () => filePrices('p.csv', `43114,native,,usd,1\n${line}\n`),
      (error) =>
        error instanceof Fault &&
        error.code === 'bad-config' &&
        error.message.includes(`p.csv, ${place}`),
      line,
    )
})

type Answers = Record<string, string | Fault>

/** A source over answers by address, on a clock that tests move. */
function service(options: Partial<HttpPrices>, answers: Answers) {
  const time = { nowMs: 0 }
  const requests: string[] = []
  const transport: Transport = {
    request: async ({ url }): Promise<HttpReply> => {
      requests.push(url)
      const answer = answers[url]
      if (answer instanceof Fault) throw answer
      if (answer === undefined) return { status: 500, headers: {}, body: new Uint8Array() }
      return { status: 200, headers: {}, body: Buffer.from(answer) }
    },
  }
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
  const clock = { now: () => time.nowMs, monotonic: () => time.nowMs, sleep: async () => {} }
  const prices = httpPrices(
    { host: defillama, url: 'http://p', chains: new Map(), ...options },
    { transport, clock, log },
  )
  return { prices, requests, time }
}

const now =
  'http://p/prices/current/coingecko:avalanche-2,avax:0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e'
const nowAnswer = `{"coins":{"coingecko:avalanche-2":{"price":25.123456789012345678},
  "avax:0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E":{"price":1e-7}}}`

void test('http prices: DefiLlama form, every digit kept, other currencies by the rate', async () => {
  const answers: Answers = { [now]: nowAnswer, 'http://fx/latest': '{"rates":{"EUR":0.5}}' }
  const { prices, requests } = service({ fiatUrl: 'http://fx/{date}' }, answers)
  const of = ['native', token] as const
  assert.deepEqual(await prices.current({ chain, of, currency: 'usd' }), [
    '25.123456789012345678',
    '0.0000001',
  ])
  assert.deepEqual(await prices.current({ chain, of, currency: 'eur' }), [
    '12.561728394506172839',
    '0.00000005',
  ])
  assert.deepEqual(requests, [now, 'http://fx/latest'])
  assert.deepEqual(
    await prices.current({ chain: { ...chain, evmChainId: 7 }, of, currency: 'usd' }),
    [undefined, undefined],
  )
})

void test('http prices: a day of the past', async () => {
  const noon = Date.parse('2026-01-05T12:00:00Z') / 1_000
  const then = `http://p/prices/historical/${noon}/coingecko:avalanche-2`
  const { prices } = service({}, { [then]: '{"coins":{"coingecko:avalanche-2":{"price":12}}}' })
  assert.deepEqual(
    await prices.historical({
      chain,
      of: ['native'],
      currency: 'usd',
      timestamp: day('2026-01-05'),
    }),
    ['12'],
  )
})

void test('http prices: CoinGecko form in each of the fourteen currencies', async () => {
  assert.equal(currencies.length, 14)
  for (const currency of currencies) {
    const tokens = `http://p/simple/token_price/avalanche?contract_addresses=0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e&vs_currencies=${currency}&precision=full`
    const coin = `http://p/simple/price?ids=avalanche-2&vs_currencies=${currency}&precision=full`
    const past = 'http://p/coins/avalanche-2/history?date=05-01-2026&localization=false'
    const { prices } = service(
      { host: coingecko },
      {
        [tokens]: `{"0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e":{"${currency}":0.99}}`,
        [coin]: `{"avalanche-2":{"${currency}":20.5}}`,
        [past]: `{"market_data":{"current_price":{"${currency}":10.25}}}`,
      },
    )
    assert.deepEqual(await prices.current({ chain, of: [token, 'native'], currency }), [
      '0.99',
      '20.5',
    ])
    assert.deepEqual(
      await prices.historical({ chain, of: ['native'], currency, timestamp: day('2026-01-05') }),
      ['10.25'],
    )
  }
})

void test('http prices: kept five minutes, given an hour longer while the service fails, then absent', async () => {
  const answers: Answers = { [now]: nowAnswer }
  const { prices, requests, time } = service({}, answers)
  const of = ['native', token] as const
  const read = () => prices.current({ chain, of, currency: 'usd' })
  await Promise.all([read(), read(), read()])
  assert.equal(requests.length, 1)
  time.nowMs += 5 * 60_000 - 1
  await read()
  assert.equal(requests.length, 1)
  answers[now] = new Fault('node-unreachable', 'test')
  time.nowMs += 2
  assert.deepEqual(await read(), ['25.123456789012345678', '0.0000001'])
  await read()
  assert.equal(requests.length, 2, 'a failing service is left alone for a while')
  for (const wrong of [
    'not json',
    '[]',
    '{"coins":null}',
    '{"coins":{"coingecko:avalanche-2":{"price":"x"}}}',
  ]) {
    time.nowMs += 60 * 60_000
    answers[now] = wrong
    const [price] = await read()
    assert.equal(price, undefined, wrong)
  }
})

void test('http prices: beyond the most that is kept, the oldest alone are requested again', async () => {
  const { prices, requests } = service({}, {})
  const read = (things: readonly Uint8Array[]) =>
    prices.current({ chain, of: things, currency: 'usd' })
  const tokens = Array.from({ length: 20_001 }, (_, number) =>
    fromHex(`0x${number.toString(16).padStart(40, '0')}`),
  )
  await read(tokens)
  await read([other])
  const before = requests.length
  await read(tokens.slice(2))
  assert.equal(requests.length, before)
  await read(tokens.slice(0, 2))
  assert.equal(requests.length, before + 1)
})

void test('token list: names and logos, the first list wins; reputation beside it', () => {
  const list = (name: string) =>
    readTokenList(
      'l.json',
      JSON.stringify({
        tokens: [
          {
            chainId: 43_114,
            address: `0x${'AB'.repeat(20)}`,
            name,
            symbol: 'S',
            decimals: 6,
            logoURI: 'https://logo.example/a.png',
          },
        ],
      }),
    )
  const rated = readReputation('r.csv', `# ours\n43114,0x${'ab'.repeat(20)},Malicious\r\n\n`)
  const notes = listedNotes([list('One'), list('Two')], rated)
  assert.deepEqual(notes(chain, other), {
    name: 'One',
    symbol: 'S',
    logoUri: 'https://logo.example/a.png',
    listed: true,
    reputation: 'Malicious',
  })
  assert.equal(notes(chain, token), undefined)
  assert.equal(notes({ ...chain, evmChainId: 1 }, other), undefined)
})

void test('token list: what is broken is named by line and column', () => {
  const address = `0x${'ab'.repeat(20)}`
  for (const [text, place] of [
    ['{\n  "tokens": [,]\n}', 'line 2, column 14'],
    ['{\n  "tokens": 7\n}', 'line 2, column 13'],
    ['[]', 'line 1, column 1'],
    ['{"tokens": [\n  {"chainId": "1", "address": "x"}]}', 'line 2, column 15'],
    [
      `{"tokens": [\n  {"chainId": 1, "address": "${address}"},\n  {"chainId": 1, "address": "0x12"}]}`,
      'line 3, column 29',
    ],
    [
      `{"a": "]}\\"", "tokens": [{"chainId": 1, "address": "${address}",\n"logoURI": 5}]}`,
      'line 2, column 12',
    ],
  ] as const)
    assert.throws(
      () => readTokenList('l.json', text),
      (error) =>
        error instanceof Fault &&
        error.code === 'bad-config' &&
        error.message.startsWith(`l.json, ${place}`),
      text,
    )
  assert.throws(() => readReputation('r.csv', `1,${address},Bad`), /r\.csv, line 1, column 46/)
})

void test('labels of addresses: of one chain or of all, a wrong line is named', () => {
  const one = `0x${'1a'.repeat(20)}`
  const two = `0x${'2b'.repeat(20)}`
  const labels = readLabels(
    'labels.csv',
    `# ours\n${one},Bridge\n\n7,${two},"Vault, cold"\n7,${one},Gate\n`,
  )
  const notes = listedNotes([], [], labels)
  const at = (evmChainId: number, address: string): string | undefined =>
    notes({ ...chain, evmChainId }, fromHex(address))?.label
  assert.deepEqual(
    [at(1, one), at(7, one), at(7, two), at(1, two)],
    ['Bridge', 'Gate', 'Vault, cold', undefined],
  )
  for (const line of ['0x12,short', one, `${one},`, `x,${one},name`, `${one},${'n'.repeat(81)}`])
    assert.throws(() => readLabels('labels.csv', `# head\n${line}`), /labels.csv, line 2/, line)
})
