/** A chain of anvil with forty transfers of a token, and a Firn that has their logs. */

import assert from 'node:assert/strict'

import { id, toBeHex } from 'ethers'

import { type Ending, type RunningFirn, until } from '../support/processes/firn-process.ts'
import { account, type Anvil, firnOverAnvil } from './anvil.ts'

/** Logs a transfer from the caller to the second word of its input, of the first word, when it is called. */
const token = `0x603180600b6000396000f360003560005260203533${'7f'}${id(
  'Transfer(address,address,uint256)',
).slice(2)}60206000a300`

/** Makes them; `head` is the height that both have. */
export async function chainOfTransfers(
  t: Ending,
  folder: string,
): Promise<{
  readonly anvil: Anvil
  readonly firn: RunningFirn
  /** Of the token. */
  readonly address: string
  readonly head: number
}> {
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId: 31_337 })
  const mined = async (call: object): Promise<string> => {
    const hash = String(await anvil.call('eth_sendTransaction', { from: account, ...call }))
    let receipt = Object(null)
    await until('a receipt', async () => {
      receipt = Object(await anvil.call('eth_getTransactionReceipt', hash))
      return receipt.status !== undefined
    })
    assert.equal(receipt.status, '0x1')
    return String(receipt.contractAddress)
  }
  const address = await mined({ data: token })
  for (let at = 1; at <= 40; at++)
    await mined({
      to: address,
      data: `0x${toBeHex(at, 32).slice(2)}${toBeHex(at % 5, 32).slice(2)}`,
    })
  const head = Number(await anvil.call('eth_blockNumber'))
  await until('logs are stored', async () => {
    const reply = await fetch(`${firn.apiUrl}/v1/chains/31337/logs?pageSize=1`)
    return reply.headers.get('x-logs-indexed-height') === String(head)
  })
  return { anvil, firn, address, head }
}
