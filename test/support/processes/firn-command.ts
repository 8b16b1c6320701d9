/**
 * Runs commands of the product in the process of the test. Starting a process takes longer than most
 * commands do; tests of the process itself (`firn start`, signals, exit) run one: `firn-process.ts`.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import { format } from 'node:util'

import { runCommandLine } from '../../../src/cli/program.ts'
import { twoChains } from './firn-process.ts'

type Printed = { readonly stdout: Catching; readonly stderr: Catching }

/** What the running command prints; what the reporter of tests prints meanwhile is not in it. */
const printing = new AsyncLocalStorage<Printed>()

class Catching extends Writable {
  text = ''

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.text += part.toString('utf8')
    done()
  }
}

const { stdout, stderr } = process
const { log, error } = console
Object.defineProperty(process, 'stdout', { get: () => printing.getStore()?.stdout ?? stdout })
Object.defineProperty(process, 'stderr', { get: () => printing.getStore()?.stderr ?? stderr })
console.log = (...values: unknown[]): void => print('stdout', log, values)
console.error = (...values: unknown[]): void => print('stderr', error, values)

function print(name: keyof Printed, usual: typeof log, values: readonly unknown[]): void {
  const printed = printing.getStore()
  if (printed === undefined) usual(...values)
  else printed[name].write(`${format(...values)}\n`)
}

/** Runs a command to its end, and gives what the process would have. One runs at a time. */
export async function runCommand(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const printed = { stdout: new Catching(), stderr: new Catching() }
  const before = process.env['FIRN_CONFIG']
  const { exitCode } = process
  process.env['FIRN_CONFIG'] = twoChains()['FIRN_CONFIG']
  process.exitCode = undefined
  try {
    await printing.run(printed, () => runCommandLine(words))
    return {
      code: Number(process.exitCode ?? 0),
      stdout: printed.stdout.text,
      stderr: printed.stderr.text,
    }
  } finally {
    process.exitCode = exitCode
    if (before === undefined) delete process.env['FIRN_CONFIG']
    else process.env['FIRN_CONFIG'] = before
  }
}
