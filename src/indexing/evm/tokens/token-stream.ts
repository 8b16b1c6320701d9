/** Token metadata and balance checks as one stream beside the blocks of a chain. */

import { createGenerations } from '../../../core/generations.ts'
import type { Clock } from '../../../core/world.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import type { Log } from '../../../telemetry/log.ts'
import { type Round, roundStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'
import { blockStage } from '../write/apply-blocks.ts'
import { checkToken, exactness, newestTransfer, tokensToCheck } from './balance-check.ts'
import { askNewTokens, forgetUpgraded, positionAfter, type TokenParts } from './token-metadata.ts'

/** Tokens looked at in one round of checks. */
const tokensPerRound = 10

/** Of the looks at tokens already known to be exact or not, one in this many is a check. */
const sampleEvery = 100

/** Undecided tokens kept in mind, 50 bytes each and up to twice as many; others are asked again. */
const maxUndecided = 65_536

/** Pauses before tokens are asked again that no source could tell of; doubled each time. */
const firstSilenceMs = 2_000
const longestSilenceMs = 600_000

/** The stream. Checks wait for the head: only there every node has the state. */
export function tokenStream(
  parts: TokenParts & { readonly clock: Clock; readonly log: Log },
): Stream {
  const { database, source, clock } = parts
  const checks = new Checks(parts)
  let upgradedUntil = -1
  /** The height that was the head when it was last asked for. */
  let headSeen = -1
  let askAgainAt = Number.NEGATIVE_INFINITY
  let silenceMs = firstSilenceMs

  /** Asks new tokens, unless nobody could tell of them lately. Returns how many were stored. */
  async function ask(height: number, signal: AbortSignal): Promise<number> {
    if (clock.monotonic() < askAgainAt) return 0
    const { asked, stored } = await askNewTokens(parts, height, signal)
    if (asked === 0 || stored > 0) {
      silenceMs = firstSilenceMs
    } else {
      askAgainAt = clock.monotonic() + silenceMs
      silenceMs = Math.min(longestSilenceMs, silenceMs * 2)
    }
    return stored
  }

  async function round(signal: AbortSignal): Promise<Round> {
    const height = (await getCheckpoint(database, blockStage))?.height ?? -1
    if (height < 0) return { height, isBusy: false, isLive: false }
    if (upgradedUntil < 0) upgradedUntil = positionAfter(height)
    upgradedUntil = await forgetUpgraded(parts, upgradedUntil)
    const asked = await ask(height, signal)
    // A newer head does not take away the state of the block that was it.
    if (height !== headSeen && height >= (await source.headHeight(signal))) headSeen = height
    const checked = height === headSeen ? await checks.round(height, signal) : 0
    const isLive = asked === 0 && checked === 0
    return { height, isBusy: !isLive, isLive }
  }

  return roundStream('tokens', parts, round)
}

/** Goes through the tokens again and again, and looks at those with news. */
class Checks {
  readonly #parts: TokenParts
  /** Newest transfer of each undecided token when it was last checked. */
  readonly #checkedAt = createGenerations<number, number>(maxUndecided)
  #sampledHeight = -1
  #after = 0
  #looks = 0

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  /** Looks at the next tokens. Returns how many were checked against a node. */
  async round(height: number, signal: AbortSignal): Promise<number> {
    const tokens = await tokensToCheck(this.#parts, this.#after, tokensPerRound)
    this.#after = tokens.at(-1)?.id ?? 0
    let checked = 0
    for (const each of tokens) {
      if (each.exactness === exactness.unknown) {
        const newest = await newestTransfer(this.#parts, each)
        if (this.#checkedAt.get(each.id) === newest) continue
        if (await checkToken(this.#parts, each, height, signal)) checked++
        this.#checkedAt.set(each.id, newest)
      } else if (this.#looks++ % sampleEvery === 0 && this.#sampledHeight !== height) {
        this.#sampledHeight = height
        if (await checkToken(this.#parts, each, height, signal)) checked++
      }
    }
    return checked
  }
}
