import assert from 'node:assert/strict'
import { test } from 'node:test'

import { qualified } from './names.ts'

/** Each statement with `N.` where its namespace belongs. */
const statements = [
  'select a, b from N.block where a = $1 order by b limit $2',
  'select t.a from N.block t, N.token as k where t.a = k.b',
  'select x.a from N.block x join N.token on token.id = x.id left join N.other o using (id), N.last',
  'insert into N.block (a, from_id) select * from unnest($1::int8[], $2::bytea[])',
  'insert into N.lease (id) values (1) on conflict (id) do update set a = excluded.a, b = lease.b',
  'update N.block as t set a = d.a from unnest($1::int8[]) as d(a) where t.a = d.a',
  'delete from N.block as t using unnest($1::int8[]) as d(a) where t.a = d.a',
  'with recursive k(a, b) as (select min(a), 1 from N.block union all ' +
    'select (select min(a) from N.block where a > k.a), 2 from k, N.token) select * from k',
  'with token as materialized (select 1 from N.block) select * from token cross join N.other',
  'select r.found from unnest($1::int8[]) with ordinality as k(k_a, k_order) ' +
    'left join lateral (select true, a from N.block where a = k.k_a limit 1) as r(found, c0) on true',
  "select 'from block', \"from\" from N.block where a is distinct from b and c = 'it''s from x'",
  'select a from N.block where exists (select 1 from N.token) and (a, b) in (select c, d from N.t)',
  'select count(*) from (select a from N.block union select b from N.token) as each',
  'select a from N.block for update',
  'create table if not exists N.block (a bigint not null, t text collate "C", primary key (a))',
  'create unique index if not exists block_by on N.block (a, b) where a is null',
  'alter table N.block add column cased bigint',
  'drop index if exists N.block_by',
  'drop table N.block',
  'truncate N.block',
  'copy N.block (a, b) from stdin (format binary)',
  'select coalesce(sum(x), 0) from pg_class c join pg_namespace n on n.oid = c.x, citus_tables',
  'begin isolation level repeatable read read only',
]

void test('names: the namespace stands before every table, and before nothing else', () => {
  for (const statement of statements) {
    const plain = statement.replaceAll('N.', '')
    assert.equal(qualified(plain, 'n'), statement.replaceAll('N.', '"n".'), plain)
  }
})
