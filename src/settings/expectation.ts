import { z } from 'zod';
import type { SettingPath } from './problem.ts';

/** A JSON schema. Messages and editor schemas are built from this form. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Caches JSON schemas, so a connector's schema is converted once for all its integrations. */
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON schema of the values that a user can write. Defaults are not added yet. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  jsonSchemas.set(schema, made);
  return made;
}

/**
 * Returns the allowed values at a path, as the alternatives of the schema. Leaves out alternatives that the value's own
 * `type` or `kind` excludes.
 */
export function alternativesAt(root: JsonSchema, value: unknown, path: SettingPath): JsonSchema[] {
  let schemas = alternatives(root, value);
  let current = value;
  for (const step of path) {
    current = valueAt(current, [step]);
    schemas = schemas.flatMap((schema) => childSchemas(schema, step));
    schemas = schemas.flatMap((schema) => alternatives(schema, current));
  }
  return schemas;
}

/** Returns the value at a path of plain objects and lists, or undefined if the path does not exist. */
export function valueAt(value: unknown, path: SettingPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) {
      return undefined;
    }
    current = Reflect.get(current, step);
  }
  return current;
}

/** Returns the keys that the alternatives define. */
export function knownKeys(schemas: readonly JsonSchema[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))];
}

/** Returns the words that the alternatives accept, if the alternatives are a choice of words. */
export function knownWords(schemas: readonly JsonSchema[]): string[] {
  return schemas
    .flatMap((schema) => schema.enum ?? (schema.const === undefined ? [] : [schema.const]))
    .filter((word) => typeof word === 'string');
}

/** Describes the expected values in words, such as `a whole number >= 0 or null`. */
export function describeExpectation(schemas: readonly JsonSchema[]): string {
  const words = new Set(schemas.map(describeOne));
  return [...words].join(' or ') || 'something else';
}

function describeOne(schema: JsonSchema): string {
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(', ');
  switch (schema.type) {
    case 'integer':
      return `a whole number${describeRange(schema)}`;
    case 'number':
      return `a number${describeRange(schema)}`;
    case 'string':
      return describeText(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.minItems ? 'a list with at least one entry' : 'a list';
    case 'object':
      return `a group of settings${describeKeys(schema)}`;
    case 'null':
      return 'null';
    default:
      return 'something else';
  }
}

function describeRange(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = [
    bound('>=', minimum),
    bound('>', exclusiveMinimum),
    bound('<=', maximum),
    bound('<', exclusiveMaximum),
  ].filter((text) => text !== '');
  return bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`;
}

/** Describes a limit. Leaves out the limits of JavaScript numbers, because they do not help a reader. */
function bound(sign: string, limit: number | boolean | undefined): string {
  if (typeof limit !== 'number' || Math.abs(limit) >= Number.MAX_SAFE_INTEGER) return '';
  return `${sign} ${limit}`;
}

function describeText(schema: JsonSchema): string {
  if (schema.format === 'uri') return 'a URL that starts with http:// or https://';
  return schema.minLength ? 'a text that is not empty' : 'a text';
}

function describeKeys(schema: JsonSchema): string {
  const keys = schema.required ?? [];
  return keys.length === 0 ? '' : ` with ${keys.map((key) => `"${key}"`).join(', ')}`;
}

function alternatives(schema: JsonSchema, value: unknown): JsonSchema[] {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined) return [schema];
  const all = branches.flatMap((branch) => alternatives(branch, value));
  const possible = all.filter((branch) => !isRuledOut(branch, value));
  return possible.length > 0 ? possible : all;
}

/** True if a key with a fixed value in this branch, such as `type`, has a different value in the settings. */
function isRuledOut(branch: JsonSchema, value: unknown): boolean {
  return Object.entries(branch.properties ?? {}).some(([key, property]) => {
    const fixed = typeof property === 'object' ? property.const : undefined;
    const actual = valueAt(value, [key]);
    return fixed !== undefined && actual !== undefined && actual !== fixed;
  });
}

function childSchemas(schema: JsonSchema, step: PropertyKey): JsonSchema[] {
  if (typeof step === 'number') return onlySchemas([schema.items].flat());
  const property = schema.properties?.[String(step)];
  return onlySchemas([property ?? schema.additionalProperties]);
}

function onlySchemas(candidates: readonly unknown[]): JsonSchema[] {
  return candidates.filter(isSchema);
}

function isSchema(candidate: unknown): candidate is JsonSchema {
  return typeof candidate === 'object' && candidate !== null;
}
