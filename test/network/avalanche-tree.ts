/**
 * The programs of a real network, in the folder that `FIRN_AVALANCHE_TREE` names, else built by Go from
 * the modules that `go.mod` beside this file names: `avalanchego`, `plugins/<VM id>` of the EVM plug-in,
 * and `keys`, the public staking keys of the local network.
 *
 *     node test/network/avalanche-tree.ts
 *
 * builds them, which takes some eight minutes of a processor; Go keeps what it compiled, and a tree that
 * is up to date is left as it is.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { avalancheTreeName, namedAvalancheTree } from '../support/processes/test-settings.ts'

/** The VM id under which nodes look for the EVM plug-in. */
export const subnetEvm = 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy'

const upstream = 'github.com/ava-labs/avalanchego'
const built = fileURLToPath(new URL('../../node_modules/.cache/avalanche', import.meta.url))

/** The folder; `undefined` where there is no Go to build it with. In CI that is an error. */
export function avalancheTree(): string | undefined {
  if (namedAvalancheTree !== undefined) return namedAvalancheTree
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
  } catch (error) {
    if (process.env['CI'] !== 'true') return undefined
    throw new Error(`no Go, and no tree that ${avalancheTreeName} names`, { cause: error })
  }
  go('build', '-o', join(built, 'avalanchego'), `${upstream}/main`)
  go('build', '-o', join(built, 'plugins', subnetEvm), '.')
  const source = go('list', '-m', '-f', '{{.Dir}}', upstream).trim()
  mkdirSync(built, { recursive: true })
  // Files of tests begin at the same moment, each in its process: what another one made is replaced at once.
  const link = join(built, `keys.${process.pid}`)
  symlinkSync(join(source, 'staking', 'local'), link)
  renameSync(link, join(built, 'keys'))
  return built
}

/** Returns whether nodes of this tree can activate Helicon: they have a flag for it. */
export function knowsHelicon(tree: string): boolean {
  const { stderr, stdout } = spawnSync(join(tree, 'avalanchego'), ['--help'], { encoding: 'utf8' })
  const flags = stdout + stderr
  if (!flags.includes('--min-stake-duration')) throw new Error(`no AvalancheGo: ${tree}: ${flags}`)
  return flags.includes('helicon')
}

function go(...words: readonly string[]): string {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return execFileSync('go', words, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: [...stdio],
  })
}

if (import.meta.main) console.log(avalancheTree() ?? 'no Go')
