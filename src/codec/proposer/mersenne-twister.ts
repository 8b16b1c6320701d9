/**
 * The two Mersenne twisters from which the proposervm draws, word by word.
 *
 * State is made only as far as the words that are read need it: a draw mostly reads one word, for which
 * half of the state is enough.
 *
 * Source: Matsumoto and Nishimura, mt19937ar.c and mt19937-64.c; gonum mathext/prng.
 */

import { u32At, u64At } from '../../core/item-at.ts'

/** Gives words of 64 bits, one after another. */
export type Words = () => bigint

const size64 = 312
const middle64 = 156
const upper64 = 0xffff_ffff_8000_0000n
const lower64 = 0x7fff_ffffn

/** Words of MT19937-64. */
export function mersenne64(seed: bigint): Words {
  const state = new BigUint64Array(size64)
  state[0] = seed
  let made = 1
  let next = 0
  const stateAt = (place: number): bigint => {
    if (place >= made) {
      grow64(state, made, place)
      made = place + 1
    }
    return u64At(state, place)
  }
  return () => {
    const mixed = (stateAt(next) & upper64) | (stateAt((next + 1) % size64) & lower64)
    let word = stateAt((next + middle64) % size64) ^ (mixed >> 1n)
    if ((mixed & 1n) === 1n) word ^= 0xb502_6f5a_a966_19e9n
    state[next] = word
    next = (next + 1) % size64
    word ^= (word >> 29n) & 0x5555_5555_5555_5555n
    word ^= (word << 17n) & 0x71d6_7fff_eda6_0000n
    word ^= (word << 37n) & 0xfff7_eee0_0000_0000n
    return word ^ (word >> 43n)
  }
}

/** Makes the words of a state from one place to another. */
function grow64(state: BigUint64Array, from: number, to: number): void {
  let before = u64At(state, from - 1)
  for (let at = from; at <= to; at++) {
    // Cut to 64 bits at each step, so that the engine computes with machine words: ten times as fast.
    const mixed = BigInt.asUintN(64, before ^ BigInt.asUintN(64, before >> 62n))
    const product = BigInt.asUintN(64, 6_364_136_223_846_793_005n * mixed)
    before = BigInt.asUintN(64, product + BigInt.asUintN(64, BigInt(at)))
    state[at] = before
  }
}

const size32 = 624
const middle32 = 397

/** Words of MT19937, each made of two numbers of 32 bits, the higher half first. */
export function mersenne32(seed: number): Words {
  const next = numbers32(seed)
  return () => (BigInt(next()) << 32n) | BigInt(next())
}

/** Numbers of MT19937, 32 bits each. */
export function numbers32(seed: number): () => number {
  const state = new Uint32Array(size32)
  state[0] = seed
  let made = 1
  let next = 0
  const stateAt = (place: number): number => {
    for (; made <= place; made++) {
      const before = u32At(state, made - 1)
      state[made] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + made
    }
    return u32At(state, place)
  }
  return () => {
    const mixed = (stateAt(next) & 0x8000_0000) | (stateAt((next + 1) % size32) & 0x7fff_ffff)
    let word = stateAt((next + middle32) % size32) ^ (mixed >>> 1)
    if ((mixed & 1) === 1) word ^= 0x9908_b0df
    state[next] = word
    next = (next + 1) % size32
    word ^= word >>> 11
    word ^= (word << 7) & 0x9d2c_5680
    word ^= (word << 15) & 0xefc6_0000
    return (word ^ (word >>> 18)) >>> 0
  }
}
