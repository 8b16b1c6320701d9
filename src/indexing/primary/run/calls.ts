/** The two ends of a store of batches that another thread writes. */

import { assert } from '../../../core/fault.ts'
import { buffersOf } from '../../../core/growing.ts'
import type { PrimaryIdentity, ValidatorHealth } from '../../../source/primary/primary-source.ts'
import type { Call } from '../../stream/port-call.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { RawColumns } from '../batch/raw-blocks.ts'
import type { RowBatch } from '../batch/rows.ts'
import type { BatchStore, PrimaryStore } from './store.ts'

type About = {
  readonly key: string
  readonly identity: PrimaryIdentity
  readonly session: number
  readonly batch: RowBatch
  readonly raw: RawColumns
  readonly chain: ChainName
  readonly all: readonly ValidatorHealth[]
}

/** A store in the other thread, opened: the bytes of its genesis. */
export async function openStoreOver(
  call: Call,
  key: string,
  identity: PrimaryIdentity,
): Promise<BatchStore & { readonly genesis: Uint8Array }> {
  const genesis = await call('primary', { key, identity })
  assert(genesis instanceof Uint8Array, 'the other end answers with genesis')
  return {
    genesis,
    begin: async () => Number(await call('primary-begin', { key })),
    commit: async (session, batch, raw) => {
      await call(
        'primary-commit',
        { key, session, batch, raw },
        buffersOf([batch.blocks, batch.ledger, batch.stakers, raw]),
      )
    },
    takeBack: async (chain) => (await call('primary-take-back', { key, chain })) === true,
    health: async (all) => {
      await call('primary-health', { key, all })
    },
  }
}

/** Answers of the writing thread. `open` opens a store, or gives the one that is open. */
export function primaryAnswers(
  open: (key: string, identity: PrimaryIdentity) => Promise<PrimaryStore>,
): Readonly<Record<string, (argument: unknown) => Promise<unknown>>> {
  const stores = new Map<string, PrimaryStore>()
  const of =
    (answer: (store: PrimaryStore, about: About) => Promise<unknown>) =>
    (argument: unknown): Promise<unknown> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the other end, above
      const given = argument as About
      const store = stores.get(given.key)
      assert(store !== undefined, 'a store is opened before it is written')
      return answer(store, given)
    }
  return {
    primary: async (argument) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the other end, above
      const { key, identity } = argument as About
      const store = stores.get(key) ?? (await open(key, identity))
      stores.set(key, store)
      return store.genesis
    },
    'primary-begin': of((store) => store.begin()),
    'primary-commit': of((store, { session, batch, raw }) => store.commit(session, batch, raw)),
    'primary-take-back': of((store, { chain }) => store.takeBack(chain)),
    'primary-health': of((store, { all }) => store.health(all)),
  }
}
