import { Fault } from '../../core/fault.ts'
import { logStoreOf } from '../../store/schema/logs.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { chainStore, configOf, filledStores } from '../stores/configured-stores.ts'
import { removeStore } from '../stores/repair-primary.ts'
import { withTaken } from '../stores/take-store.ts'

/**
 * Deletes the store of a chain's logs and its files of history, also while Firn runs. Throws `bad-parameter` for a chain that
 * is not there, `bad-config` where its logs are on, `not-found` where it has none, `lease-lost` while another process
 * writes them.
 */
export async function deleteLogs(name: string, flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const { chain } = await chainStore(config, name, 'chain')
  if (chain.spec.keepsLogs === true)
    throw new Fault(
      'bad-config',
      `logs of ${name} are on: set logs: off, start Firn again, then delete them`,
    )
  const store = (await filledStores(config)).find((each) => each.name === logStoreOf(name))
  if (store === undefined) throw new Fault('not-found', `there are no logs of chain ${name}`)
  await using world = openWorld()
  const owner = `delete-${Buffer.from(world.random.bytes(4)).toString('hex')}`
  const work = { config, store, world, owner }
  await withTaken(work, async ({ database }) => {
    const { history } = database
    await history?.folder.removeAll(await history.manifest(database))
  })
  await removeStore(work)
  console.log(`${store.name}: deleted`)
}
