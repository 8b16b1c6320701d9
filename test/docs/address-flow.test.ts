/** The flow of an address's funds: what came less what left is what the address has, for every address of the recorded network. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toPrimaryAddress } from '../../src/core/address.ts'
import { flowsOf, type FlowChain } from '../../src/explorer/browser/primary/address-flow.ts'
import { everyAddress } from '../../src/store/query/primary/whole-state.ts'
import type { Json } from '../support/services/evm-service.ts'
import { primaryService } from '../support/services/primary-service.ts'

const service = await primaryService()
const { store, hrp } = service.network
const base = '/v1/networks/fuji/blockchains'

/** Outputs of the genesis that were not spent, which no transaction tells of. */
async function unspentGenesis(
  chain: FlowChain,
  address: string,
  known: ReadonlySet<string>,
): Promise<bigint> {
  const path = `${base}/${chain.toLowerCase()}-chain/utxos?pageSize=100&addresses=${address}`
  const all = await service.readAll(path, 'utxos')
  return all
    .filter(({ blockNumber, txHash }) => blockNumber === '0' && !known.has(txHash))
    .filter(({ asset }) => asset.symbol === 'AVAX')
    .reduce((sum: bigint, { amount }) => sum + BigInt(amount), 0n)
}

/** AVAX of an address on a chain, of every state but on its way to it, nAVAX. */
async function balanceOn(chain: FlowChain, address: string): Promise<bigint> {
  const path = `${base}/${chain.toLowerCase()}-chain/balances?addresses=${address}`
  const { body } = await service.get(path)
  return Object.entries<Json>(body.balances)
    .filter(([name]) => !/^atomic|restaked/.test(name))
    .flatMap(([, sums]) => sums)
    .filter(({ symbol }: Json) => symbol === 'AVAX')
    .reduce((sum: bigint, { amount }: Json) => sum + BigInt(amount), 0n)
}

void test('flow of funds: what came less what left is the balance, chain by chain', async () => {
  let withFlows = 0
  let ends = 0
  for (const { address: bytes } of await everyAddress(store, 1_000)) {
    const address = toPrimaryAddress(hrp, bytes)
    const read = (chain: FlowChain): Promise<Json[]> =>
      service.readAll(
        `${base}/${chain.toLowerCase()}-chain/transactions?pageSize=100&addresses=${address}`,
        'transactions',
      )
    const txs = { P: await read('P'), X: await read('X'), C: await read('C') }
    const flows = flowsOf(address, txs)
    const known = new Set(Object.values(txs).flatMap((all) => all.map(({ txHash }) => txHash)))
    for (const chain of ['P', 'X', 'C'] as const) {
      const fromGenesis = await unspentGenesis(chain, address, known)
      const sum = flows
        .filter((flow) => flow.chain === chain)
        .reduce((all, flow) => all + (flow.direction === 'in' ? flow.amount : -flow.amount), 0n)
      assert.equal(sum + fromGenesis, await balanceOn(chain, address), `${address} on ${chain}`)
    }
    if (flows.length > 0) withFlows++
    ends += flows.length
  }
  assert.ok(withFlows > 5 && ends > 20, `${withFlows} addresses, ${ends} flows`)
})
