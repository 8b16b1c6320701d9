/** A listener of the P- and C-Chain of mainnet, behind endpoints that are nowhere. */

import type { NodeChain } from '../../src/admin/aliases/alias-rules.ts'
import { freshFolder, startHarness, type Harness, type HarnessOptions } from './harness.ts'

/** Blockchain id of its C-Chain. */
export const cId = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'
const pId = '11111111111111111111111111111111LpoYY'

const chain = (id: string, names: string[], kind: 'evm' | 'plain'): NodeChain => ({
  id,
  names,
  otherNames: kind === 'evm' ? ['43114'] : [],
  network: 'mainnet',
  kind,
  rpcUrls: ['http://first.invalid/rpc', 'http://second.invalid/rpc'],
  isLive: () => names[0] === 'P',
})

/** Its chains. */
export const chains = [chain(pId, ['P', 'platform'], 'plain'), chain(cId, ['C', 'evm'], 'evm')]

type Context = { after: (run: () => Promise<void>) => void }

/** Starts it on a free port; it is closed after the test. */
export async function start(t: Context, options: Partial<HarnessOptions> = {}): Promise<Harness> {
  const { folder, remove } = await freshFolder()
  const harness = await startHarness({ folder, chains: () => chains, ...options })
  t.after(async () => {
    await harness.close()
    await remove()
  })
  return harness
}

/** A request that is no call. */
export const get = { method: 'GET', headers: { 'Content-Type': '' } }
