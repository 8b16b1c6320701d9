/**
 * Native balances kept for a moment, so that a caller who asks for token balances again and again
 * does not make the node answer each time.
 *
 * A balance was read from a node that had at least the indexed block. It is given again only while
 * no further block is indexed, so an answer is never older than the height it names, and for a
 * second at most, in case indexing stands still. A balance at a given height never changes.
 */

import type { StateReader } from '../../api/operation/chain-directory.ts'
import { keyOf } from '../../core/bytes.ts'
import { createGenerations } from '../../core/generations.ts'
import type { Clock } from '../../core/world.ts'
import type { Soon } from '../../store/engine/database.ts'

type Kept = { readonly balance: bigint; readonly indexed: number; readonly until: number }

// About 200 bytes each: two generations are 4 MB.
const generationSize = 10_000
const keptMs = 1_000

/** `own`, which is asked less; `indexed` is the height that answers are complete to. */
export function keptBalances(
  own: StateReader,
  { indexed, clock }: { readonly indexed: () => Soon<number>; readonly clock: Clock },
): StateReader {
  const newest = createGenerations<string, Kept>(generationSize)
  const past = createGenerations<string, bigint>(generationSize)
  return {
    ...own,
    balance: async (address, height, signal) => {
      if (height !== undefined) {
        const key = `${keyOf(address)}${height}`
        const known = past.get(key) ?? (await own.balance(address, height, signal))
        past.set(key, known)
        return known
      }
      const key = keyOf(address)
      const now = await indexed()
      const known = newest.get(key)
      if (known?.indexed === now && clock.monotonic() < known.until) return known.balance
      const balance = await own.balance(address, undefined, signal)
      newest.set(key, { balance, indexed: now, until: clock.monotonic() + keptMs })
      return balance
    },
  }
}
