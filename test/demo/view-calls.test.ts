/** What a visitor reads of the demo's contracts: every method without arguments answers, and as history says. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ContractCode } from '../../src/shape/evm/contract.ts'
import { demoFolder, startDemo, untilDemoServed } from '../support/processes/firn-process.ts'

type Item = {
  readonly type: string
  readonly stateMutability?: string
  readonly inputs?: readonly object[]
}
type Listed = { readonly contracts: readonly { readonly address: string }[] }
type Called = {
  readonly signature: string
  readonly values?: readonly { readonly value: string }[]
}

void test('each verified contract of the demo tells what it can', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const asked = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const response = await fetch(firn.apiUrl + path, init)
    assert.equal(response.status, 200, path)
    return (await response.json()) as T
  }
  const { messages } = await asked<{ messages: readonly { sourceEvmChainId: string }[] }>(
    '/v1/icm/messages?pageSize=100',
  )
  let told = 0
  for (const chainId of ['51001', '51002', '43112']) {
    const of = `/v1/chains/${chainId}`
    const { contracts } = await asked<Listed>(`${of}/contracts?verified=true&pageSize=100`)
    for (const { address } of contracts) {
      const { source } = await asked<ContractCode>(`${of}/contracts/${address}`)
      const views = (source?.abi as readonly Item[]).filter(
        (item) =>
          item.type === 'function' &&
          ['view', 'pure'].includes(item.stateMutability ?? '') &&
          item.inputs?.length === 0,
      )
      if (views.length === 0) continue
      const { calls } = await asked<{ calls: readonly Called[] }>(
        `${of}/contracts/${address}/calls`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ calls: views.map((abi) => ({ abi })) }),
        },
      )
      const values = new Map(
        calls.map(({ signature, values: all }) => [signature, all?.[0]?.value]),
      )
      for (const [signature, value] of values)
        assert.ok(value !== undefined, `${chainId} ${source?.name} ${signature}`)
      told += values.size
      // What it was made with, by the name of the method without the underscore of the argument.
      for (const { name, value } of source?.decodedConstructor?.parameters ?? [])
        if (values.has(`${name.slice(0, -1)}()`) && source?.name !== 'BridgedToken')
          assert.equal(values.get(`${name.slice(0, -1)}()`), value, `${source?.name} ${name}`)
      if (source?.name === 'Messenger')
        assert.equal(
          Number(values.get('nonce()')),
          messages.filter(({ sourceEvmChainId }) => sourceEvmChainId === chainId).length,
        )
      if (source?.name === 'Pictures') {
        const { tokens } = await asked<{ tokens: readonly object[] }>(
          `${of}/nfts/collections/${address}/tokens?pageSize=100`,
        )
        assert.equal(Number(values.get('count()')), tokens.length)
      }
    }
  }
  assert.ok(told > 60, `${told} answers`)
})
