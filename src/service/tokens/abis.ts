/** ABIs of the operator's folder. */

import { join } from 'node:path'

import type { GivenAbi } from '../../api/evm/abi/abi-book.ts'
import { readAbi } from '../../codec/evm/abi/abi.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { jsonOf } from '../../core/json.ts'
import type { World } from '../../core/world.ts'

/** Files read; each is held in memory while Firn runs. */
const mostFiles = 10_000

const contractForm = /^0x[0-9a-f]{40}$/i

/**
 * ABIs of a folder, or no ABIs where no folder is set: `ADDRESS.json` and `ADDRESS/metadata.json`
 * for one contract, these in a folder named for an EVM chain id for that chain alone, other `.json`
 * files for all. Throws `bad-config` with the name of a file that holds no ABI.
 */
export async function readAbis(world: World, folder: string): Promise<GivenAbi[]> {
  if (folder === '') return []
  const abis: GivenAbi[] = []
  for (const name of (await world.files.list(folder)).toSorted()) {
    if (/^\d{1,20}$/.test(name))
      for (const inner of (await world.files.list(join(folder, name))).toSorted())
        await add(abis, { world, folder: join(folder, name), name: inner, chainId: name })
    else await add(abis, { world, folder, name })
  }
  if (abis.length === 0) throw new Fault('bad-config', `abis: no JSON file is in ${folder}`)
  return abis
}

async function add(
  abis: GivenAbi[],
  of: {
    readonly world: World
    readonly folder: string
    readonly name: string
    readonly chainId?: string
  },
): Promise<void> {
  const { world, folder, name, chainId } = of
  const path = contractForm.test(name)
    ? join(folder, name, 'metadata.json')
    : name.endsWith('.json')
      ? join(folder, name)
      : undefined
  const bytes = path === undefined ? undefined : await world.files.read(path)
  if (path === undefined || bytes === undefined) return
  if (abis.length >= mostFiles)
    throw new Fault('bad-config', `abis: more files than ${mostFiles} are in ${folder}`)
  const stem = name.replace(/\.json$/, '').toLowerCase()
  try {
    abis.push({
      chainId,
      address: contractForm.test(stem) ? stem : undefined,
      entries: readAbi(jsonOf(bytes)),
    })
  } catch (error) {
    const why = faultOf(error)?.message
    if (why === undefined) throw error
    throw new Fault('bad-config', `abis: ${path}: ${why}`, { cause: error })
  }
}
