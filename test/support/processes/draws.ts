/**
 * Numbers from a seed: every draw of a test or a simulation comes from here, so that the seed decides all of it.
 */

/** Draws in an order that the seed decides. */
export type Draws = {
  /** In [0, 1). */
  readonly number: () => number
  /** An integer in [0, limit). */
  readonly below: (limit: number) => number
  /** An integer in [from, until). */
  readonly between: (from: number, until: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  /** Draws of their own for a named part: what one part draws changes nothing for another. */
  readonly part: (name: string) => Draws
}

/** Draws of `seed`, an integer. */
export function drawsOf(seed: number): Draws {
  let state = mixed(seed >>> 0)
  const number = (): number => {
    // mulberry32: 32 bits of state are enough for some thousand draws.
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mix = Math.imul(state ^ (state >>> 15), state | 1)
    mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
    return ((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(number() * limit)
  return {
    number,
    below,
    between: (from, until) => from + below(until - from),
    chance: (share) => number() < share,
    pick: (list) => {
      const one = list[below(list.length)]
      if (one === undefined) throw new RangeError('nothing to pick from')
      return one
    },
    part: (name) => {
      let hash = mixed(seed)
      for (let at = 0; at < name.length; at++) hash = mixed(hash ^ name.charCodeAt(at))
      return drawsOf(hash)
    },
  }
}

/** Source: the finaliser of MurmurHash3. */
function mixed(value: number): number {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35)
  return (hash ^ (hash >>> 16)) >>> 0
}
