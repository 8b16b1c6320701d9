/** Token metadata and balance checks as one stream beside the blocks of a chain. */

import type { Clock } from '../../core/world.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Round, roundStream } from '../round-stream.ts'
import type { Stream } from '../stage.ts'
import { blockStage } from './apply-blocks.ts'
import { checkToken, exactness, newestTransfer, tokensToCheck } from './balance-check.ts'
import { askNewTokens, forgetUpgraded, positionAfter } from './token-metadata.ts'
import type { TokenParts } from './token-metadata.ts'

/** Tokens looked at in one round of checks. */
const tokensPerRound = 10

/** Of the looks at tokens already known to be exact or not, one in this many is a check. */
const sampleEvery = 100

/** The stream. Checks wait for the head: only there every node has the state. */
export function tokenStream(
  parts: TokenParts & { readonly clock: Clock; readonly log: Log },
): Stream {
  const { database, source } = parts
  const checks = new Checks(parts)
  let upgradedUntil = -1

  async function round(signal: AbortSignal): Promise<Round> {
    const height = (await getCheckpoint(database, blockStage))?.height ?? -1
    if (height < 0) return { height, isBusy: false, isLive: false }
    if (upgradedUntil < 0) upgradedUntil = positionAfter(height)
    upgradedUntil = await forgetUpgraded(parts, upgradedUntil)
    const asked = await askNewTokens(parts, height, signal)
    const atHead = height >= (await source.headHeight(signal))
    const checked = atHead ? await checks.round(height, signal) : 0
    const isLive = asked === 0 && checked === 0
    return { height, isBusy: !isLive, isLive }
  }

  return roundStream('tokens', parts, round)
}

/** Goes through the tokens again and again, and looks at those with news. */
class Checks {
  readonly #parts: TokenParts
  /** What each token was last checked at. */
  readonly #seen = new Map<number, { readonly newest: number; readonly height: number }>()
  #after = 0
  #rounds = 0

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  /** Looks at the next tokens; gives how many were checked against a node. */
  async round(height: number, signal: AbortSignal): Promise<number> {
    const tokens = await tokensToCheck(this.#parts, this.#after, tokensPerRound)
    this.#after = tokens.at(-1)?.id ?? 0
    let checked = 0
    for (const each of tokens) {
      const newest = await newestTransfer(this.#parts, each)
      const last = this.#seen.get(each.id)
      const due =
        each.exactness === exactness.unknown
          ? last?.newest !== newest
          : last?.height !== height && this.#rounds++ % sampleEvery === 0
      if (!due) continue
      if (await checkToken(this.#parts, each, height, signal)) checked++
      this.#seen.set(each.id, { newest, height })
    }
    return checked
  }
}
