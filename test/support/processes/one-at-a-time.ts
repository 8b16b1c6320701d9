/**
 * Work that the processes of a test run do one after the other: what one has made the next finds.
 *
 * Without it the jobs that begin a run would all make the same store, each for itself.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const lookEveryMs = 50

/** Does `work` while no other process has the lock file at `path`. */
export async function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  while (!take(path)) await pause(lookEveryMs)
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    // A process that was killed leaves its lock behind.
    if (!isRunning(holderOf(path))) rmSync(path, { force: true })
    return false
  }
}

/** The process that has the lock; 0 where it is just taken or left. */
function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return 0
  }
}

function isRunning(pid: number): boolean {
  if (pid === 0) return true
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
