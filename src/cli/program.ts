/** The command line. */

import { Command, CommanderError } from 'commander'

import { faultOf } from '../core/fault.ts'
import { ownValue } from '../core/json.ts'
import { commit, version } from '../core/version.ts'
import { type CommandRow, commands, groups } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { checkAddresses } from './flags.ts'

/**
 * Runs one command to its end. Its exit code is left in `process.exitCode`; what it prints goes to
 * the streams of the process.
 */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  const program = new Command('firn')
    .description('An open, self-hosted Avalanche data service.')
    .version(version)
    .showHelpAfterError('(firn --help lists the commands)')
    .exitOverride()
  for (const row of commands) addCommand(program, row)
  if (words[0] === '--version' || words[0] === '-V') return printVersion()
  program.hook('preAction', (_program, command) => checkAddresses(command.opts()))
  try {
    refuseUnknownCommand(program, words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
  }
}

async function printVersion(): Promise<void> {
  // With all tables, which few commands need.
  const { ownLayout } = await import('../store/migrations/migrations.ts')
  const of = commit === '' ? '' : `, commit ${commit.slice(0, 12)}`
  console.log(`${version} (layout ${ownLayout} of stores${of})`)
}

function addCommand(program: Command, row: CommandRow): void {
  const { words, about, aboutArgument, required = [], options, examples, run } = row
  const [first = '', ...rest] = words.split(' ')
  const aboutGroup = ownValue(groups, first)
  const parent =
    aboutGroup === undefined
      ? program
      : (program.commands.find((one) => one.name() === first) ??
        program.command(first).description(aboutGroup))
  const [name = '', argument] = aboutGroup === undefined ? [first, ...rest] : rest
  const command = parent.command(name, { isDefault: row === commands[0] }).description(about)
  if (argument !== undefined) command.argument(argument, aboutArgument)
  for (const option of required) command.requiredOption(...option)
  for (const option of options) command.option(...option)
  const title = examples.length === 1 ? 'Example:' : 'Examples:'
  command.addHelpText('after', `\n${title}\n${examples.map((line) => `  ${line}`).join('\n')}`)
  command.action((argument) => run(command.opts(), argument))
}

/** Without this the name of no command would be an argument too many of `start`. */
function refuseUnknownCommand(program: Command, word: string | undefined): void {
  if (word === undefined || word === '' || word.startsWith('-') || word === 'help') return
  if (!program.commands.some((command) => command.name() === word))
    program.error(`error: unknown command: ${word}`, { exitCode: exitCodes.usage })
}

// The user's to mend: files that may not be read or written, others in their place, a full disk.
const ofDisk: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'ENOSPC',
])

/** Prints a failure as one sentence; only what we did not expect shows a stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const fault = faultOf(error)
  if (fault === undefined) {
    const isOfDisk = error instanceof Error && 'code' in error && ofDisk.has(String(error.code))
    console.error(isOfDisk ? `firn: ${error.message}` : error)
    return isOfDisk ? exitCodes.failed : exitCodes.broken
  }
  console.error(`firn: ${fault.message}`)
  switch (fault.code) {
    case 'bad-parameter':
      return exitCodes.usage
    case 'bad-config':
      return exitCodes.config
    case 'lease-lost':
      return exitCodes.taken
    case 'store-version':
      return exitCodes.store
    default:
      return exitCodes.failed
  }
}
