import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Type as TypeBox, type Static as StaticOfTypeBox } from 'typebox'
import { Compile } from 'typebox/compile'

import { type Static, Type } from './type.ts'

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

const ours = {
  Array: Type.Array(Type.String()),
  Boolean: Type.Boolean(),
  Enum: Type.Enum(['p', 'q']),
  Integer: Type.Integer(),
  Intersect: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Null() })]),
  Literal: Type.Literal('z'),
  Null: Type.Null(),
  Number: Type.Number(),
  Object: Type.Object({ inner: Type.Object({ one: Type.Boolean() }), two: Type.Integer() }),
  Optional: Type.Object({ always: Type.String(), maybe: Type.Optional(Type.Integer()) }),
  Record: Type.Record(Type.String(), Type.Integer()),
  String: Type.String(),
  Union: Type.Union([Type.Null(), Type.Literal('z'), Type.Number()]),
  Unknown: Type.Unknown(),
  Void: Type.Void(),
}
const theirs = {
  Array: TypeBox.Array(TypeBox.String()),
  Boolean: TypeBox.Boolean(),
  Enum: TypeBox.Enum(['p', 'q']),
  Integer: TypeBox.Integer(),
  Intersect: TypeBox.Intersect([
    TypeBox.Object({ a: TypeBox.String() }),
    TypeBox.Object({ b: TypeBox.Null() }),
  ]),
  Literal: TypeBox.Literal('z'),
  Null: TypeBox.Null(),
  Number: TypeBox.Number(),
  Object: TypeBox.Object({
    inner: TypeBox.Object({ one: TypeBox.Boolean() }),
    two: TypeBox.Integer(),
  }),
  // A view of ours may say `undefined` instead of leaving a member out.
  Optional: TypeBox.Object({
    always: TypeBox.String(),
    maybe: TypeBox.Optional(TypeBox.Unsafe<number | undefined>(TypeBox.Integer())),
  }),
  Record: TypeBox.Record(TypeBox.String(), TypeBox.Integer()),
  String: TypeBox.String(),
  Union: TypeBox.Union([TypeBox.Null(), TypeBox.Literal('z'), TypeBox.Number()]),
  Unknown: TypeBox.Unknown(),
  Void: TypeBox.Void(),
}

/** The word `true` where both types are one, else no value at all. */
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : never
/** An intersection of objects as the object it is. */
type Plain<T> = T extends object ? { [Name in keyof T]: T[Name] } : T

void test('builders: a description may stand alone, and a component is a closed object with a name', () => {
  assert.deepEqual(Type.Integer('count'), Type.Integer({ description: 'count' }))
  assert.deepEqual(
    Type.Array(Type.Null(), 'nothing'),
    Type.Array(Type.Null(), { description: 'nothing' }),
  )
  const properties = { a: Type.String() }
  assert.deepEqual(
    Type.Component('Thing', 'A thing', properties),
    Type.Object(properties, {
      $id: 'Thing',
      description: 'A thing',
      additionalProperties: false,
    }),
  )
})

void test('builders: the static type of each is that of TypeBox', () => {
  const agrees: {
    [Name in keyof typeof ours]: Same<
      Static<(typeof ours)[Name]>,
      StaticOfTypeBox<(typeof theirs)[Name]>
    >
  } = {
    Array: true,
    Boolean: true,
    Enum: true,
    Integer: true,
    Intersect: true,
    Literal: true,
    Null: true,
    Number: true,
    Object: true,
    Optional: true,
    Record: true,
    String: true,
    Union: true,
    Unknown: true,
    Void: true,
  }
  assert.deepEqual([...Object.keys(agrees), 'Component'].toSorted(), Object.keys(Type).toSorted())
})
