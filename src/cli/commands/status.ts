import { Fault } from '../../core/fault.ts'
import type { Status, CopiedHeights, OverallStatus, StageStatus } from '../../shape/status.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { duration, rate } from '../progress.ts'
import { addressIn, callFirn } from '../running-firn.ts'

/** Reads from a running Firn what it has indexed and prints it. */
export async function status(flags: Flags): Promise<void> {
  const url = `${await addressIn(flags, 'url')}/status`
  const reply = await callFirn(openWorld().transport, {
    url,
    method: 'GET',
    timeoutMs: 5_000,
    maxBytes: 1_048_576,
  })
  const text = Buffer.from(reply.body).toString()
  if (reply.status !== 200) throw new Fault('node-answer', `no status at ${url}: ${reply.status}`)
  if (flags['json'] === true) {
    console.log(text)
    return
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API wrote it by this shape
  const answer = JSON.parse(text) as Status
  for (const line of statusLines(answer)) console.log(line)
}

/** A line for the process, one per chain, and below each one per stage. */
export function statusLines(status: Status): string[] {
  const { version, role, nodeId, chains, messages } = status
  const parts = chains.map(({ name, chain, network, stages, overall, copied }) => ({
    title: [`${name} (${chain}, ${network})`, overallText(overall), copiedText(copied)].join(''),
    stages,
  }))
  if (messages !== undefined) parts.push({ title: 'Interchain messages', stages: [messages] })
  const width = Math.max(
    0,
    ...parts.flatMap(({ stages }) => stages.map(({ stage }) => stage.length)),
  )
  return [
    `Firn ${version}, role ${role}${nodeId === undefined ? '' : `, ${nodeId}`}`,
    ...parts.flatMap(({ title, stages }) => [
      title,
      ...stages.map((stage) => `  ${stage.stage.padEnd(width)}  ${stageText(stage)}`),
    ]),
  ]
}

/** Nothing where all is done, or where an older Firn says nothing. */
function overallText(overall: OverallStatus | undefined): string {
  if (overall === undefined || overall.share === 1) return ''
  const { share, etaSeconds } = overall
  const eta = etaSeconds === undefined ? '' : `, ${duration(etaSeconds)} to go`
  return ` ${Math.floor(share * 100)} %${eta}`
}

/** `, copied to 1,200, 1.5 % checked`; nothing where no height is copied. */
function copiedText(copied: CopiedHeights | undefined): string {
  if (copied === undefined) return ''
  const { height, share, without } = copied
  const checked = `${Math.floor(share * 1_000) / 10} % checked`
  const left = without === undefined ? '' : ` (${without})`
  return `, copied to ${height.toLocaleString('en')}, ${checked}${left}`
}

function stageText(stage: StageStatus): string {
  const { state, headHeight, blocksPerSecond, etaSeconds, reason } = stage
  const { completeFrom, unverified } = stage
  const isMoving = state === 'syncing' && headHeight >= 0 && blocksPerSecond > 0
  return [
    state,
    placeOf(stage),
    completeFrom === undefined ? '' : `, complete from ${completeFrom.toLocaleString('en')}`,
    unverified === undefined ? '' : ', unverified',
    isMoving ? `, ${rate(blocksPerSecond)}` : '',
    isMoving && etaSeconds !== undefined ? `, ${duration(etaSeconds)} to go` : '',
    reason === undefined ? '' : `: ${reason}`,
    unverified === undefined ? '' : ` (${unverified})`,
  ].join('')
}

/** Empty for a stage that follows no blocks, and while nothing is known of them. */
function placeOf({ state, indexedHeight, headHeight }: StageStatus): string {
  const head = headHeight.toLocaleString('en')
  if (headHeight < 0 || (state === 'off' && indexedHeight < 0)) return ''
  if (indexedHeight < 0) return ` to ${head}`
  const height = indexedHeight.toLocaleString('en')
  return indexedHeight === headHeight ? ` at ${height}` : ` at ${height} of ${head}`
}
