import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { zstdDecompressSync } from 'node:zlib'

import { methodsOf } from '../../codec/evm/abi/abi.ts'
import type { Config } from '../../config/settings.ts'
import { parseEvmAddress } from '../../core/address.ts'
import { fromHex, to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import { isObject, jsonOf, ownValue } from '../../core/json.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { openSmallStore, openStore, type StoreLocation } from '../../store/open.ts'
import {
  contractsAfter,
  putContracts,
  type VerifiedContract,
} from '../../store/query/verified-contracts.ts'
import { contractStore, contractTables } from '../../store/schema/deployment.ts'
import { loadConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/** Sources are read in so many contracts at once. */
const atOnce = 50

/** Prints verified contracts with their sources. */
export async function exportContracts(flags: Flags): Promise<void> {
  const location = storeLocation(loadConfig(flags).config)
  await using store = await openStore(location, contractStore, contractTables, 'read')
  let last: VerifiedContract | undefined
  do {
    const some = await contractsAfter(store, last, atOnce)
    for (const { address, codeHash, ...rest } of some)
      console.log(JSON.stringify({ ...rest, address: to0x(address), codeHash: to0x(codeHash) }))
    last = some.at(-1)
  } while (last !== undefined)
}

/** Takes the contracts of a file that {@link exportContracts} printed, or has those of a folder proved. */
export async function importContracts(path: string, flags: Flags): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return (await import('./import-folder.ts')).importFolder(path, flags)
  const location = storeLocation(loadConfig(flags).config)
  const count = await takeLines(location, createInterface({ input: createReadStream(path) }))
  console.error(`${count} contracts are imported`)
}

/** Takes the contracts of the bundled demo, where its store has none yet. */
export async function takeBundledContracts(config: Config): Promise<void> {
  const file = new URL('demo/contracts.jsonl.zst', installationFolder)
  if (!existsSync(file)) return
  const lines = zstdDecompressSync(readFileSync(file)).toString('utf8').split('\n')
  await takeLines(storeLocation(config), lines, 'where there are none')
}

/** Takes the contracts of `lines` and gives their number. */
async function takeLines(
  location: StoreLocation,
  lines: Iterable<string> | AsyncIterable<string>,
  condition?: 'where there are none',
): Promise<number> {
  await using store = await openSmallStore(location, contractStore, contractTables)
  if (condition !== undefined && (await contractsAfter(store, undefined, 1)).length > 0) return 0
  const contracts: VerifiedContract[] = []
  for await (const line of lines)
    if (line !== '') contracts.push(readLine(line, contracts.length + 1))
  await putContracts(store, contracts, methodsOf(contracts.map(({ body }) => body.abi)))
  return contracts.length
}

const memberTypes = {
  chainId: 'number',
  address: 'string',
  codeHash: 'string',
  runtimeMatch: 'string',
  creationMatch: 'string',
  verifiedAt: 'number',
  name: 'string',
  version: 'string',
  body: 'object',
} as const

function readLine(line: string, number: number): VerifiedContract {
  const json = jsonOf(line)
  const isWhole =
    isObject(json) &&
    Object.entries(memberTypes).every(([name, type]) => typeof ownValue(json, name) === type)
  if (!isWhole)
    throw new Fault('bad-parameter', `line ${number} is no contract that export printed`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its members are looked at above
  const { address, codeHash, ...rest } = json as Omit<VerifiedContract, 'address' | 'codeHash'> & {
    readonly address: string
    readonly codeHash: string
  }
  return { ...rest, address: parseEvmAddress(address), codeHash: fromHex(codeHash) }
}
