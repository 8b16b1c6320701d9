import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { statement } from '../engine/database.ts'
import { table } from '../engine/table.ts'
import { type Plan, planOf } from './plan.ts'

const fact = table(
  'fact',
  { pos: 'integer', owner: 'integer', hash: 'bytes' },
  { key: ['pos'], layout: 'rows', freezes: 'whole' },
)
const list = table(
  'list',
  { owner: 'integer', kind: 'integer', pos: 'integer' },
  { key: ['owner', 'kind', 'pos'], layout: 'keyed', freezes: 'whole' },
)
const owner = table('owner', { id: 'integer', name: 'text' }, { key: ['id'], layout: 'rows' })
const tables = {
  all: new Map([fact, list, owner].map((each) => [each.name, each])),
  freezing: new Set(['fact', 'list']),
}

function plan(text: string): Plan | undefined {
  return planOf(statement(text), tables)
}

void test('plan: a question that asks for nothing that freezes has none', () => {
  assert.equal(plan('select name from owner where id = ?'), undefined)
  // Words that segments do not know matter only where history is asked for.
  assert.equal(plan('with recursive a as (select 1) select * from a'), undefined)
})

void test('plan: order of history is walked, any other order is sorted', () => {
  const walks = {
    'select pos from fact where pos < ? order by pos desc limit ?': 'newest',
    'select pos from fact order by pos': 'oldest',
    'select a.pos from list a where a.owner = ? and a.kind = 2 order by a.pos desc': 'newest',
    // Kinds are not fixed: their lists lie one after another.
    'select a.pos from list a where a.owner = ? order by a.pos desc': 'any',
    'select pos from fact order by owner': 'any',
    'select pos from fact': 'any',
  }
  for (const [text, walk] of Object.entries(walks)) assert.equal(plan(text)?.walk, walk, text)
})

void test('plan: the tables are asked the same, and where in history each row is', () => {
  assert.equal(
    plan('select a.kind from list a join fact t on t.pos = a.pos where a.owner = ? order by a.kind')
      ?.rows.sqlite,
    'select a.kind, a.kind, a.pos from list a join fact t on t.pos = a.pos where a.owner = ? order by a.kind',
  )
  assert.equal(
    plan('select coalesce(sum(owner), 0) from fact where pos >= ?')?.rows.sqlite,
    'select owner, fact.pos from fact where pos >= ?',
  )
})

void test('plan: other words are a fault that shows them', () => {
  for (const text of [
    'select pos from fact where owner = ? or owner = ?',
    'select pos from fact where pos in (select pos from list)',
    'select pos from (select pos from fact) x',
    'select nothing from fact',
    'select pos from fact where owner like ?',
    'select count(*) from fact',
    'select pos from fact union select pos from fact',
    "select pos from fact where owner = 'a",
    'select pos from fact limit 1 offset 2',
    'select pos, max(owner) from fact group by pos order by pos',
    'select f.pos from fact f left join owner o on o.id = f.owner where o.name = ?',
  ])
    assert.throws(
      () => plan(text),
      (error) => error instanceof Fault && error.message.includes(text.slice(0, 20)),
      text,
    )
})
