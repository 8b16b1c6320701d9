/** Parameters of the operations on messages. */

import { parseId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { networkOf, type networkNames } from '../../core/network.ts'

/** The blockchain id in the parameter `name`, where it is given. Throws `bad-parameter`. */
export function blockchainIdOf(name: string, text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  try {
    return parseId(text)
  } catch (error) {
    const problem = `${name} must be a blockchain id, cb58 or hex: ${text.slice(0, 80)}`
    throw new Fault('bad-parameter', problem, { cause: error })
  }
}

/** Numbers of the networks whose messages are wanted: of one, or of all. */
export function networkNumbers(name: (typeof networkNames)[number] | undefined): readonly number[] {
  return name === undefined ? [0, 1] : [networkOf(name) === 'mainnet' ? 0 : 1]
}
