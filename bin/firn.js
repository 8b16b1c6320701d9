#!/usr/bin/env node
// Starts the product. Plain JavaScript, so that an old Node can still say what it lacks.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const source = new URL('../src/cli/main.ts', import.meta.url)
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  // Only a clone has one of its own.
  const way = existsSync(source) ? ': run it by npm (npm start), which brings its own' : ''
  console.error(`Firn needs Node 24 or newer, this is ${process.versions.node}${way}.`)
  process.exit(1)
}
// The C library keeps memory for each thread apart, up to 45 MiB more in a backfill; it reads this when a process
// begins, so that a service begins again with it, in the same process.
if (process.argv[2] === 'start' && process.platform === 'linux') {
  const { execPath, execArgv, argv, env } = process
  if (env['MALLOC_ARENA_MAX'] === undefined && process.channel === undefined)
    process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
      ...env,
      MALLOC_ARENA_MAX: '2',
    })
}
// What was compiled is kept beside the packages: later starts take half the time. A folder that
// cannot be written is no obstacle. The threads find it by the environment.
const cache = fileURLToPath(new URL('../node_modules/.cache/firn', import.meta.url))
module.enableCompileCache(cache)
process.env['NODE_COMPILE_CACHE'] ??= cache
// A clone runs a bundle of its sources, made again after one changed; or the sources themselves.
const program = existsSync(source)
  ? ((await (await import('../scripts/bundle.ts')).freshProgram()) ?? source.href)
  : new URL('../dist/program/main.js', import.meta.url).href
await import(program)
