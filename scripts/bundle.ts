/**
 * Puts the program into a few files, which load several times faster than its sources: Node needs
 * about a millisecond of processor time for each module, in each thread.
 *
 * In a clone the bundle is a cache, made again by the first start after a source changed; in the
 * published package it is the program. All its files lie in one folder two below the root, as
 * `src/core/installation.ts` wants it.
 */

import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { bundleExplorer } from '../src/explorer/bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifest = join(dist, 'current.json')
// How long a bundle that is not in use stays: programs that run load parts of it late.
const keptMs = 86_400_000

/** The first module of the program in a bundle. */
const firstModule = 'main.js'

/** A source, when it was changed (milliseconds), and its bytes. */
type Input = readonly [path: string, changedMs: number, bytes: number]

/** Sources of the bundle in use. */
type Current = { readonly folder: string; readonly inputs: readonly Input[] }

/**
 * The address of a bundle's first module that is as new as the sources, made if there is none.
 * `undefined` where none can be made: esbuild is not installed, `dist` cannot be written, or a
 * source is no TypeScript. The sources themselves run then, and say what is wrong.
 */
export async function freshProgram(): Promise<string | undefined> {
  try {
    const folder = folderInUse() ?? (await renewed())
    return pathToFileURL(join(dist, folder, firstModule)).href
  } catch {
    return undefined
  }
}

/** Makes a bundle in `folder`, with the explorer's files. Gives the sources in it, as paths below the root. */
export async function bundleInto(folder: string): Promise<readonly string[]> {
  const { build, stop } = await import('esbuild')
  const workers = globSync('src/**/*-worker.ts', { cwd: root })
  const made = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts', 'src/world/world.ts', ...workers],
    outdir: folder,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'external',
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'silent',
  })
  const explorer = await bundleExplorer()
  // Its process would live as long as this one.
  await stop()
  mkdirSync(join(folder, 'explorer'))
  for (const [name, content] of explorer.files)
    writeFileSync(join(folder, 'explorer', name), content)
  return [...Object.keys(made.metafile.inputs), ...explorer.inputs]
}

/** The folder of the bundle in use, unless a source changed since. Throws when there is none. */
function folderInUse(): string | undefined {
  let text: string
  try {
    text = readFileSync(manifest, 'utf8')
  } catch {
    return undefined
  }
  const { folder, inputs }: Current = JSON.parse(text)
  return inputs.every(isSame) ? folder : undefined
}

function isSame([path, changedMs, bytes]: Input): boolean {
  const now = statSync(join(root, path), { throwIfNoEntry: false })
  return now?.mtimeMs === changedMs && now.size === bytes
}

/** Makes a bundle and uses it; starts that do so at once give it the same name. */
async function renewed(): Promise<string> {
  const made = join(dist, `making-${process.pid}`)
  try {
    const paths = await bundleInto(made)
    const inputs = paths.map((path): Input => {
      const { mtimeMs, size } = statSync(join(root, path))
      return [path, mtimeMs, size]
    })
    const folder = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 12)
    mkdirSync(dist, { recursive: true })
    moveUnlessThere(made, join(dist, folder))
    const next = `${manifest}.${process.pid}`
    writeFileSync(next, JSON.stringify({ folder, inputs } satisfies Current))
    renameSync(next, manifest)
    removeOld()
    return folder
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Moves a folder to its place. Another start may have been first: what it put there is the same. */
function moveUnlessThere(made: string, place: string): void {
  try {
    renameSync(made, place)
  } catch (error) {
    if (statSync(place, { throwIfNoEntry: false }) === undefined) throw error
  }
}

/** Removes old bundles, and what a start left that was killed while it made one. */
function removeOld(): void {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const path = join(dist, entry.name)
    // Another start may have removed it meanwhile.
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (entry.isDirectory() && Date.now() - changedMs > keptMs)
      rmSync(path, { recursive: true, force: true })
  }
}
