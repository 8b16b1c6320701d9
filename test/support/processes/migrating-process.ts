/**
 * Opens a store for writing in a later layout, and kills itself before the given statement:
 *
 *     node migrating-process.ts <location as JSON> <name> <number of the statement>
 */

import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { laterChain, laterTables } from '../stores/later-layouts.ts'

const [location = '', name = '', at = ''] = process.argv.slice(2)
let left = Number(at)

function counted<Method extends (...values: never[]) => unknown>(method: Method): Method {
  return function (this: unknown, ...values: never[]): unknown {
    if (left-- === 1) process.kill(process.pid, 'SIGKILL')
    return method.apply(this, values)
  } as Method
}

DatabaseSync.prototype.exec = counted(DatabaseSync.prototype.exec)
pg.Client.prototype.query = counted(pg.Client.prototype.query)

const place: StoreLocation = JSON.parse(location)
const store = await openStore({ ...place, layouts: laterChain }, name, laterTables, 'write')
await store.close()
