import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Type as TypeBox } from 'typebox'
import { Compile } from 'typebox/compile'

import { Type } from './type.ts'

/** TypeBox's own builders, with the types of ours. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the tests compare are the values
const theirType = TypeBox as unknown as typeof Type

/** One schema that uses every builder, with and without options. */
function everything(type: typeof Type) {
  const inner = type.Object({ count: type.Integer({ minimum: 1 }), flag: type.Boolean() })
  return type.Object(
    {
      text: type.String({ pattern: '^x', description: 'text' }),
      kind: type.Enum(['p', 'q'], { default: 'p' }),
      choice: type.Union([type.Null(), type.Literal('z'), type.Number()], { description: 'one' }),
      list: type.Array(inner, { maxItems: 2 }),
      map: type.Record(type.String(), type.Integer(), { description: 'by name' }),
      both: type.Intersect([type.Object({ a: type.String() }), type.Object({ b: type.String() })], {
        description: 'of both',
      }),
      maybe: type.Optional(type.Integer({ default: 3 })),
      nothing: type.Optional(type.Object({})),
    },
    { $id: 'Everything', additionalProperties: false },
  )
}

const good = {
  text: 'x1',
  kind: 'q',
  choice: null,
  list: [{ count: 1, flag: true }],
  map: { one: 1 },
  both: { a: 'a', b: 'b' },
}

void test('builders: each gives the schema TypeBox gives', () => {
  assert.equal(JSON.stringify(everything(Type)), JSON.stringify(everything(theirType)))
  assert.equal(JSON.stringify(Type.Void()), JSON.stringify(TypeBox.Void()))
  assert.equal(JSON.stringify(Type.Unknown()), JSON.stringify(TypeBox.Unknown()))
})

void test('builders: a schema is checked as the same one of TypeBox is', () => {
  const ours = Compile(everything(Type))
  const theirs = Compile(everything(theirType))
  const cases: readonly unknown[] = [
    good,
    { ...good, maybe: 1, nothing: {} },
    { ...good, maybe: undefined },
    { ...good, maybe: 'x' },
    { ...good, text: 'y' },
    { ...good, kind: 'r' },
    { ...good, choice: 'y' },
    { ...good, list: [{ count: 0, flag: true }] },
    { ...good, list: [...good.list, ...good.list, ...good.list] },
    { ...good, map: { one: 'x' } },
    { ...good, both: { a: 'a' } },
    { ...good, more: 1 },
    {},
    null,
    [],
  ]
  for (const value of cases) {
    const name = JSON.stringify(value)
    assert.equal(ours.Check(value), theirs.Check(value), name)
    assert.deepEqual([...ours.Errors(value)], [...theirs.Errors(value)], name)
  }
  assert.equal(ours.Check(good), true)
})
