/** Progress while chains are indexed: bars on a terminal, a line every 10 s elsewhere. */

import { ownValue } from '../core/json.ts'
import type { ChainStatus } from '../indexing/run/status-board.ts'
import { type Overall, overallOf } from '../indexing/stream/overall-progress.ts'
import type { StageStatus } from '../indexing/stream/stage.ts'

/** Where it is drawn. */
export type Screen = {
  readonly isTerminal: boolean
  readonly columns: () => number
  readonly write: (text: string) => void
}

const barWidth = 24
const everyMs = 10_000

/** Progress being drawn. */
export type Drawing = {
  readonly stop: () => void
  /** Lets `print` write a line where the bars are; they follow below it. */
  readonly makeRoom: (print: () => void) => void
}

/** Draws progress again and again. */
export function showProgress(screen: Screen, status: () => readonly ChainStatus[]): Drawing {
  let drawn = 0
  let wasDone = false
  const draw = (): void => {
    const lines = status().map((chain) => line(chain, screen.columns()))
    screen.write(
      `${drawn > 0 ? `\u001b[${drawn}A` : ''}${lines.map((text) => `\u001b[2K${text}\n`).join('')}`,
    )
    drawn = lines.length
  }
  const say = (): void => {
    const chains = status()
    const done = chains.every(isDone)
    if (!done || !wasDone) for (const chain of chains) screen.write(`${line(chain, 200)}\n`)
    wasDone = done
  }
  const step = screen.isTerminal
    ? (): void => {
        const done = status().every(isDone)
        if (!done || !wasDone) draw()
        wasDone = done
      }
    : say
  const timer = setInterval(step, screen.isTerminal ? 250 : everyMs)
  timer.unref()
  return {
    stop: () => clearInterval(timer),
    makeRoom: (print) => {
      const had = drawn
      if (had > 0) screen.write(`\u001b[${had}A\u001b[J`)
      drawn = 0
      print()
      if (had > 0) draw()
    },
  }
}

function isDone(chain: ChainStatus): boolean {
  return chain.stages.every(({ state }) => state === 'live' || state === 'off')
}

/** `Demo Chain  ████░░░░  52 %  block 205 of 403, 1,210 blocks/s, 3 s to go`. */
export function line(chain: ChainStatus, columns: number): string {
  const { stages, overall = overallOf(stages) } = chain
  const name = chain.name.padEnd(22)
  const [main] = stages
  if (main === undefined) return `${name} waiting`
  const stopped = stages.find(({ state }) => state === 'stopped')
  if (stopped !== undefined) return `${name} stopped: ${stopped.reason ?? ''}`.slice(0, columns)
  const full = Math.floor(overall.share * barWidth)
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full)
  const stage = stages.find((one) => one.stage === overall.stage) ?? main
  return `${name} ${bar} ${detailOf(stage, overall)}`.slice(0, columns)
}

/** Stages as people know them. */
const stageWords: Readonly<Record<string, string>> = {
  traces: 'internal transactions to block',
  tokens: 'names of tokens to block',
  nfts: 'names of NFTs to block',
  copied: 'comparison with the node to block',
  messages: 'messages to block',
  P: 'P-Chain block',
  X: 'X-Chain block',
  C: 'C-Chain block',
  blocks: 'block',
}

function detailOf(stage: StageStatus, { share, etaSeconds }: Overall): string {
  if (stage.reason !== undefined && stage.state !== 'live') return `waiting: ${stage.reason}`
  if (stage.indexedHeight < 0 && stage.headHeight < 0)
    return stage.state === 'live' ? 'live, no block yet' : 'reads its node'
  if (stage.state === 'live') return `live at ${stage.indexedHeight.toLocaleString('en')}`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  if (stage.headHeight < 0) return percent
  const word = ownValue(stageWords, stage.stage) ?? stage.stage
  const height = `${(stage.indexedHeight + 1).toLocaleString('en')} of ${(stage.headHeight + 1).toLocaleString('en')}`
  const eta = etaSeconds === undefined ? '' : `, ${duration(etaSeconds)} to go`
  return `${percent}  ${word} ${height}, ${rate(stage.blocksPerSecond)}${eta}`
}

/** `0.4 blocks/s`, `1 block/s`, `1,210 blocks/s`. */
export function rate(blocksPerSecond: number): string {
  const digits = blocksPerSecond < 10 ? 1 : 0
  const speed = blocksPerSecond.toLocaleString('en', { maximumFractionDigits: digits })
  return `${speed} ${speed === '1' ? 'block' : 'blocks'}/s`
}

/** `54 s`, `12 min` or `3.5 h`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
