/** Figures that the kernel keeps of a process (Linux). */

import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processor time of all threads, in user mode and in the kernel, seconds; the kernel counts
 * hundredths.
 */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Seconds that a thread ran, and that it waited for a core. */
export type ThreadTime = { readonly ran: number; readonly waited: number }

/** Times of each thread that is there now, by its number and the first 15 letters of its name. */
export function threadTimes(pid: number): ReadonlyMap<string, ThreadTime> {
  const found = new Map<string, ThreadTime>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = readFileSync(`${folder}/comm`, 'utf8').trim()
    const [ran = 0, waited = 0] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number)
    found.set(`${thread} ${name}`, { ran: ran / 1e9, waited: waited / 1e9 })
  }
  return found
}

/** Seconds that the first thread of a process ran. */
export function mainThreadSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')
  return Number(text.split(' ')[0]) / 1e9
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

/** Bytes that the process handed to the disk; what it removed again before they reached it are not among them. */
export function writtenBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8')
  const of = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1])
  return of('write_bytes') - of('cancelled_write_bytes')
}
