/** Method signatures from files: the bundled list and the operator's. */

import { fileURLToPath } from 'node:url'

import { parseSignatures } from '../../codec/evm/selectors.ts'
import { Fault } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import type { World } from '../../core/world.ts'

const bundled = fileURLToPath(new URL('data/selectors.txt', installationFolder))

/** Signatures of both files, the bundled first. Throws `bad-config` for a file that is missing. */
export async function readSignatures(world: World, operatorsFile: string): Promise<string[]> {
  const all: string[] = []
  for (const path of operatorsFile === '' ? [bundled] : [bundled, operatorsFile]) {
    const bytes = await world.files.read(path)
    if (bytes === undefined) throw new Fault('bad-config', `no such file of signatures: ${path}`)
    for (const signature of parseSignatures(new TextDecoder().decode(bytes))) all.push(signature)
  }
  return all
}
