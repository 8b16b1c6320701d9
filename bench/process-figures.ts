/** Figures that the kernel keeps of a process (Linux). */

import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time of all threads, in user mode and in the kernel, seconds; the kernel counts
 * hundredths.
 */
export function processorSeconds(pid: number): number {
  return secondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

/** The same of each thread that is there now, by its number and the first 15 letters of its name. */
export function threadSeconds(pid: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const name = /\((.*)\)/.exec(text)?.[1] ?? ''
    found.set(`${thread} ${name}`, secondsIn(text))
  }
  return found
}

function secondsIn(stat: string): number {
  const fields = stat.replace(/^.*\) /, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Most memory that was resident, MiB. */
export function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

/** Memory that is resident now, MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

/** Bytes that the process handed to the disk. */
export function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}
