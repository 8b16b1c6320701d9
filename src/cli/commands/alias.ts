import { Fault } from '../../core/fault.ts'
import { membersOf } from '../../core/json.ts'
import type { Flags } from '../flags.ts'
import { callNode } from './node-client.ts'

/** Names a chain (`--chain`) or an endpoint of the node listener (`--endpoint`). */
export async function addAlias(alias: string, flags: Flags): Promise<void> {
  const { chain, endpoint } = flags
  if (typeof chain === 'string' && endpoint === undefined) {
    await callNode(flags, 'admin.aliasChain', { chain, alias })
    console.log(`${alias} is chain ${chain}`)
  } else if (typeof endpoint === 'string' && chain === undefined) {
    await callNode(flags, 'admin.alias', { endpoint, alias })
    console.log(`/ext/${alias} is /ext/${endpoint}`)
  } else {
    throw new Fault('bad-parameter', 'give one of --chain and --endpoint')
  }
}

/** Takes an alias of either kind away. */
export async function removeAlias(alias: string, flags: Flags): Promise<void> {
  await callNode(flags, 'firn.removeAlias', { alias })
  console.log(`${alias} is removed`)
}

/** Prints all aliases an operator gave, in order of creation. */
export async function listAliases(flags: Flags): Promise<void> {
  const { chains, routes } = await callNode(flags, 'firn.listAliases')
  const lines = [
    ...listOf(chains).map(({ alias, target }) => `chain     ${alias} → ${target}`),
    ...listOf(routes).map(({ alias, target }) => `endpoint  /ext/${alias} → /ext/${target}`),
  ]
  console.log(lines.length === 0 ? 'no aliases' : lines.join('\n'))
}

function listOf(value: unknown): { alias: string; target: string }[] {
  if (!Array.isArray(value)) return []
  return value.map((entry) => {
    const { alias, target } = membersOf(entry)
    return { alias: String(alias), target: String(target) }
  })
}
