/**
 * Finds the wrong ones among several signatures over one message; costs one sum where none is
 * wrong.
 *
 * A sum that holds costs one pairing, however many signatures it has. It does not prove each of
 * them: two wrong ones may cancel each other out. Where a sum fails, halves are summed. Once
 * several wrong ones are found, many more are likely, and random factors prove the rest one by one.
 */

import type { Bls, SignedBy } from '../bls/bls.ts'

/** `summed`: holds together with the others of its group. `proven`: holds by itself. */
export type Verdict = 'wrong' | 'summed' | 'proven'

/** Verdicts in the order given. `sum`: of all signatures, when none is wrong. */
export type Sorted = { readonly verdicts: readonly Verdict[]; readonly sum: Uint8Array | undefined }

// Each wrong one costs two pairings for every halving; the randomised check of a batch costs less
// from about this many on.
const wrongBeforeEach = 4
/** Signatures proven together: more at once would only make the last wait longer. */
const batchSize = 128

/** Sorts `signed` out. */
export async function sortOut(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Sorted> {
  const sum = await bls.sumIfItHolds(message, signed)
  if (sum !== undefined) return { verdicts: signed.map(() => 'summed'), sum }
  const verdicts = signed.map((): Verdict => 'summed')
  // Ranges whose sum fails.
  const failing = [{ from: 0, until: signed.length }]
  let wrong = 0
  for (let range = failing.pop(); range !== undefined; range = failing.pop()) {
    const { from, until } = range
    if (until - from === 0) continue
    if (until - from === 1) {
      verdicts[from] = 'wrong'
      wrong++
    } else if (wrong >= wrongBeforeEach) {
      const proven = await proveEach(bls, message, signed.slice(from, until))
      for (const [at, verdict] of proven.entries()) verdicts[from + at] = verdict
    } else {
      const middle = (from + until) >> 1
      const left = { from, until: middle }
      const right = { from: middle, until }
      const [leftHolds, rightHolds] = await sumsHold(bls, message, signed, [left, right])
      if (!rightHolds) failing.push(right)
      if (!leftHolds) failing.push(left)
    }
  }
  return { verdicts, sum: undefined }
}

/**
 * Returns whether the sums of both halves of a failing range hold. Where the left does, the right
 * does not.
 */
async function sumsHold(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
  [left, right]: readonly [Range, Range],
): Promise<readonly [boolean, boolean]> {
  const holds = async ({ from, until }: Range): Promise<boolean> =>
    (await bls.sumIfItHolds(message, signed.slice(from, until))) !== undefined
  const leftHolds = await holds(left)
  return leftHolds ? [true, false] : [false, await holds(right)]
}

type Range = { readonly from: number; readonly until: number }

/** Proves each signature by itself, batch by batch. */
export async function proveEach(
  bls: Bls,
  message: Uint8Array,
  signed: readonly SignedBy[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (let from = 0; from < signed.length; from += batchSize) {
    const truths = await bls.verifyEach(message, signed.slice(from, from + batchSize))
    for (const holds of truths) verdicts.push(holds ? 'proven' : 'wrong')
  }
  return verdicts
}
