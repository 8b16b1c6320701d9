/** Prints the part of CHANGELOG.md that is about this version: `node scripts/release-notes.ts`. */

import { readFileSync } from 'node:fs'

import { version } from '../src/core/version.ts'

const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
const parts = changelog.split(/^## /m)
const own = parts.find((part) => part.startsWith(`${version},`))
if (own === undefined) throw new Error(`CHANGELOG.md has nothing about ${version}`)
console.log(own.slice(own.indexOf('\n')).trim())
