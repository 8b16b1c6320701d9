import { Fault } from '../../core/fault.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { callNode } from './node-client.ts'

/** Profiles a running Firn: `cpu` for `--seconds`, `heap` or `lock` as they are now. */
export async function profile(kind: string, flags: Flags): Promise<void> {
  switch (kind) {
    case 'cpu':
      await profileCpu(flags)
      break
    case 'heap':
      await callNode(flags, 'admin.memoryProfile')
      break
    case 'lock':
      await callNode(flags, 'admin.lockProfile')
      break
    default:
      throw new Fault('bad-parameter', `profile must be cpu, heap or lock: ${kind}`)
  }
  const file = kind === 'heap' ? 'mem' : kind
  console.log(`${file}.profile is written in the profile folder of that process (node.profileDir)`)
  console.log(`look at it with: go tool pprof -top ${file}.profile`)
}

async function profileCpu(flags: Flags): Promise<void> {
  const seconds = Number(flags['seconds'] ?? 10)
  if (!(seconds > 0 && seconds <= 1_800)) {
    throw new Fault('bad-parameter', `seconds must be above 0, at most 1800: ${seconds}`)
  }
  await callNode(flags, 'admin.startCPUProfiler')
  console.log(`profiling for ${seconds} s`)
  await openWorld().clock.sleep(seconds * 1_000)
  await callNode(flags, 'admin.stopCPUProfiler')
}
