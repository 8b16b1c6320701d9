import { Fault } from '../../core/fault.ts'
import type { Status, StageStatus } from '../../shape/status.ts'
import type { Flags } from '../flags.ts'
import { openWorld } from '../world.ts'

/** Asks a running Firn what it has indexed and prints it. */
export async function status(flags: Flags): Promise<void> {
  const url = `${String(flags['url'])}/status`
  const reply = await openWorld().transport.request({
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
  console.log(
    `Firn ${answer.version}, role ${answer.role}${answer.nodeId === undefined ? '' : `, ${answer.nodeId}`}`,
  )
  for (const chain of answer.chains) {
    console.log(`${chain.name} (${chain.chain}, ${chain.network})`)
    for (const stage of chain.stages) console.log(`  ${stageLine(stage)}`)
  }
}

function stageLine(stage: StageStatus): string {
  const eta = stage.etaSeconds === undefined ? '' : `, ${Math.ceil(stage.etaSeconds)} s to go`
  const reason = stage.reason === undefined ? '' : `: ${stage.reason}`
  const height = `${stage.indexedHeight} of ${stage.headHeight}`
  return `${stage.stage.padEnd(10)} ${stage.state}${reason}, ${height}, ${stage.blocksPerSecond.toFixed(1)} blocks/s${eta}`
}
