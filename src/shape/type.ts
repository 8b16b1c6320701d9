/**
 * The builders of shapes: JSON Schema values that carry their static type.
 *
 * They give the values of TypeBox's builders, whose compiler takes them. TypeBox's own load 370 modules, a
 * third of what a start of the product loads, and deriving its static types takes a third of what `tsc` takes.
 */

/** A JSON Schema of values of type `T`. The member is a type alone: no value has it. */
export type Schema<T = unknown> = { readonly '~static': T }

/** The type of the values of a schema. */
export type Static<S extends Schema> = S['~static']

/** Marks members that may be absent; not enumerable, so that no printed schema shows it. */
const optional = '~optional'

/** A schema of a member that may be absent. */
export type OptionalSchema<T = unknown> = Schema<T | undefined> & { readonly [optional]: true }

/** Schemas of the members of an object, by name. */
export type Properties = Readonly<Record<string, Schema>>

/** A schema of objects with these members. */
export type ObjectSchema<P extends Properties = Properties> = Schema<ObjectOf<P>> & {
  readonly properties: P
  readonly required?: readonly string[]
}

type ObjectOf<P extends Properties> = {
  [Name in keyof P as P[Name] extends OptionalSchema ? never : Name]: Static<P[Name]>
} & {
  [Name in keyof P as P[Name] extends OptionalSchema ? Name : never]?: Static<P[Name]>
} extends infer All
  ? { [Name in keyof All]: All[Name] }
  : never

type AllOf<Parts extends readonly Schema[]> = Parts extends readonly [
  infer First extends Schema,
  ...infer Rest extends readonly Schema[],
]
  ? Static<First> & AllOf<Rest>
  : unknown

/** Further keywords of a schema. */
type Keywords = Readonly<Record<string, unknown>>

/** Its description, with or without further keywords, or these alone. */
type About = readonly [(string | Keywords | undefined)?, Keywords?]

/** Builders of shapes; each takes a description and further keywords last. Records have any text as their keys. */
export const Type = {
  Array: <S extends Schema>(items: S, ...about: About): Schema<Static<S>[]> =>
    schemaOf({ type: 'array', items }, ...about),
  Boolean: (...about: About): Schema<boolean> => schemaOf({ type: 'boolean' }, ...about),
  /** An object that has a name in the OpenAPI document, and no other members. */
  Component: <P extends Properties>(
    $id: string,
    description: string,
    properties: P,
  ): ObjectSchema<P> => Type.Object(properties, { $id, description, additionalProperties: false }),
  Enum: <const T>(values: readonly T[], ...about: About): Schema<T> =>
    schemaOf({ enum: [...values] }, ...about),
  Integer: (...about: About): Schema<number> => schemaOf({ type: 'integer' }, ...about),
  Intersect: <const Parts extends readonly Schema[]>(
    allOf: Parts,
    ...about: About
  ): Schema<AllOf<Parts>> => schemaOf({ allOf }, ...about),
  Literal: <const T>(value: T, ...about: About): Schema<T> =>
    schemaOf({ type: typeof value, const: value }, ...about),
  Null: (...about: About): Schema<null> => schemaOf({ type: 'null' }, ...about),
  Number: (...about: About): Schema<number> => schemaOf({ type: 'number' }, ...about),
  Object: <P extends Properties>(properties: P, ...about: About): ObjectSchema<P> => {
    const names = Object.entries(properties).flatMap(([name, schema]) =>
      Object.hasOwn(schema, optional) ? [] : [name],
    )
    const required = names.length === 0 ? {} : { required: names }
    return schemaOf({ type: 'object', ...required, properties }, ...about)
  },
  /** A member that may be absent. JSON leaves out what is undefined, so a view may say that instead. */
  Optional: <S extends Schema>(schema: S): OptionalSchema<Static<S>> =>
    schemaOf(Object.defineProperty({ ...schema }, optional, { value: true })),
  Record: <S extends Schema>(
    _key: Schema<string>,
    value: S,
    ...about: About
  ): Schema<Record<string, Static<S>>> =>
    schemaOf({ type: 'object', patternProperties: { '^.*$': value } }, ...about),
  String: (...about: About): Schema<string> => schemaOf({ type: 'string' }, ...about),
  Union: <const Parts extends readonly Schema[]>(
    anyOf: Parts,
    ...about: About
  ): Schema<Static<Parts[number]>> => schemaOf({ anyOf }, ...about),
  Unknown: (...about: About): Schema => schemaOf({}, ...about),
  Void: (...about: About): Schema<void> => schemaOf({ type: 'void' }, ...about),
}

/** Builders of members that may be absent: what `Type.Optional` makes of these schemas. */
export const Optional = {
  Array: <S extends Schema>(items: S, ...about: About): OptionalSchema<Static<S>[]> =>
    Type.Optional(Type.Array(items, ...about)),
  Boolean: (...about: About): OptionalSchema<boolean> => Type.Optional(Type.Boolean(...about)),
  Enum: <const T>(values: readonly T[], ...about: About): OptionalSchema<T> =>
    Type.Optional(Type.Enum(values, ...about)),
  Integer: (...about: About): OptionalSchema<number> => Type.Optional(Type.Integer(...about)),
  Number: (...about: About): OptionalSchema<number> => Type.Optional(Type.Number(...about)),
  Object: <P extends Properties>(properties: P, ...about: About): OptionalSchema<ObjectOf<P>> =>
    Type.Optional(Type.Object(properties, ...about)),
  String: (...about: About): OptionalSchema<string> => Type.Optional(Type.String(...about)),
  Union: <const Parts extends readonly Schema[]>(
    anyOf: Parts,
    ...about: About
  ): OptionalSchema<Static<Parts[number]>> => Type.Optional(Type.Union(anyOf, ...about)),
}

function schemaOf<S extends Schema>(keywords: object, ...[about, more]: About): S {
  Object.assign(keywords, typeof about === 'string' ? { description: about } : about, more)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type.test.ts` holds each type against TypeBox's
  return keywords as S
}
