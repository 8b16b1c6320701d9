/**
 * `npm run soak`: what tests try for seconds, for as long as one likes.
 *
 *   npm run soak -- [--share 0.01] [--only requests,tokens,nodes,simulation,memory,rounds,network]
 *
 * `--share` is the share of the whole number of tries, 1 without it. Prints a table; ends with 1
 * when anything ended badly.
 */

import { parseArgs } from 'node:util'

import { lyingNodes } from './lying-nodes.ts'
import { memory } from './memory.ts'
import { pageTokens } from './page-tokens.ts'
import { line, type SoakPart } from './report.ts'
import { requests } from './requests.ts'
import { network, rounds } from './rounds.ts'
import { simulation } from './simulation.ts'

const parts: Readonly<Record<string, SoakPart>> = {
  requests,
  tokens: pageTokens,
  nodes: lyingNodes,
  simulation,
  memory,
  rounds,
  network,
}

const { values } = parseArgs({
  options: { share: { type: 'string', default: '1' }, only: { type: 'string' } },
})
const share = Number(values.share)
if (!(share > 0 && share <= 1))
  throw new RangeError(`--share must be above 0 and at most 1: ${values.share}`)
const chosen = values.only?.split(',') ?? Object.keys(parts)

console.log(`| ${'kind'.padEnd(52)} | ${'tries'.padStart(9)} |   bad |`)
console.log(`| ${'-'.repeat(52)} | ${'-'.repeat(9)} | ----- |`)
let tries = 0
let bad = 0
for (const name of chosen) {
  const part = parts[name]
  if (part === undefined)
    throw new RangeError(`--only knows ${Object.keys(parts).join(', ')}: ${name}`)
  for await (const outcome of part(share)) {
    console.log(line(outcome))
    tries += outcome.tries
    bad += outcome.bad
  }
}
console.log(`${tries - bad} passed, ${bad} failed`)
process.exitCode = bad === 0 ? 0 : 1
