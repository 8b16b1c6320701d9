/** What the EVM operations are made of, for tests: one page token key, no prices, no ABIs but their own. */

import { noAbis } from '../../../src/api/evm/abi/abi-book.ts'
import { createMethodNames } from '../../../src/api/evm/abi/known-methods.ts'
import { createComparedBalances } from '../../../src/api/evm/balances/compared-balances.ts'
import type { EvmContext } from '../../../src/api/evm/evm-context.ts'
import { createRegistryNames } from '../../../src/api/evm/registry-names.ts'
import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import { noNfts } from '../../../src/api/evm/tokens/token-views.ts'
import { createRevertReasons } from '../../../src/api/evm/transactions/revert-reason.ts'
import {
  createChainDirectory,
  type ServedChain,
} from '../../../src/api/operation/chain-directory.ts'
import { createPageTokens, type PageTokens } from '../../../src/api/operation/page-token.ts'
import { noPrices, noTokenNotes } from '../../../src/api/prices/token-lists.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import type { Clock } from '../../../src/core/world.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { abisAlone } from './abis-alone.ts'

/** Teleporter's messenger. Source: icm-services releases, one address on every chain. */
export const icmContract = fromHex('0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf')

/** Parts over `chains` without prices, lists and NFT details. */
export function partsOf(chains: readonly ServedChain[], clock: Clock): EvmContext {
  return {
    chains: createChainDirectory(() => chains),
    tokens: pageTokens(clock),
    clock,
    contracts: abisAlone(noAbis),
    reverts: createRevertReasons(clock),
    methodNames: createMethodNames(),
    prices: noPrices,
    notes: noTokenNotes,
    nfts: noNfts,
    addressBooks: createRichAddressBooks(clock, noTokenNotes),
    registryNames: createRegistryNames(clock),
    balances: createComparedBalances({
      clock: patient(clock),
      log: silentLog,
      doubts: undefined,
      maxAgeMs: 30_000,
    }),
    icmContracts: [icmContract],
    messages: () => undefined,
  }
}

/** Whoever waits for a while, waits for as long as it takes. */
const patient = (clock: Clock): Clock => ({ ...clock, sleep: () => new Promise(() => {}) })

/** Tokens of a key that is no secret. */
export function pageTokens(clock: Clock): PageTokens {
  return createPageTokens([{ id: 1, secret: new Uint8Array(32).fill(7) }], clock)
}
