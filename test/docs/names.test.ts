/**
 * Names stand wherever addresses do: every operation about EVM chains is requested on the demo, about every address that
 * has a label or a verified name, and each answer is walked for these addresses.
 */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { printedExamples } from '../../src/api/server/openapi/printed-examples.ts'
import { isObject } from '../../src/core/json.ts'
import type { Contract } from '../../src/shape/operations/contract.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import {
  demoFolder,
  startDemo,
  untilDemoServed,
  type RunningFirn,
} from '../support/processes/firn-process.ts'

const chainId = '51001'
const ofRoot = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Answers in other forms, lists of what the caller named, and values as a contract logged them. */
const exempt = new Set([
  'etherscan',
  'etherscanOfChain',
  'getSourcifyContract',
  'getVerification',
  'listContractEvents',
  'listEvmBalanceSeries',
])

/** Names of the operator by lower-case address. */
const labels = new Map(
  ofRoot('demo/labels.csv')
    .split('\n')
    .flatMap((line) => {
      const [, chain = chainId, address = '', label = ''] =
        /^(?:(\d+),)?(0x[0-9a-fA-F]{40}),(.+)$/.exec(line) ?? []
      return address === '' || chain !== chainId ? [] : [[address.toLowerCase(), label] as const]
    }),
)

/** Names of verified contracts, by their symbols where they are tokens, and those of the operator over them. */
async function namesIn(firn: RunningFirn): Promise<ReadonlyMap<string, string>> {
  const path = `/v1/chains/${chainId}/contracts?verified=true&pageSize=100`
  const { contracts } = await firn.get(path)
  assert.ok(Array.isArray(contracts) && contracts.length > 3)
  const verified = contracts.flatMap(
    ({ address, symbol = '', source, isSpam }: Verified): (readonly [string, string])[] =>
      isSpam === true ? [] : [[address.toLowerCase(), symbol === '' ? source.name : symbol]],
  )
  return new Map([...verified, ...labels])
}

type Verified = {
  readonly address: string
  readonly symbol?: string
  readonly source: { readonly name: string }
  readonly isSpam?: true
}

/** Requests of one chain about one address, of every operation that reads; examples where a path has other parts. */
function pathsAbout(address: string, hashes: readonly string[]): string[] {
  const folder = new URL('../../docs/examples/', import.meta.url)
  const printed = readdirSync(folder).flatMap((page) =>
    printedExamples(readFileSync(new URL(page, folder), 'utf8')),
  )
  return Object.values<Contract>(operations)
    .filter(
      ({ id, method, path }) =>
        method === 'GET' && /chain|icm|address|transactions/.test(path) && !exempt.has(id),
    )
    .flatMap(({ id, path }) => {
      const example = printed.find((one) => one.id === id)?.path ?? ''
      const filled = path.replace('{chainId}', chainId).replace('{address}', address)
      const all = filled.includes('{txHash}')
        ? hashes.map((hash) => filled.replace('{txHash}', hash))
        : [filled]
      const whole = all.filter((one) => !one.includes('{'))
      return [...whole, ...(/\/networks\/|\$/.test(example) ? [] : [example])]
    })
}

/** Places in an answer where an address stands without its name. */
function nameless(value: unknown, names: ReadonlyMap<string, string>, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) => nameless(one, names, `${at}[${index}]`))
  if (!isObject(value) || (value['chainId'] ?? chainId) !== chainId) return []
  const said = new Set(Object.values(value).filter((one) => typeof one === 'string'))
  // A token is shown by its own name; what a wallet or a log calls it is no matter.
  const isToken =
    'tokenId' in value || (/^ERC-20$/.test(String(value['ercType'])) && !('label' in value))
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = typeof inner === 'string' ? names.get(inner.toLowerCase()) : undefined
    if (name !== undefined && !isToken && key !== 'id' && !said.has(name))
      return [`${at}.${key}: ${String(inner)} is ${name}`]
    return nameless(inner, names, `${at}.${key}`)
  })
}

void test('names: a label or a verified name stands wherever its address does', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const names = await namesIn(firn)
  const list = await firn.get(`/v1/chains/${chainId}/transactions?pageSize=40`)
  const { transactions } = list as { transactions: { txHash: string }[] }
  const hashes = transactions.map(({ txHash }) => txHash)
  const paths = new Set([...names.keys()].flatMap((address) => pathsAbout(address, hashes)))
  const wrong: string[] = []
  let met = 0
  for (const path of paths) {
    const reply = await fetch(`${firn.apiUrl}${path}`)
    if (reply.status !== 200) continue
    const text = await reply.text()
    met += [...names.values()].filter((name) => text.includes(`"${name}"`)).length
    wrong.push(...nameless(JSON.parse(text), names, path))
  }
  assert.equal(wrong.join('\n'), '')
  assert.ok(met > 500, String(met))
})
