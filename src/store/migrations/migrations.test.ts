import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { jsonOf } from '../../core/json.ts'
import { declaredTables } from '../engine/ddl.ts'
import { columnNames } from '../schema/table.ts'
import { changesOf, firstLayout, tablesAt } from './migration.ts'
import { ownLayout, ownLayouts } from './migrations.ts'

const { tables, migrations } = ownLayouts
const released = new URL('../../../vectors/stores/', import.meta.url)

void test('migrations: they lead from the tables of each release to those of now', () => {
  for (const version of readdirSync(released)) {
    const kept = jsonOf(readFileSync(new URL(`${version}/tables.json`, released), 'utf8'))
    assert.ok(typeof kept === 'object' && kept !== null && 'layout' in kept && 'tables' in kept)
    assert.deepEqual(
      declaredTables(tablesAt(tables, migrations, Number(kept.layout))),
      kept.tables,
      `tables are not those of version ${version}: write migration ${ownLayout + 1} in src/store/migrations`,
    )
  }
})

void test('migrations: layouts follow each other, and older rows need no change', () => {
  assert.deepEqual(
    migrations.map(({ layout }) => layout),
    migrations.map((_, at) => firstLayout + 1 + at),
  )
  for (const migration of migrations)
    for (const change of changesOf(migration, tables, migrations)) {
      if (change.does !== 'adds') continue
      const { table, column } = change
      const { sums } = table
      const about = `${table.name}.${column} of layout ${migration.layout}`
      assert.match(table.columns[column] ?? '', /\?$/, `${about} may be NULL`)
      const isCounted = sums !== undefined && sums.without?.includes(column) !== true
      assert.ok(
        !isCounted || sums.later?.includes(column) === true,
        `${about} is one of sums.later`,
      )
      const before = migration.before.find(({ name }) => name === table.name)
      const old = before === undefined ? [] : columnNames(before)
      assert.deepEqual(columnNames(table).slice(0, old.length), old, `${about} stands last`)
    }
})
