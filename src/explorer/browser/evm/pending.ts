/** A transaction that no block has yet, as the node of its chain tells it. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import { callNode } from '../kit/answer.ts'
import { amount, count } from '../kit/format.ts'
import { exactCoins, facts } from '../kit/parts.ts'
import { coinOf, type World } from '../kit/world.ts'
import { wholeAddress } from './evm-parts.ts'

/** Parts of a transaction that are shown while it waits. Source: execution-apis, `TransactionInfo`. */
type Pending = {
  /** Absent or null until a block has it. */
  readonly blockNumber?: string | null
  readonly from: string
  readonly to?: string | null
  readonly value: string
  readonly nonce: string
  readonly gas: string
  readonly gasPrice?: string
}

const lookEveryMs = 1_000
/** One that the node does not know may still come to it for so many looks. */
const mostLooks = 30

/** The transaction with a hash while the node of a chain knows it; asked for while there is a hash. */
export function usePending(
  chain: ChainInfo | undefined,
  txHash: string | undefined,
): Pending | undefined {
  const [found, setFound] = useState<Pending>()
  const chainId = chain === undefined || chain.rpcUrl === '' ? undefined : chain.chainId
  useEffect(() => {
    setFound(undefined)
    if (chainId === undefined || txHash === undefined) return undefined
    let isOver = false
    let left = mostLooks
    const look = async (): Promise<void> => {
      if (document.hidden || left === 0) return
      const { data } = await callNode<Pending | null>(chainId, 'eth_getTransactionByHash', [txHash])
      left = data ? mostLooks : left - 1
      if (!isOver) setFound(data ?? undefined)
    }
    void look()
    const timer = setInterval(() => void look(), lookEveryMs)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [chainId, txHash])
  return found
}

/** Facts of a transaction that waits. */
export function pendingFacts(world: World, chainId: string, tx: Pending): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  const height = tx.blockNumber ?? ''
  return facts([
    ['Block', height === '' ? 'none yet' : `${count(BigInt(height))}, which is being indexed`],
    ['From', wholeAddress(chainId, { address: tx.from })],
    ['To', tx.to ? wholeAddress(chainId, { address: tx.to }) : 'creates a contract'],
    ['Value', exactCoins(String(BigInt(tx.value)), decimals, symbol)],
    ['Gas limit', count(BigInt(tx.gas))],
    ['Gas price', `${amount(String(BigInt(tx.gasPrice ?? '0')), 9)} gwei`],
    ['Nonce', count(BigInt(tx.nonce))],
  ])
}
