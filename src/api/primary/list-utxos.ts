/** Document A, operation 3. */

import { ListUtxos } from '../../shape/primary/list-utxos.ts'
import { operation, type Operation } from '../operation.ts'
import { chainOf } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { utxoPage } from './utxo-page.ts'

/** UTXOs of the addresses of the body. */
export function listUtxos(parts: PrimaryParts): Operation {
  return operation(ListUtxos, async ({ path, query, body }) => {
    const chain = chainOf(parts.networks, path)
    const addresses = addressesIn(body.addresses, chain.hrp, parts.limits.maxBodyAddresses)
    return utxoPage(parts, { chain, addresses, filters: query, route: ListUtxos.id })
  })
}
