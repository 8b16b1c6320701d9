/** The program that `firn` runs. */

import { runCommandLine } from './program.ts'

await runCommandLine(process.argv.slice(2))
